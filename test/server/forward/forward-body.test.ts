import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { agent, tool } from '../../chain/trace-script.ts'
import { type SdkSpanFields, toMessage } from '../../otlp/sdk-span.ts'
import { decodeBody, evidenceOf, forward, forwardBody, storedTrace } from './forward-spans.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const idOf = (at: number): string => `00f067aa0ba902b${at}`
const root: SdkSpanFields = {
  traceId,
  spanId: idOf(0),
  name: 'run',
  endTime: [9, 0],
  attributes: agent('support'),
}
const toolAt = (at: number, more: Partial<SdkSpanFields> = {}): SdkSpanFields => ({
  traceId,
  spanId: idOf(at),
  parentSpanId: idOf(0),
  name: `tool ${at}`,
  startTime: [at, 0],
  endTime: [at, 5],
  attributes: tool('q', { id: at }, { ok: true }),
  ...more,
})
const plain: SdkSpanFields = { traceId, spanId: idOf(9), name: 'GET', attributes: { 'http.method': 'GET' } }

const namesOf = (trace: ReturnType<typeof storedTrace>): readonly string[] =>
  forward(trace).map(({ name }) => name)

describe('toForwardBody()', () => {
  it('takes what has not gone on, in the order in which it came, and knows the whole trace', () => {
    const bodies = [toMessage(root), toMessage(toolAt(1)), toMessage(toolAt(2), plain)]
    expect(namesOf(storedTrace(bodies))).toEqual(['run', 'tool 1', 'tool 2', 'GET'])
    const late = forward(storedTrace(bodies, 2))
    expect(late.map(({ name, attributes }) => [name, attributes['agent_reach.node.status']])).toEqual([
      ['tool 2', 'reached'],
      ['GET', undefined],
    ])
    expect(forwardBody(storedTrace(bodies, 3))).toHaveLength(0)
  })

  it('lets each span go on once, whatever is sent again', () => {
    const bodies = [
      toMessage(root, toolAt(1)),
      toMessage(toolAt(1), toolAt(2)),
      toMessage(root, toolAt(2), plain),
    ]
    expect(namesOf(storedTrace(bodies))).toEqual(['run', 'tool 1', 'tool 2', 'GET'])
    expect(namesOf(storedTrace(bodies, 1))).toEqual(['tool 2', 'GET'])
    expect(namesOf(storedTrace([...bodies, toMessage(plain, root)], 3))).toEqual([])
  })

  it('lets of copies that one go on which the report is made of', () => {
    const grown = toolAt(1, { endTime: [7, 0] })
    const richer = toolAt(2, { attributes: { ...tool('q', { id: 2 }, { ok: true }), more: 1 } })
    const bodies = [toMessage(root, grown, toolAt(2)), toMessage(toolAt(1), richer)]
    for (const order of [bodies, bodies.toReversed()]) {
      const spans = forward(storedTrace(order))
      expect(spans).toHaveLength(3)
      expect(spans.find(({ name }) => name === 'tool 1')?.endTime).toEqual([7, 0])
      expect(spans.find(({ name }) => name === 'tool 2')?.attributes['more']).toBe(1)
    }
  })

  it('chooses between copies that only their content tells apart as the report does', () => {
    const answer = (status: string) => toolAt(1, { attributes: tool('q', { id: 1 }, { status }) })
    const bodies = [toMessage(root, answer('a')), toMessage(answer('b')), toMessage(answer('c'))]
    const chosen = new Set(
      [bodies, bodies.toReversed()].map((order) => {
        const trace = storedTrace(order)
        const kept = forward(trace).find(({ name }) => name === 'tool 1')?.attributes[
          'gen_ai.tool.call.result'
        ]
        const record = evidenceOf(trace).records.get(idOf(1))
        const alone = storedTrace([
          toMessage(toolAt(1, { attributes: { ...tool('q', { id: 1 }), 'gen_ai.tool.call.result': kept } })),
        ])
        expect(evidenceOf(alone).records.get(idOf(1))?.resultDigest).toBe(record?.resultDigest)
        return kept
      }),
    )
    expect(chosen.size).toBe(1)
  })

  it('keeps resource, scope and everything that it does not write of a span', () => {
    const link = { traceId, spanId: idOf(7) }
    const full = toolAt(1, {
      links: [link],
      droppedAttributesCount: 3,
      events: [{ name: 'note', time: [1, 1] }],
    })
    const body = toMessage(full, plain)
    const marked = forwardBody(storedTrace([body]))
    const [before] = decodeBody(body)
    const [after] = decodeBody(marked)
    expect(after?.attributes).toMatchObject(before?.attributes ?? {})
    const others = (span: object | undefined) =>
      Object.entries(span ?? {}).filter(([key]) => key !== 'attributes')
    expect(others(after)).toEqual(others(before))
    // The bytes of the link, which the decoder does not read.
    expect(marked.includes(Buffer.from(link.spanId, 'hex'))).toBe(true)
  })

  it('whatever the deliveries are and wherever they are cut, each span goes on once', () => {
    const delivery = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(delivery, { minLength: 1, maxLength: 5 }), fc.nat(4), (deliveries, cut) => {
        const bodies = deliveries.map((ids) =>
          toMessage(...ids.map((at) => (at === 0 ? root : at === 6 ? plain : toolAt(at)))),
        )
        const early = bodies.slice(0, cut)
        const gone = early.length === 0 ? [] : namesOf(storedTrace(early))
        const later = namesOf(storedTrace(bodies, cut))
        const sent = new Set(deliveries.flat())
        expect([...gone, ...later]).toHaveLength(sent.size)
        expect(new Set([...gone, ...later]).size).toBe(sent.size)
      }),
      { numRuns: 150 },
    )
  })
})

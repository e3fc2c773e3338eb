import { describe, expect, it } from 'vitest'
import { toReportName } from '../../../src/report/report-name.ts'
import { toMessage } from '../../otlp/sdk-span.ts'
import { bytesField, doubleField } from '../../otlp/wire-fields.ts'
import { createReport, TRACE_ID } from '../../report/create-report.ts'
import { MemoryStore } from './memory-store.ts'
import { NOW_MS, serveApi } from './serve-api.ts'

const path = `/api/v1/chains/${toReportName(TRACE_ID, TRACE_ID)}/spans`

function createStore(...bodies: readonly Buffer[]): MemoryStore {
  const store = new MemoryStore()
  store.put(createReport(), NOW_MS)
  for (const body of bodies) store.putSpans(TRACE_ID, body)
  return store
}

describe('the spans of a chain', () => {
  it('are OTLP/JSON with their content, each once', async () => {
    const span = {
      traceId: TRACE_ID,
      spanId: '00f067aa0ba902b7',
      name: 'chat',
      attributes: { 'gen_ai.prompt': 'secret' },
    }
    const grown = { ...span, endTime: [5, 0] as [number, number] }
    const { get } = await serveApi(
      createStore(toMessage(span), toMessage(grown, { ...span, spanId: '00f067aa0ba902b8' })),
    )
    const { status, headers, json } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(json).toMatchObject({
      resourceSpans: [
        {
          scopeSpans: [
            {
              scope: { name: 'test' },
              spans: [
                {
                  traceId: TRACE_ID,
                  spanId: '00f067aa0ba902b7',
                  name: 'chat',
                  endTimeUnixNano: '5000000000',
                  attributes: [{ key: 'gen_ai.prompt', value: { stringValue: 'secret' } }],
                },
                { spanId: '00f067aa0ba902b8' },
              ],
            },
          ],
        },
      ],
    })
  })

  it('spell numbers that JSON does not have', async () => {
    const attribute = bytesField(9, bytesField(1, 'n'), bytesField(2, doubleField(4, Infinity)))
    const ids = [
      bytesField(1, Buffer.from(TRACE_ID, 'hex')),
      bytesField(2, Buffer.from('00f067aa0ba902b7', 'hex')),
    ]
    const body = bytesField(1, bytesField(2, bytesField(2, ...ids, attribute)))
    const { get } = await serveApi(createStore(body))
    expect((await get(path)).text).toContain('{"key":"n","value":{"doubleValue":"Infinity"}}')
  })

  it('are not shown where the service does not allow it', async () => {
    const body = toMessage({ traceId: TRACE_ID, spanId: '00f067aa0ba902b7', name: 'secret' })
    const { get } = await serveApi(createStore(body), { showSpans: false })
    const { status, text } = await get(path)
    expect(status).toBe(403)
    expect(text).not.toContain('secret')
  })

  it('are missed with a problem where they are no longer stored', async () => {
    const { get } = await serveApi(createStore())
    const { status, json } = await get(path)
    expect(status).toBe(404)
    expect(json).toMatchObject({ detail: `The spans of trace ${TRACE_ID} are no longer stored` })
  })

  it('are refused where they are too many to answer', async () => {
    const { get } = await serveApi(createStore(Buffer.alloc(32 * 1024 * 1024), Buffer.alloc(1)))
    const { status, json } = await get(path)
    expect(status).toBe(422)
    expect(json).toMatchObject({
      detail: `Cannot show the spans of trace ${TRACE_ID}: expected at most 33554432 bytes, found 33554433`,
    })
  })

  it('appear nowhere else', async () => {
    const body = toMessage({
      traceId: TRACE_ID,
      spanId: '00f067aa0ba902b7',
      name: 'chat',
      attributes: { 'gen_ai.prompt': 'only recorded' },
    })
    const { get } = await serveApi(createStore(body))
    for (const other of ['/api/v1/chains', path.replace('/spans', ''), path.replace('/spans', '/steps')]) {
      expect((await get(other)).text).not.toContain('only recorded')
    }
  })
})

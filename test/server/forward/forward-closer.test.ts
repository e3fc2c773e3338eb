import { describe, expect, it, onTestFinished } from 'vitest'
import { scanRequest } from '../../../src/otlp/scan-request.ts'
import { defaultRules } from '../../../src/rules/rules.ts'
import { toJudgeParts } from '../../../src/server/judge-trace.ts'
import { LocalJudge } from '../../../src/server/local-judge.ts'
import { TraceCloser } from '../../../src/server/trace-closer.ts'
import { agent, tool } from '../../chain/trace-script.ts'
import { type SdkSpanFields, toMessage } from '../../otlp/sdk-span.ts'
import { newStorePath, openAt } from '../store/store-samples.ts'
import { decodeBody } from './forward-spans.ts'
import { ManualClock } from './manual-clock.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const idOf = (at: number): string => `00f067aa0ba902b${at}`
const root: SdkSpanFields = {
  traceId,
  spanId: idOf(0),
  name: 'run',
  endTime: [9, 0],
  attributes: agent('support'),
}
const toolAt = (at: number, result: unknown): SdkSpanFields => ({
  traceId,
  spanId: idOf(at),
  parentSpanId: idOf(0),
  name: `tool ${at}`,
  startTime: [at, 0],
  endTime: [at, 5],
  attributes: tool(`q${at}`, { id: at }, result),
})

/** A closer over a store on disk, whose clock stands still. */
async function startCloser() {
  const clock = new ManualClock()
  const store = await openAt(newStorePath(), { now: clock.now })
  onTestFinished(() => store.close())
  const closer = new TraceCloser({
    store,
    judge: new LocalJudge(store, toJudgeParts({ rules: defaultRules, spansPerTrace: 1_000, marks: {} })),
    now: clock.now,
    forwardAfterMillis: 10_000,
  })
  const take = (...spans: readonly SdkSpanFields[]): Promise<void> =>
    closer.take(scanRequest(toMessage(...spans)))
  /** The spans of what is queued, with one mark of each. */
  const queued = (key: string) =>
    store
      .queuedForwards(100)
      .map(({ body }) => decodeBody(body).map(({ name, attributes }) => [name, attributes[key]]))
  return { clock, closer, take, queued }
}

describe('a trace that is closed', () => {
  it('goes on once, judged as a whole, and so does each span that comes later', async () => {
    const { clock, closer, take, queued } = await startCloser()
    await take(toolAt(1, { ok: true }), toolAt(2, { error: 'no such order' }))
    await take(root, toolAt(1, { ok: true }))
    clock.advance(5_000)
    await closer.closeDue()
    const first = [
      ['tool 1', undefined],
      ['tool 2', undefined],
      ['run', 'partial_failed'],
    ]
    expect(queued('agent_reach.chain.status')).toEqual([first])
    await take(root, toolAt(2, { error: 'no such order' }), toolAt(3, { ok: true }))
    clock.advance(5_000)
    await closer.closeDue()
    expect(queued('agent_reach.chain.status')).toEqual([first, [['tool 3', undefined]]])
    await take(root)
    clock.advance(5_000)
    await closer.closeDue()
    await take(toolAt(4, { ok: true }))
    clock.advance(5_000)
    await closer.closeDue()
    expect(
      queued('agent_reach.node.status')
        .flat()
        .map(([name]) => name),
    ).toEqual(['tool 1', 'tool 2', 'run', 'tool 3', 'tool 4'])
  })

  it('has sent on what waited for ten seconds, and sends the rest', async () => {
    const { clock, closer, take, queued } = await startCloser()
    await take(toolAt(1, { ok: true }))
    clock.advance(9_999)
    await closer.forwardDue()
    expect(queued('agent_reach.node.status')).toEqual([])
    await take(toolAt(2, { ok: true }))
    clock.advance(1)
    await closer.forwardDue()
    const early = [
      ['tool 1', 'reached'],
      ['tool 2', 'reached'],
    ]
    expect(queued('agent_reach.node.status')).toEqual([early])
    await take(root, toolAt(2, { ok: true }))
    clock.advance(5_000)
    await closer.closeDue()
    expect(queued('agent_reach.node.status')).toEqual([early, [['run', 'reached']]])
    expect(queued('agent_reach.chain.provisional').at(-1)).toEqual([['run', false]])
  })
})

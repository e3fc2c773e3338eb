import { type Context, context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { EventEmitter, once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setChainContext } from '../../src/pipeline/chain-context.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { readBack, type Recorder, startRecording, toApiAttributes } from './record-run.ts'

/** Registering a provider makes contexts follow asynchronous work. */
beforeAll(() => new NodeTracerProvider().register())
afterAll(() => {
  trace.disable()
  context.disable()
  propagation.disable()
})

const CHAINS = 200

/** Runs something within a span, which ends with it. */
async function within<T>(
  { tracer }: Recorder,
  name: string,
  attributes: object,
  work: () => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes: toApiAttributes({ ...attributes }) })
  try {
    return await context.with(trace.setSpan(context.active(), span), work)
  } finally {
    span.end()
  }
}

/** An agent whose tools run over timers, events, promises and generators, each named after its chain. */
async function runAgent(recorder: Recorder, chain: number): Promise<void> {
  const call = (name: string, work: () => Promise<unknown>): Promise<unknown> =>
    within(recorder, name, tool(`${name} ${chain}`, { chain, name }, { chain }), work)
  const wait = (): Promise<void> => delay((chain * 7) % 11)

  async function* stream(): AsyncGenerator<string> {
    for (const part of ['a', 'b']) {
      await call(`stream-${part}`, () => nextTurn())
      yield part
    }
  }

  await within(recorder, 'run', agent(`agent ${chain}`), async () => {
    await call('timer', wait)
    const emitter = new EventEmitter()
    setTimeout(() => emitter.emit('done'), chain % 5)
    await call('event', () => once(emitter, 'done'))
    await Promise.all([call('left', () => nextTurn()), call('right', () => Promise.resolve().then(wait))])
    for await (const _ of stream()) await nextTurn()
    await call('outer', () => call('inner', wait))
  })
}

const nodesOf = (chain: number): readonly string[] =>
  ['timer', 'event', 'left', 'right', 'stream-a', 'stream-b', 'outer', 'inner']
    .map((name) => `${name} ${chain}`)
    .concat(`agent ${chain}`)
    .toSorted()

const namesOf = ({ nodes }: ChainReport): readonly string[] => nodes.map((node) => node.node_name).toSorted()

/** Each chain has exactly its own nodes, and every reader of the spans says the same. */
async function expectOwnNodes(recorder: Recorder): Promise<void> {
  await recorder.processor.forceFlush()
  const byAgent = new Map(recorder.reports.map((report) => [report.agent_name, report]))
  expect(recorder.reports).toHaveLength(CHAINS)
  for (let chain = 0; chain < CHAINS; chain++) {
    const report = byAgent.get(`agent ${chain}`) as ChainReport
    expect(namesOf(report)).toEqual(nodesOf(chain))
    expect(report).toMatchObject({ completeness: 'complete', overall_status: 'success', alerts: [] })
  }
  const digests = (reports: readonly ChainReport[]): readonly string[] =>
    reports.map(({ digest }) => digest).toSorted()
  expect(digests(recorder.reports)).toEqual(digests(readBack(recorder.spans)))
  recorder.reports.slice(0, 5).forEach(expectValidReport)
}

describe(`${CHAINS} agents that run at once`, () => {
  it('never mix, one trace each', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 60_000 } } })
    await Promise.all(Array.from({ length: CHAINS }, (_, chain) => runAgent(recorder, chain)))
    expect(new Set(recorder.spans.map((span) => span.spanContext().traceId)).size).toBe(CHAINS)
    await expectOwnNodes(recorder)
  })

  it('never mix in one trace, where each has a chain of its own', async () => {
    const recorder = startRecording({ options: { limits: { settleMillis: 60_000 } } })
    await within(recorder, 'work', {}, async () => {
      const runIn = (parent: Context, chain: number): Promise<void> =>
        context.with(setChainContext(parent, { chainId: `chain ${chain}`, taskId: `task ${chain}` }), () =>
          runAgent(recorder, chain),
        )
      await Promise.all(Array.from({ length: CHAINS }, (_, chain) => runIn(context.active(), chain)))
    })
    await expectOwnNodes(recorder)
    for (const report of recorder.reports) {
      const number = report.agent_name?.replace('agent ', '')
      expect([report.chain_id, report.task_id]).toEqual([`chain ${number}`, `task ${number}`])
    }
    const roots = recorder.spans.filter(({ attributes }) => 'agent_reach.chain.provisional' in attributes)
    expect(roots).toHaveLength(CHAINS)
    expect(roots.filter(({ name }) => name !== 'run')).toEqual([])
    expect(roots.filter(({ attributes }) => attributes['agent_reach.chain.provisional'] === true)).toEqual([])
  })

  it('leave nothing behind in the context of the program', () => {
    expect(context.active()).toBe(ROOT_CONTEXT)
  })
})

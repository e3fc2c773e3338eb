import { describe, expect, it } from 'vitest'
import { defaultRules } from '../../../src/rules/rules.ts'
import { LocalJudge } from '../../../src/server/local-judge.ts'
import type { ReportStore } from '../../../src/server/report-store.ts'
import type { TraceJudge } from '../../../src/server/trace-judge.ts'
import { spanId } from '../../chain/trace-script.ts'
import { newStorePath } from '../store/store-samples.ts'
import { modelOf, NOON_MS, rootOf, startCloser, toolOf, traceIdOf } from './start-closer.ts'

const HOUR_MS = 3_600_000

describe('a trace whose root has ended and of which no parent is missing', () => {
  it('is reported five seconds after its last span', async () => {
    const { take, pass, report } = await startCloser()
    await take(rootOf(1))
    await pass(4_000)
    await take(toolOf(1, 1))
    await pass(4_999)
    expect(report(1)).toBeNull()
    await pass(1)
    expect(report(1)).toMatchObject({ completeness: 'complete', span_count: 2, revision: 1 })
  })

  it('is reported at its greatest age though spans still come', async () => {
    const { take, pass, report } = await startCloser({ maxAgeMillis: 10_000 })
    await take(rootOf(1))
    for (let at = 1; at <= 4; at++) {
      await pass(2_000)
      await take(toolOf(1, at))
    }
    await pass(1_999)
    expect(report(1)).toBeNull()
    await pass(1)
    expect(report(1)).toMatchObject({ completeness: 'complete', span_count: 5 })
  })
})

describe('a trace without a root', () => {
  it('is reported as partial after half an hour without a span', async () => {
    const { take, pass, report } = await startCloser()
    await take(toolOf(1, 1))
    await pass(HOUR_MS / 2 - 1)
    expect(report(1)).toBeNull()
    await pass(1)
    expect(report(1)).toMatchObject({ completeness: 'partial', completeness_reason: 'idle', revision: 1 })
  })

  it('is waited for half a minute where its parent is said to be in another process', async () => {
    const { take, pass, report } = await startCloser()
    await take(rootOf(1, { parentSpanId: spanId('caller'), isRemote: true }), toolOf(1, 1))
    await pass(29_999)
    expect(report(1)).toBeNull()
    await pass(1)
    expect(report(1)).toMatchObject({ completeness: 'partial', completeness_reason: 'remote_parent' })
  })
})

describe('traces beyond those that may be open', () => {
  it('are reported as partial, the oldest first', async () => {
    const { take, pass, report, closer } = await startCloser({ openTraces: 2 })
    for (const trace of [1, 2, 3, 4]) await take(toolOf(trace, 1))
    await pass(0)
    expect([1, 2].map((trace) => report(trace)?.completeness_reason)).toEqual(['evicted', 'evicted'])
    expect([3, 4].map(report)).toEqual([null, null])
    expect(closer.list(10).map(({ traceId }) => traceId)).toEqual([traceIdOf(3), traceIdOf(4)])
  })
})

describe('a span that comes after the report', () => {
  it('raises its revision', async () => {
    const { take, pass, report, store } = await startCloser()
    await take(rootOf(1), toolOf(1, 1))
    await pass(5_000)
    await take(toolOf(1, 2))
    await pass(4_999)
    expect(report(1)).toMatchObject({ revision: 1, span_count: 2 })
    await pass(1)
    expect(report(1)).toMatchObject({ revision: 2, span_count: 3 })
    const [chain] = store.listChains({}, 10, null)
    expect(store.listRevisions(chain?.name ?? '').map(({ revision }) => revision)).toEqual([2, 1])
  })

  it('changes nothing where it is a copy', async () => {
    const { take, pass, report, spanIds } = await startCloser()
    await take(rootOf(1), toolOf(1, 1))
    await pass(5_000)
    const first = report(1)
    await take(toolOf(1, 1))
    await take(rootOf(1), toolOf(1, 1))
    await pass(5_000)
    expect(report(1)).toEqual(first)
    expect([...spanIds(1)].sort()).toEqual([spanId('root'), spanId('tool 1')].sort())
  })

  it('amends a partial report', async () => {
    const { take, pass, report } = await startCloser()
    await take(toolOf(1, 1))
    await pass(HOUR_MS)
    await take(rootOf(1))
    await pass(5_000)
    expect(report(1)).toMatchObject({ completeness: 'amended', revision: 2, span_count: 2 })
  })
})

describe('copies of spans', () => {
  it('are stored once when their trace is reported, the one that ended last', async () => {
    const { take, pass, report, spanIds, store } = await startCloser()
    const later = toolOf(1, 1, { endTime: [1_796_040_004, 0] })
    await take(rootOf(1), toolOf(1, 1), toolOf(1, 1))
    await take(later)
    await take(modelOf(1), toolOf(1, 1))
    expect(spanIds(1)).toHaveLength(6)
    await pass(5_000)
    expect([...spanIds(1)].sort()).toEqual([spanId('root'), spanId('tool 1'), spanId('model')].sort())
    const step = report(1)?.steps.find((candidate) => candidate.span_id === spanId('tool 1'))
    expect(step?.latency_ms).toBe(3_000)
    expect(store.readTrace(traceIdOf(1))?.bodies).toHaveLength(1)
  })
})

describe('spans that come while their trace is judged', () => {
  it('keep it open, and are in its next report', async () => {
    const real = await startCloser()
    const local = new LocalJudge(real.store, {
      rules: defaultRules,
      spansPerTrace: 1_000,
      forwardBody: null,
    })
    let meanwhile: () => Promise<void> = () => Promise.resolve()
    const judge: TraceJudge = {
      parallel: 4,
      sliceMillis: 25,
      preview: (traceId) => local.preview(traceId),
      close: () => local.close(),
      judge: async (task) => {
        const verdict = await local.judge(task)
        await meanwhile()
        return verdict
      },
    }
    const { take, pass, closer } = await startCloser({ store: real.store, judge })
    await take(rootOf(1), toolOf(1, 1))
    await take(rootOf(2))
    meanwhile = () => take(toolOf(1, 2))
    await pass(5_000)
    expect(real.report(1)).toMatchObject({ revision: 1, span_count: 2 })
    expect(real.report(2)).toMatchObject({ revision: 1, span_count: 1 })
    expect(closer.list(10)).toMatchObject([{ traceId: traceIdOf(1), revision: 1 }])
    meanwhile = () => Promise.resolve()
    await pass(4_999)
    expect(real.report(1)).toMatchObject({ revision: 1 })
    await pass(1)
    expect(real.report(1)).toMatchObject({ revision: 2, span_count: 3 })
    expect(closer.list(10)).toEqual([])
  })
})

describe('the preview of an open trace', () => {
  it('is the report that it would have now, and none once it is closed', async () => {
    const { take, pass, closer } = await startCloser()
    expect(await closer.preview(traceIdOf(1))).toBeNull()
    await take(rootOf(1), toolOf(1, 1))
    expect(await closer.preview(traceIdOf(1))).toMatchObject([{ span_count: 2, revision: 1 }])
    expect(closer.get(traceIdOf(1))).toEqual({
      traceId: traceIdOf(1),
      firstSeenMs: NOON_MS,
      lastSeenMs: NOON_MS,
      spanCount: 2,
      closesMs: NOON_MS + 5_000,
      revision: 0,
    })
    await pass(5_000)
    expect(await closer.preview(traceIdOf(1))).toBeNull()
    expect(closer.get(traceIdOf(1))).toBeNull()
  })
})

describe('spans that go on', () => {
  it('go once: after ten seconds where the trace is open, else when it is closed', async () => {
    const gone: (readonly [isOpen: boolean, bodies: number])[] = []
    const { take, pass, closer, store } = await startCloser({
      forwardBody: (trace, _judged, isOpen) => {
        const bodies = trace.numbers.filter((number) => number > trace.forwardedChunk)
        gone.push([isOpen, bodies.length])
        return Buffer.from('spans')
      },
    })
    await take(toolOf(1, 1))
    await pass(9_999)
    await closer.forwardDue()
    expect(gone).toEqual([])
    await pass(1)
    await closer.forwardDue()
    await closer.forwardDue()
    expect(gone).toEqual([[true, 1]])
    await take(rootOf(1))
    await pass(5_000)
    await closer.forwardDue()
    expect(gone).toEqual([
      [true, 1],
      [false, 1],
    ])
    expect(store.queuedForwards(10)).toHaveLength(2)
  })
})

describe('spans that could not go on', () => {
  it('are tried again while their trace is open', async () => {
    let fails = true
    const { take, pass, closer, store, errors } = await startCloser({
      forwardBody: () => {
        if (fails) throw new Error('broken')
        return Buffer.from('spans')
      },
    })
    await take(toolOf(1, 1))
    await pass(10_000)
    await closer.forwardDue()
    expect(errors).toHaveLength(1)
    fails = false
    await closer.forwardDue()
    expect(store.queuedForwards(10)).toHaveLength(0)
    await pass(1_000)
    await closer.forwardDue()
    await closer.forwardDue()
    expect(store.queuedForwards(10)).toHaveLength(1)
    expect(closer.list(10)).toHaveLength(1)
  })
})

/** A store that fails at what it is asked for of some traces. */
function failFor(store: ReportStore, fails: (traceId: string) => boolean): ReportStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'readTrace') {
        return (traceId: string) => {
          if (fails(traceId)) throw new Error('broken')
          return target.readTrace(traceId)
        }
      }
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
}

describe('a trace that cannot be reported', () => {
  it('holds no other up, and is tried again after ever longer times', async () => {
    const real = await startCloser()
    let attempts = 0
    let isBroken = true
    const store = failFor(real.store, (traceId) => {
      if (traceId !== traceIdOf(1)) return false
      attempts++
      return isBroken
    })
    const { take, pass, errors, closer } = await startCloser({ store })
    await take(rootOf(1))
    await take(rootOf(2))
    await pass(5_000)
    expect(real.report(2)).toMatchObject({ completeness: 'complete' })
    expect(real.report(1)).toBeNull()
    expect(errors).toEqual([`trace ${traceIdOf(1)} could not be reported and is tried again`])
    await pass(999)
    expect(attempts).toBe(1)
    await pass(1)
    expect(attempts).toBe(2)
    await pass(1_999)
    expect(attempts).toBe(2)
    await pass(1)
    expect(attempts).toBe(3)
    isBroken = false
    await pass(4_000)
    expect(real.report(1)).toMatchObject({ completeness: 'complete', revision: 1 })
    expect(closer.list(10)).toEqual([])
  })
})

describe('a service that is started again', () => {
  it('reports what was open, counting from the start', async () => {
    const path = newStorePath()
    const before = await startCloser({ path })
    await before.take(rootOf(1), toolOf(1, 1))
    await before.take(toolOf(2, 1))
    await before.take(rootOf(3))
    await before.pass(5_000)
    await before.take(toolOf(3, 2))
    await before.store.close()
    const { closer, pass, report } = await startCloser({ path, nowMs: NOON_MS + HOUR_MS })
    closer.recover()
    expect(closer.list(10).map(({ traceId, revision }) => [traceId, revision])).toEqual([
      [traceIdOf(2), 0],
      [traceIdOf(3), 1],
    ])
    await pass(4_999)
    expect(report(3)).toMatchObject({ revision: 1, span_count: 1 })
    await pass(1)
    expect(report(1)).toMatchObject({ revision: 1, span_count: 2 })
    expect(report(3)).toMatchObject({ revision: 2, span_count: 2 })
    expect(report(2)).toBeNull()
    await pass(HOUR_MS / 2)
    expect(report(2)).toMatchObject({ completeness_reason: 'idle' })
  })

  it('reports what came before the clock was set back while it was away', async () => {
    const path = newStorePath()
    const before = await startCloser({ path })
    await before.take(rootOf(1))
    await before.store.close()
    const { closer, pass, report } = await startCloser({ path, nowMs: NOON_MS - 10 * HOUR_MS })
    closer.recover()
    await pass(5_000)
    expect(report(1)).toMatchObject({ completeness: 'complete' })
  })
})

describe('a clock that is set', () => {
  it('back keeps no trace open any longer, and no time of it goes back', async () => {
    const { take, pass, setClock, report, closer } = await startCloser()
    await take(rootOf(1))
    await pass(3_000)
    setClock(NOON_MS - HOUR_MS)
    await take(toolOf(1, 1))
    const view = closer.get(traceIdOf(1))
    expect(view?.lastSeenMs).toBeGreaterThanOrEqual(NOON_MS)
    await pass(4_999)
    expect(report(1)).toBeNull()
    await pass(1)
    expect(report(1)).toMatchObject({ completeness: 'complete', span_count: 2 })
  })

  it('forward closes what is open, and what comes later amends the report', async () => {
    const { take, pass, setClock, report, now } = await startCloser()
    await take(toolOf(1, 1))
    setClock(now() + 48 * HOUR_MS)
    await pass(0)
    expect(report(1)).toMatchObject({ completeness_reason: 'idle' })
    await take(rootOf(1))
    await pass(5_000)
    expect(report(1)).toMatchObject({ completeness: 'amended', revision: 2 })
  })
})

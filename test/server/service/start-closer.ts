import { onTestFinished } from 'vitest'
import { decodeRequest } from '../../../src/otlp/decode-request.ts'
import { scanRequest } from '../../../src/otlp/scan-request.ts'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { defaultRules } from '../../../src/rules/rules.ts'
import type { JudgeParts } from '../../../src/server/judge-trace.ts'
import { LocalJudge } from '../../../src/server/local-judge.ts'
import { openStore } from '../../../src/server/open-store.ts'
import type { ReportStore } from '../../../src/server/report-store.ts'
import { type CloserOptions, TraceCloser } from '../../../src/server/trace-closer.ts'
import { agent, model, spanId, tool } from '../../chain/trace-script.ts'
import { type SdkSpanFields, toMessage } from '../../otlp/sdk-span.ts'

/** When the tests begin: 2026-11-30T12:00:00Z. */
export const NOON_MS = 1_796_040_000_000

/** The id of a trace by its number. */
export const traceIdOf = (trace: number): string => trace.toString(16).padStart(32, '0')

/** A span of an agent that has no parent. */
export function rootOf(trace: number, more: Partial<SdkSpanFields> = {}): SdkSpanFields {
  return {
    traceId: traceIdOf(trace),
    spanId: spanId('root'),
    name: 'invoke_agent shop',
    startTime: [1_796_040_000, 0],
    endTime: [1_796_040_009, 0],
    attributes: agent('shop'),
    ...more,
  }
}

/** A tool call below the root. */
export function toolOf(trace: number, at: number, more: Partial<SdkSpanFields> = {}): SdkSpanFields {
  return {
    traceId: traceIdOf(trace),
    spanId: spanId(`tool ${at}`),
    parentSpanId: spanId('root'),
    name: `execute_tool look_up`,
    startTime: [1_796_040_000 + at, 0],
    endTime: [1_796_040_000 + at, 5],
    attributes: tool('look_up', { at }, { found: at }),
    ...more,
  }
}

/** A model call below the root. */
export function modelOf(trace: number, more: Partial<SdkSpanFields> = {}): SdkSpanFields {
  return toolOf(trace, 8, { spanId: spanId('model'), name: 'chat', attributes: model('Done.'), ...more })
}

/** A closer, the store that it writes to, and a clock that stands still until it is told. */
export interface StartedCloser {
  readonly closer: TraceCloser
  readonly store: ReportStore
  readonly errors: string[]
  readonly take: (...spans: readonly SdkSpanFields[]) => Promise<void>
  /** Lets time pass, then closes what is due. */
  readonly pass: (millis: number) => Promise<void>
  /** Sets the clock, without closing anything. */
  readonly setClock: (nowMs: number) => void
  readonly now: () => number
  /** The latest report of a trace with one chain; `null` where it has none. */
  readonly report: (trace: number) => ChainReport | null
  /** Ids of the spans that are stored of a trace, in their order, copies too. */
  readonly spanIds: (trace: number) => readonly string[]
}

/** Starts a closer. */
export async function startCloser(
  options: Partial<CloserOptions> &
    Partial<JudgeParts> & { readonly path?: string; readonly nowMs?: number } = {},
): Promise<StartedCloser> {
  const { path = ':memory:', nowMs = NOON_MS, ...limits } = options
  const { rules = defaultRules, spansPerTrace = 100_000, forwardBody = null, ...closing } = limits
  let clockMs = nowMs
  const now = (): number => clockMs
  const store = await openStore({ path, now })
  onTestFinished(() => store.close())
  const errors: string[] = []
  const onError = (message: string): void => void errors.push(message)
  const judge = new LocalJudge(closing.store ?? store, { rules, spansPerTrace, forwardBody })
  const forwardAfterMillis = forwardBody === null ? null : 10_000
  const closer = new TraceCloser({ now, onError, store, judge, forwardAfterMillis, ...closing })
  return {
    closer,
    store,
    errors,
    now,
    setClock: (ms) => {
      clockMs = ms
    },
    take: (...spans) => closer.take(scanRequest(toMessage(...spans))),
    pass: async (millis) => {
      clockMs += millis
      while (await closer.closeDue());
    },
    report: (trace) => {
      const [chain] = store.listChains({ traceId: traceIdOf(trace) }, 10, null)
      const found = chain === undefined ? null : store.getReport(chain.name)
      return found === null ? null : (JSON.parse(found.json) as ChainReport)
    },
    spanIds: (trace) =>
      (store.readTrace(traceIdOf(trace))?.bodies ?? []).flatMap((body) =>
        decodeRequest(body).spans.map((span) => span.spanContext().spanId),
      ),
  }
}

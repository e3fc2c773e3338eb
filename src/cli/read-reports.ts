import { indexTraces } from '../otlp/index-traces.ts'
import { TraceCollector } from '../pipeline/trace-collector.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import type { SpanView } from '../steps/span-view.ts'
import { ClosingPlan } from './closing-plan.ts'
import type { ReadProblem } from './read-problem.ts'
import { readSpans, type SpanItem, type SpanSource } from './read-spans.ts'
import type { ReportInput } from './report-input.ts'
import { isSystemError } from './system-error.ts'

/** How inputs are read. */
export interface ReadReportsOptions {
  /** Only this trace, by its id in lower case; the spans of others are counted and passed over. */
  readonly traceId?: string | null
  /**
   * What is asked of the runs.
   *
   * @default no rules: the built-in checks alone
   */
  readonly rules?: Rules
  /** Told how many stored bytes have been read; {@link countPasses} says how often each byte comes. */
  readonly onBytes?: (count: number) => void
  /** Given each span that is judged, while its content is still there. */
  readonly onSpan?: (span: SpanView) => void
  /**
   * Up to how many bytes of input all traces are held until the end; packed ones count eight times.
   *
   * @default 67108864 (64 MiB)
   */
  readonly onePassBytes?: number
}

/** What was read, in numbers. */
export interface ReadCounts {
  readonly inputs: number
  readonly spans: number
  /** Spans that were left out, since their ids or times could not be read. */
  readonly rejectedSpans: number
  /** Spans that came when their trace was closed already; 0 unless an exporter writes its keys with escapes. */
  readonly lateSpans: number
  /** Documents of metrics, logs or profiles. */
  readonly signalDocuments: number
  /** Chain reports among the inputs. */
  readonly reportDocuments: number
}

/** What comes of reading: problems where they were met, reports as soon as their trace is over, at last the counts. */
export type ReadItem =
  | { readonly kind: 'report'; readonly report: ChainReport }
  | { readonly kind: 'problem'; readonly problem: ReadProblem }
  | { readonly kind: 'end'; readonly counts: ReadCounts }

/**
 * Reads inputs and builds the reports of all traces in them. A trace may be spread over any inputs in any order, its
 * reports are the same.
 *
 * Small inputs and streams are read once, all traces are held, and the reports come in the order of the first start
 * in each trace, then of trace id. Of larger files the traces are looked up first, then each trace is closed as soon
 * as its last span has been read, so that memory is that of the traces open at one time; the reports come in the
 * order in which the traces end in the inputs. What is appended to a file after it has been looked through is left
 * for the next time.
 *
 * @yields See {@link ReadItem}.
 */
export async function* readReports(
  inputs: readonly ReportInput[],
  options: ReadReportsOptions = {},
): AsyncGenerator<ReadItem> {
  const lookUp = countPasses(inputs, options) === 2 ? await lookThrough(inputs, options) : null
  const reading = new Reading(lookUp?.plan ?? null, options)
  for await (const item of readSpans(lookUp?.sources ?? openAll(inputs, options))) {
    for (const problem of item.problems) yield { kind: 'problem', problem }
    reading.take(item)
    for (const report of reading.closePassed(item)) yield { kind: 'report', report }
  }
  for (const report of reading.closeAll()) yield { kind: 'report', report }
  yield { kind: 'end', counts: reading.counts }
}

/** How often each input will be read: twice where holding all traces could take too much memory. */
export function countPasses(inputs: readonly ReportInput[], options: ReadReportsOptions = {}): 1 | 2 {
  // Of a single trace no more is held than of a small input.
  if (typeof options.traceId === 'string') return 1
  let total = 0
  for (const { bytes, packed } of inputs) {
    if (bytes === null) return 1
    total += packed ? bytes * PACKING_RATIO : bytes
  }
  return total > (options.onePassBytes ?? ONE_PASS_BYTES) ? 2 : 1
}

const ONE_PASS_BYTES = 64 * 1024 * 1024
/** OTLP/JSON packs to a tenth and better. */
const PACKING_RATIO = 8

function openAll(inputs: readonly ReportInput[], { onBytes }: ReadReportsOptions): readonly SpanSource[] {
  return inputs.map((input) => ({ name: input.name, chunks: input.open(onBytes) }))
}

interface LookUp {
  readonly plan: ClosingPlan
  /** The same bytes again. */
  readonly sources: readonly SpanSource[]
}

async function lookThrough(inputs: readonly ReportInput[], { onBytes }: ReadReportsOptions): Promise<LookUp> {
  const sizes: number[] = inputs.map(() => 0)
  const tell = (count: number, at: number): void => {
    sizes[at] = (sizes[at] ?? 0) + count
    onBytes?.(count)
  }
  const index = await indexTraces(
    inputs.map((input, at) => untilUnreadable(input.open((count) => tell(count, at)))),
  )
  const sources = inputs.map((input, at) => ({
    name: input.name,
    chunks: takeBytes(input.open(onBytes), sizes[at] ?? 0),
  }))
  return { plan: new ClosingPlan(index), sources }
}

/** @yields The chunks up to an error of the system, which is told when they are read for the spans. */
async function* untilUnreadable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

/**
 * A file may grow between two readings, and what goes on in the new part has not been looked up.
 *
 * @yields The first `limit` bytes.
 */
async function* takeBytes(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const chunk of chunks) {
    if (chunk.byteLength >= left) {
      yield chunk.subarray(0, left)
      return
    }
    left -= chunk.byteLength
    yield chunk
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The traces that are open while inputs are read. */
class Reading {
  readonly counts: Mutable<ReadCounts> = {
    inputs: 0,
    spans: 0,
    rejectedSpans: 0,
    lateSpans: 0,
    signalDocuments: 0,
    reportDocuments: 0,
  }
  readonly #collector: TraceCollector
  readonly #plan: ClosingPlan | null
  readonly #options: ReadReportsOptions

  constructor(plan: ClosingPlan | null, options: ReadReportsOptions) {
    this.#collector = new TraceCollector(options.rules === undefined ? {} : { rules: options.rules })
    this.#plan = plan
    this.#options = options
  }

  take({ kind, spans, rejectedSpans, rejectedTraces }: SpanItem): void {
    const { counts } = this
    counts.spans += spans.length
    counts.rejectedSpans += rejectedSpans
    if (kind === 'end') counts.inputs += 1
    if (kind === 'signals') counts.signalDocuments += 1
    if (kind === 'report') counts.reportDocuments += 1
    for (const span of spans) this.#takeSpan(span)
    for (const traceId of rejectedTraces) this.#collector.reject(traceId)
  }

  closePassed(reader: SpanItem): readonly ChainReport[] {
    const passed = this.#plan?.takePassed(reader) ?? []
    const evicted = this.#collector.takeEvicted()
    return [...evicted, ...passed.flatMap((traceId) => this.#collector.close(traceId))]
  }

  /** @yields The reports of what is still open, built one trace after the other. */
  *closeAll(): Generator<ChainReport> {
    for (const traceId of this.#collector.openTracesByStart()) yield* this.#collector.close(traceId)
  }

  #takeSpan(span: SpanView): void {
    const { traceId } = span.spanContext()
    const { traceId: wanted = null, onSpan } = this.#options
    if (wanted !== null && traceId !== wanted) return
    if (this.#plan?.isClosed(traceId) === true) {
      this.counts.lateSpans += 1
      return
    }
    this.#plan?.open(traceId)
    onSpan?.(span)
    const late = this.#collector.lateSpans
    this.#collector.add(span)
    this.counts.lateSpans += this.#collector.lateSpans - late
  }
}

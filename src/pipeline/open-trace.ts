import { recordOpenStep } from '../chain/record-open-step.ts'
import type { StepRecord } from '../chain/step-record.ts'
import { TraceRecords } from '../chain/trace-records.ts'
import { reportsTokens } from '../chain/usage-below.ts'
import type { CompletenessReason } from '../report/chain-report.ts'
import type { Rules } from '../rules/rules.ts'
import { readStep } from '../steps/read-step.ts'
import { isAgentStep, type OpenSpan } from '../steps/step.ts'
import { type SpanView, toNanoseconds } from '../steps/span-view.ts'
import { LiveChain } from './live-chain.ts'
import { type JudgedChain, settleTrace } from './settle-trace.ts'
import type { Above, SpanEntry } from './span-entry.ts'
import type { TraceWatcher } from './trace-watcher.ts'

/** How often, on average, a span may be folded again for the totals on further roots of the same trace: 8 times. */
const REFOLDS = 8

/** Open spans that a root names at most: 32. */
const NAMED_OPEN_SPANS = 32

/** One trace that this process records, from its first span until it is forgotten. */
export class OpenTrace {
  readonly traceId: string
  readonly rules: Rules
  readonly records: TraceRecords
  /** Spans that have started and not ended, by id. */
  readonly open: Map<string, SpanEntry> = new Map()
  /** Who gets its reports. */
  readonly watchers: Set<TraceWatcher> = new Set()
  /** Monotonic, in milliseconds. */
  lastActivity: number
  /** When it is closed unless something comes in between; `null` while it is not complete. */
  settleAt: number | null = null
  /** Before that it is not reported again unless somebody asks for it. */
  restUntil = 0
  /** Of the last report; 0 before. */
  revision = 0
  /** A step has come since the last report. */
  changed = false
  hasSteps = false
  checkErrors = 0
  overLimit = 0
  /** Spans that could not be read: what they hold throws. */
  unreadable = 0
  /** Spans of the same trace that were held when it was forgotten before. */
  spansBefore = 0
  readonly #chains = new Map<string, LiveChain>()
  readonly #awaited = new Set<string>()
  readonly #responses = new Map<string, StepRecord>()
  /** `null` where something has come since it was taken. */
  #stock: Stock | null = null
  #foldedSpans = 0

  constructor(traceId: string, rules: Rules, now: number) {
    this.traceId = traceId
    this.rules = rules
    this.records = new TraceRecords(traceId)
    this.lastActivity = now
  }

  /** Files a span that has started. */
  start(entry: SpanEntry): void {
    this.open.set(entry.spanId, entry)
    this.#stock = null
  }

  /** Files a span that has ended. */
  end(record: StepRecord): void {
    this.open.delete(record.spanId)
    this.records.add(record)
    this.#stock = null
    // Spans of a server or a queue that end after the agent make no new report of it.
    if (isAgentStep(record)) this.hasSteps = this.changed = true
  }

  /** Lets go of a span that has ended and only stood in for another one. */
  drop(spanId: string): void {
    if (this.open.delete(spanId)) this.#stock = null
  }

  /** Lets go of a span that has ended and of which nothing is known, as it could not be read. */
  reject(entry: SpanEntry): void {
    if (!this.open.delete(entry.spanId)) return
    entry.end(false)
    this.unreadable++
    this.#stock = null
  }

  /** Notes that the parent of a span must come, where it is of this process and has not come yet. */
  awaitParent({ spanId, parentSpanId, remoteParent }: StepRecord): void {
    this.#awaited.delete(spanId)
    if (parentSpanId === null || remoteParent || this.records.has(parentSpanId)) return
    this.#awaited.add(parentSpanId)
  }

  get awaitsParents(): boolean {
    return this.#awaited.size > 0
  }

  /** The guards over the chain of a step. */
  chainOf(chainId: string, record: StepRecord): LiveChain {
    let chain = this.#chains.get(chainId)
    if (chain === undefined) {
      chain = new LiveChain(this.rules, this.#firstStart(record.startNs))
      this.#chains.set(chainId, chain)
    }
    return chain
  }

  /** The earliest start that is known when the first step of a chain ends: its root is open, or this is the root. */
  #firstStart(startNs: bigint): bigint {
    let first = startNs
    for (const entry of this.open.values()) {
      if (entry.span === null || !entry.isAgent) continue
      const start = toNanoseconds(entry.span.startTime)
      if (start < first) first = start
    }
    return first
  }

  /**
   * What an earlier step of the trace that is not below it has told of a model step with the same answer: `nothing`,
   * `call` where that reported no tokens and this one does, else `all`.
   */
  toldBefore(record: StepRecord): 'nothing' | 'call' | 'all' {
    const { kind, responseId, spanId, usage } = record
    if (kind !== 'model' || responseId === null) return 'nothing'
    const first = this.#responses.get(responseId)
    if (first === undefined) this.#responses.set(responseId, record)
    if (first === undefined || this.#isInside(first.spanId, spanId)) return 'nothing'
    if (reportsTokens(first.usage) || !reportsTokens(usage)) return 'all'
    this.#responses.set(responseId, record)
    return 'call'
  }

  #isInside(spanId: string, topId: string): boolean {
    let at: string | null = spanId
    for (let steps = 0; at !== null && steps <= this.records.size; steps++) {
      if (at === topId) return true
      at = this.records.get(at)?.parentSpanId ?? null
    }
    return false
  }

  /** True where a step of an agent stands above the entry, open or not. */
  hasAgentAbove(entry: SpanEntry): boolean {
    if (entry.agentAbove() !== null) return true
    const size = this.records.size + this.open.size
    for (let steps = 0, at = entry.parentSpanId; at !== null && steps < size; steps++) {
      const record = this.records.get(at)
      if (record !== undefined && isAgentStep(record)) return true
      at = (record ?? this.open.get(at))?.parentSpanId ?? null
    }
    return false
  }

  /** What stands above a span that starts, whose parent may have ended before. */
  findAbove(parentSpanId: string | null): Above {
    let chainId: string | null = null
    for (let steps = 0, at = parentSpanId; at !== null && steps <= this.records.size; steps++) {
      const entry = this.open.get(at)
      if (entry !== undefined) return { entry, chainId: chainId ?? entry.chainId }
      const record = this.records.get(at)
      chainId ??= record?.chainId ?? null
      at = record?.parentSpanId ?? null
    }
    return { entry: null, chainId }
  }

  /** Nothing is open that is a step of an agent or stands below one; plain spans above all steps may go on. */
  get isQuiet(): boolean {
    for (const entry of this.open.values()) if (this.#isActive(entry)) return false
    return true
  }

  /** The same of one chain; `null` is the default chain of the trace. */
  isQuietIn(chainId: string | null): boolean {
    for (const entry of this.open.values()) {
      if (entry.chainId === chainId && this.#isActive(entry)) return false
    }
    return true
  }

  #isActive(entry: SpanEntry): boolean {
    return entry.isAgent || this.hasAgentAbove(entry)
  }

  /** Why its reports are incomplete whatever its spans say; `null` where they are not. */
  get incompleteness(): CompletenessReason | null {
    if (this.overLimit > 0) return 'step_limit'
    if (this.unreadable > 0) return 'rejected_spans'
    return this.spansBefore > 0 ? 'resumed' : null
  }

  /** The steps of an agent that are open below a root that ends. */
  openBelow(root: SpanEntry): readonly OpenSpan[] {
    const found: OpenSpan[] = []
    for (const entry of this.open.values()) {
      if (found.length === NAMED_OPEN_SPANS) break
      if (entry === root || entry.span === null || !entry.isAgent || !isWithin(entry, root)) continue
      const { span, spanId, parentSpanId } = entry
      found.push({ spanId, parentSpanId, name: span.name, startNs: toNanoseconds(span.startTime) })
    }
    return found
  }

  /**
   * The chains of what has come so far, for the totals on a root.
   *
   * @param isProvisional more is to come: half of the times are kept for when nothing is
   * @returns `null` where a trace with many roots has been folded too often already
   */
  judgeSoFar(isProvisional: boolean): readonly JudgedChain[] | null {
    if (this.#stock === null) {
      // What is open is folded, too.
      const size = this.records.size + this.open.size
      const times = isProvisional ? REFOLDS / 2 : REFOLDS
      if (this.#foldedSpans + size > times * size) return null
      this.#foldedSpans += size
    }
    return this.takeStock().judged
  }

  /** Forgets the fold, which is of no more use once the trace has been reported, and larger than the records. */
  dropStock(): void {
    this.#stock = null
  }

  /** What the trace is reported by: the spans that have ended, and those that are open as far as they are known. */
  takeStock(): Stock {
    if (this.#stock === null) {
      const open = this.#recordOpen()
      const records = open.length === 0 ? this.records : this.records.with(open)
      this.#stock = { records, judged: settleTrace(records, this.rules) }
    }
    return this.#stock
  }

  /** A step that a root names as open is told by that, as every other reader of the root tells it. */
  #recordOpen(): readonly StepRecord[] {
    if (this.open.size === 0) return []
    const named = new Set<string>()
    let lastNs = 0n
    for (const { openSpans, endNs } of this.records.values()) {
      for (const { spanId } of openSpans) named.add(spanId)
      if (endNs > lastNs) lastNs = endNs
    }
    return [...this.open.values()].flatMap(({ span, spanId }) =>
      span === null || named.has(spanId) ? [] : recordIfReadable(span, lastNs),
    )
  }
}

/** A trace at one moment: its spans, and the chains that they make. */
export interface Stock {
  readonly records: TraceRecords
  readonly judged: readonly JudgedChain[]
}

/** Of a span that cannot be read nothing is told before it ends. */
function recordIfReadable(span: SpanView, lastNs: bigint): readonly StepRecord[] {
  try {
    return [recordOpenStep(readStep(span), lastNs)]
  } catch {
    return []
  }
}

function isWithin(entry: SpanEntry, top: SpanEntry): boolean {
  for (let above = entry.parent; above !== null; above = above.parent) if (above === top) return true
  return false
}

import type { PackedReport } from './packed-report.ts'

/** The spans of one trace that one request brought. */
export interface TraceChunk {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** An `ExportTraceServiceRequest` in protobuf that holds these spans and no others, their bytes as they came. */
  readonly body: Buffer
  readonly spanCount: number
  /** Spans of the trace that could not be read, and are not in the body. */
  readonly rejectedSpans: number
}

/** What is stored of a trace, in the order in which it came. */
export interface StoredTrace {
  readonly traceId: string
  /** Each as in {@link TraceChunk}; what was compacted comes first. */
  readonly bodies: readonly Buffer[]
  /** For each body the number of the last chunk in it; what is at most `forwardedChunk` went on to the queue. */
  readonly numbers: readonly number[]
  readonly rejectedSpans: number
  /** Number of the last chunk that is in `bodies`; chunks are numbered upwards over all traces. */
  readonly lastChunk: number
  /** Number of the last chunk that went on to the forwarding queue; 0 where none did. */
  readonly forwardedChunk: number
  /** Revision of its reports; 0 where it was never reported. */
  readonly revision: number
  /** Spans of it were removed for their age: those that are here are not all that its reports have seen. */
  readonly wasCut?: boolean
}

/** A trace of which spans are stored that no report has seen. */
export interface UnreportedTrace {
  readonly traceId: string
  /** When its first and its last span came, in milliseconds since the Unix epoch. */
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  /** It has been reported before. */
  readonly revision: number
}

/** What becomes of a trace when its reports are made; stored as a whole or not at all. */
export interface TraceCommit {
  readonly traceId: string
  /** The reports of its chains. Empty leaves those that are stored as they are. */
  readonly reports: readonly PackedReport[]
  /** The last chunk that the reports have seen: later ones leave the trace unreported. */
  readonly lastChunk: number
  /** Takes the place of all chunks up to `lastChunk`: each span once. `null` leaves them as they are. */
  readonly compacted: Uint8Array | null
  readonly rejectedSpans: number
  /** A body for the forwarding queue, with the spans up to `lastChunk` that were not forwarded before. */
  readonly forward: Uint8Array | null
  readonly nowMs: number
}

/** Spans that go on before their trace is reported. */
export interface EarlyForward {
  readonly traceId: string
  /** The last chunk whose spans are in the body. */
  readonly lastChunk: number
  readonly body: Uint8Array
  readonly nowMs: number
}

/** A body that waits to be forwarded. */
export interface QueuedForward {
  readonly id: number
  readonly traceId: string
  readonly body: Buffer
  readonly attempts: number
  readonly queuedMs: number
}

/** Which chains are asked for; what is absent is not asked. */
export interface ChainFilter {
  readonly status?: readonly string[]
  readonly service?: string
  readonly agent?: string
  /** A chain in which this node is; with `nodeStatus`, in which it has this state. */
  readonly node?: string
  readonly nodeStatus?: string
  /** A finding of this code, of whatever severity. */
  readonly finding?: string
  /** An alert of this type. */
  readonly alert?: string
  readonly taskId?: string
  readonly sessionId?: string
  readonly traceId?: string
  /** Start of the chain, in milliseconds since the Unix epoch: at or after, and before. */
  readonly fromMs?: number
  readonly toMs?: number
  /** US dollars, at least and at most; chains without a known cost are in neither. */
  readonly minCostUsd?: number
  readonly maxCostUsd?: number
}

/** Where a page ends: the next one begins behind it. Newest first, by start, then by name. */
export interface PageMark {
  readonly startedMs: number
  readonly name: string
}

/** One chain in a list. */
export interface StoredChain {
  /** `<trace id>-<chain hash>`. */
  readonly name: string
  readonly traceId: string
  readonly chainId: string
  readonly revision: number
  readonly status: string
  readonly completeness: string
  readonly summary: string
  readonly service: string | null
  readonly agent: string | null
  readonly taskId: string | null
  readonly sessionId: string | null
  readonly startedMs: number
  readonly endedMs: number
  readonly latencyMs: number
  readonly stepCount: number
  readonly tokenCount: number
  readonly costUsd: number | null
  readonly rootCauseNode: string | null
  readonly rootCauseCode: string | null
  readonly findings: readonly string[]
  readonly alerts: readonly string[]
  readonly digest: string
}

/** That a report of a chain was stored. */
export interface StoredChange {
  /** From 1, upwards over all chains and starts of the service; a number is never used again. */
  readonly number: number
  /** The chain as it is now. */
  readonly chain: StoredChain
}

/** A stored report, as it was written. */
export interface StoredReport {
  readonly name: string
  readonly revision: number
  readonly digest: string
  /** When it was stored, in milliseconds since the Unix epoch. */
  readonly storedMs: number
  /** The report as JSON text. */
  readonly json: string
}

/** One row of the statistics: what became of a node in an hour. */
export interface NodeHour {
  /** Start of the hour in UTC, in milliseconds since the Unix epoch. */
  readonly hourMs: number
  readonly node: string
  readonly status: string
  readonly chains: number
  readonly calls: number
  readonly retries: number
  readonly latencyMs: number
  readonly tokens: number
  readonly costUsd: number
}

/** Why the store could not do what was asked. */
export type StoreFault = 'full' | 'read_only' | 'corrupt' | 'busy' | 'io' | 'closed' | 'overloaded'

/** An operation of the store that failed. What had been acknowledged before is not touched by it. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly fault: StoreFault

  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

/** How much is kept. Reported traces are removed, the oldest first; what no report has seen is never removed. */
export interface Retention {
  /** Milliseconds since the last span of a trace. */
  readonly maxAgeMs?: number
  /** Bytes of the store on disk. */
  readonly maxBytes?: number
  /** Milliseconds since the last span of a trace after which its spans go, and its reports stay. */
  readonly maxSpanAgeMs?: number
}

/** How large the store is; quickly told. */
export interface StoreSize {
  /** Bytes on disk, the log beside the file too. */
  readonly bytes: number
  /** Bodies that wait to be forwarded. */
  readonly queuedForwards: number
}

/** Counts of what is stored. */
export interface StoreInfo {
  readonly path: string
  readonly driver: string
  readonly schemaVersion: number
  readonly bytes: number
  readonly traces: number
  readonly unreportedTraces: number
  readonly chunks: number
  readonly chains: number
  /** Reports that a newer one has taken the place of. */
  readonly revisions: number
  readonly queuedForwards: number
  /** Start of the oldest and the newest chain, in milliseconds since the Unix epoch; `null` where there is none. */
  readonly oldestMs: number | null
  readonly newestMs: number | null
}

/**
 * Where spans and reports are kept. What was acknowledged survives the end of the process at any moment, and a loss of
 * power. Every method may throw or reject with {@link StoreError}.
 */
export interface ReportStore {
  /**
   * Appends what a request brought. Requests that come together are written together.
   *
   * @returns the number of the last of its chunks, once all of them are durable
   */
  append(chunks: readonly TraceChunk[], nowMs: number): Promise<number>
  /** Bytes that wait to be written. */
  readonly pendingBytes: number
  /** Traces of which there are chunks that no report has seen, the first seen first. */
  unreported(): readonly UnreportedTrace[]
  /** The revision of the reports of a trace; 0 where it has none. */
  revisionOf(traceId: string): number
  /** `null` where nothing of the trace is stored. */
  readTrace(traceId: string): StoredTrace | null
  /** Stores reports, compacts, and queues for forwarding, all or nothing. Durable when it returns. */
  commitTrace(commit: TraceCommit): void
  /** The same for several traces in one transaction: all of them or none. */
  commitTraces(commits: readonly TraceCommit[]): void
  /** Queues spans of a trace that is not reported yet for forwarding, and notes that they went: all or nothing. */
  queueForward(forward: EarlyForward): void
  listChains(filter: ChainFilter, limit: number, after: PageMark | null): readonly StoredChain[]
  /** The chains of a trace. */
  getChain(name: string): StoredChain | null
  /**
   * Chains whose latest report was stored after a change, in the order in which they were stored, each once. Those that
   * are no longer kept are left out.
   */
  listChanges(after: number, limit: number): readonly StoredChange[]
  /** Number of the last change; 0 before the first one. */
  lastChange(): number
  /** @param revision the latest one where it is left out */
  getReport(name: string, revision?: number): StoredReport | null
  /** All that are stored, the newest first. */
  listRevisions(name: string): readonly Omit<StoredReport, 'json'>[]
  /** By hour and node, of chains that started in the time; the filter counts as in `listChains`. */
  countNodes(filter: ChainFilter): readonly NodeHour[]
  /** How many chains there are by status. */
  countChains(filter: ChainFilter): Readonly<Record<string, number>>
  /** The oldest first. */
  queuedForwards(limit: number): readonly QueuedForward[]
  /** It has arrived, or is given up. */
  removeForward(id: number): void
  /** It has failed once more. */
  noteForwardAttempt(id: number): void
  /**
   * Removes what is kept no longer. Works for some 50 ms at most: as long as it returns more than 0, it is to be called
   * again.
   *
   * @returns how many traces were removed or have lost their spans
   */
  retain(retention: Retention, nowMs: number): number
  /** Gives free space back to the disk. */
  compact(): void
  /** What is wrong with the file or with any report in it; empty where nothing is. */
  verify(): readonly string[]
  /** Counts everything, which takes the longer the more there is. */
  info(): StoreInfo
  size(): StoreSize
  /** Throws where nothing can be written now. */
  probe(): void
  /** Writes what waits, and closes the file. */
  close(): Promise<void>
}

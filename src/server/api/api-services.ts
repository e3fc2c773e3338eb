import type { MetricSource } from '../metric-source.ts'
import type { OpenTraces } from '../open-traces.ts'
import type { ReportFeed } from '../report-feed.ts'
import type { EventHub } from './event-hub.ts'
import type { ReportReader } from './report-reader.ts'

/** How the service is, as far as it can be asked without trying. */
export interface ServiceState {
  /** It has been told to end. */
  readonly isShuttingDown: boolean
  /** It refuses spans, since it holds as many as it may. */
  readonly isIntakeFull: boolean
}

/** What the read API reads from. */
export interface ApiSources {
  readonly store: ReportReader
  readonly openTraces: OpenTraces
  readonly feed: ReportFeed
  /** Asked at each call. */
  readonly state: ServiceState
  /** In the order in which their metrics are written; of two metrics of one name the samples are written together. */
  readonly metricSources: readonly MetricSource[]
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Answers with stored spans, which hold whatever was recorded: prompts, arguments, results.
   *
   * @default true
   */
  readonly showSpans?: boolean
}

/** What the routes work with. */
export interface ApiServices extends Required<ApiSources> {
  readonly events: EventHub
}

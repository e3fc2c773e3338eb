/** One value of a metric. */
export interface MetricSample {
  /** Few and of few values: never ids, names or paths from spans. */
  readonly labels?: Readonly<Record<string, string>>
  /** Which part of a histogram it is. */
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly value: number
}

/** A metric as it is now. */
export interface Metric {
  /** As Prometheus wants it: letters, digits and underscores; the unit and, of counters, `_total` at the end. */
  readonly name: string
  /** What it counts, in one line. */
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly MetricSample[]
}

/** A part of the service that counts. */
export interface MetricSource {
  /** Called for each scrape; quick, and without side effects. */
  metrics(): readonly Metric[]
}

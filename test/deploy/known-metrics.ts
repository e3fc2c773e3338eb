// What the dashboard and the alerts may ask for that does not come from the report service. Each name was seen at, or
// is documented by, the program of the version that docker-compose.yml names.

/** Labels by metric. */
export const knownMetrics: Readonly<Record<string, readonly string[]>> = {
  // Prometheus writes it for each target.
  up: [],
  // The Collector, v0.161.0, with a reader that names host and port: counters have no `_total` then.
  otelcol_exporter_queue_size: ['exporter', 'data_type'],
  otelcol_exporter_queue_capacity: ['exporter', 'data_type'],
  otelcol_receiver_accepted_spans: ['receiver', 'transport'],
  otelcol_receiver_refused_spans: ['receiver', 'transport'],
  // The metrics generator of Tempo; dimensions come to these labels.
  traces_spanmetrics_calls_total: ['service', 'span_name', 'span_kind', 'status_code'],
}

/** What Prometheus puts on everything that it asks for. */
export const scrapeLabels: readonly string[] = ['job', 'instance']

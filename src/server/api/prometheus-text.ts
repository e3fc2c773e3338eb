import type { Metric, MetricSample } from '../metric-source.ts'

/** The media type of what {@link writeMetrics} writes. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writes metrics in the text format of Prometheus, version 0.0.4. Metrics of one name are written as one, with the
 * help and type of the first; of two samples with the same labels the first stays.
 */
export function writeMetrics(metrics: readonly Metric[]): string {
  const byName = new Map<string, { readonly metric: Metric; readonly lines: Map<string, string> }>()
  for (const metric of metrics) {
    const name = toName(metric.name, /[^a-zA-Z0-9_:]/gu)
    const family = byName.get(name) ?? { metric, lines: new Map<string, string>() }
    byName.set(name, family)
    for (const sample of metric.samples) addSample(family.lines, name, sample)
  }
  return Array.from(byName, ([name, { metric, lines }]) => writeFamily(name, metric, lines)).join('')
}

function writeFamily(name: string, { help, type }: Metric, lines: ReadonlyMap<string, string>): string {
  const rows = Array.from(lines, ([series, value]) => `${series} ${value}\n`)
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${rows.join('')}`
}

function addSample(lines: Map<string, string>, family: string, sample: MetricSample): void {
  const { labels = {}, suffix = '', value } = sample
  const name = `${family}${suffix}`
  const pairs = Object.entries(labels)
    .map(
      ([label, text]) => `${toName(label, /[^a-zA-Z0-9_]/gu)}="${escapeText(text).replaceAll('"', '\\"')}"`,
    )
    .toSorted()
  const series = pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
  if (!lines.has(series)) lines.set(series, writeValue(value))
}

function toName(name: string, foreign: RegExp): string {
  return name.replace(foreign, '_').replace(/^(?=\d|$)/u, '_')
}

/** A carriage return is no end of a line there, but in some readers it is. */
function escapeText(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', ' ')
}

function writeValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

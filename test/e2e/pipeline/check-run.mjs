import assert from 'node:assert/strict'
import { readJaegerTrace } from './read-jaeger-trace.mjs'
import { readStoredReport, reportArchive } from './read-reports.mjs'
import { waitUntil } from './wait-until.mjs'

/**
 * Waits for the report of a run and compares it with that of the archive, and with that of the program where there is one.
 *
 * @param pipeline of `startPipeline`
 * @param {import('./senders.mjs').SentRun} sent what was sent
 * @returns the report
 */
export async function checkReports(pipeline, sent) {
  const stored = await waitUntil(`the report of ${sent.traceId}`, async () => {
    const report = await readStoredReport(pipeline, sent.traceId)
    return report?.span_count === sent.spans ? report : null
  })
  assert.notEqual(stored.completeness, 'partial')
  const archived = (await reportArchive(pipeline)).get(sent.traceId)
  assert.equal(archived?.digest, stored.digest, 'the report of the archive')
  if (sent.report !== undefined) assert.equal(sent.report.digest, stored.digest, 'the report of the program')
  return stored
}

/**
 * Waits until Jaeger has all spans of a run, and makes sure that it has each once.
 *
 * @param pipeline of `startPipeline`
 * @param {import('./senders.mjs').SentRun} sent what was sent
 * @returns {Promise<import('./read-jaeger-trace.mjs').JaegerSpan[]>} the spans
 */
export async function checkJaeger({ jaeger }, sent) {
  const spans = await waitUntil(`${sent.spans} spans of ${sent.traceId} in Jaeger`, async () => {
    const found = await readJaegerTrace(jaeger.url, sent.traceId)
    return found !== null && new Set(found.map(({ id }) => id)).size >= sent.spans ? found : null
  })
  assert.equal(spans.length, sent.spans, 'spans in Jaeger')
  return spans
}

/** Names of the spans that Jaeger shows in red. */
export const redNames = (spans) => spans.filter(({ isRed }) => isRed).map(({ name }) => name)

/** The alerts on a span. */
export const alertsOf = ({ events }) => events.filter(({ event }) => event === 'agent_reach.alert')

/** The one span of a name. */
export function findSpan(spans, name) {
  const found = spans.filter((span) => span.name === name)
  assert.equal(found.length, 1, `spans called ${name}`)
  return found[0]
}

/** The span without a parent of the run: the one of the agent as a whole. */
export const findRoot = (spans) => spans.find(({ name }) => name.startsWith('invoke_agent'))

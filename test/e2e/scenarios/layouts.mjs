// Programs in three languages, in both layouts: what they send comes to the report service, to the archive and to Jaeger.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { alertsOf, checkJaeger, checkReports, findRoot, findSpan, redNames } from '../pipeline/check-run.mjs'
import { readJaegerTrace } from '../pipeline/read-jaeger-trace.mjs'
import { runExample, runGo, runPython } from '../pipeline/senders.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

/** Longer than the decision of the sampler and what comes after it take. */
const SETTLED_MS = 4_000

/** Runs of the example agent, judged in the program and, in one of the layouts, once more on the way. */
export async function sendFromExample(layout, { folder, binaries }) {
  return withPipeline({ layout, folder, binaries }, async (pipeline) => {
    const faults = ['missing-status', 'circling-search', undefined]
    const runs = []
    for (const fault of faults) {
      const own = join(folder, fault ?? 'healthy')
      mkdirSync(own)
      runs.push(await runExample(pipeline.collector.url, fault, own))
    }
    for (const sent of runs) await checkReports(pipeline, sent)
    const [invalid, circling, healthy] = runs

    const broken = await checkJaeger(pipeline, invalid)
    assert.deepEqual(redNames(broken), ['ai.toolCall'])
    const red = broken.find(({ isRed }) => isRed)
    assert.equal(red.tags['ai.toolCall.name'], 'order_query')
    assert.equal(red.tags['agent_reach.node.status'], 'reached_invalid')
    assert.equal(red.tags['agent_reach.status.set'], true)
    assertRoot(findRoot(broken), layout, invalid.report)

    const looped = await checkJaeger(pipeline, circling)
    const alerts = looped.flatMap(alertsOf)
    assert.deepEqual([...new Set(alerts.map((alert) => alert['agent_reach.alert.type']))], ['loop'])
    assertRoot(findRoot(looped), layout, circling.report)
    return tell(pipeline, runs, healthy)
  })
}

function assertRoot({ tags, isRed }, layout, report) {
  assert.equal(isRed, false)
  assert.equal(tags['agent_reach.chain.status'], report.overall_status)
  assert.equal(tags['agent_reach.chain.provisional'], false)
  // The program was told of no template, the service was.
  const url = `https://reports.example/chains/${report.report_id.replace(/-1$/u, '')}`
  assert.equal(tags['agent_reach.report.url'], layout === 'through' ? url : undefined)
}

/** Runs of a program that knows nothing of agent-reach. */
async function sendPlain(layout, { folder, binaries }, run) {
  return withPipeline({ layout, folder, binaries }, async (pipeline) => {
    const runs = [await run(pipeline.collector, 'broken'), await run(pipeline.collector, 'healthy')]
    const [broken, healthy] = runs
    for (const sent of runs) assertSpanCount(await checkReports(pipeline, sent))
    const spans = await checkJaeger(pipeline, broken)
    if (layout === 'through') assertJudged(spans)
    else assertUntouched(spans)
    return tell(pipeline, runs, healthy)
  })
}

function assertSpanCount(report) {
  const isBroken = report.span_count === 10
  assert.equal(report.overall_status, isBroken ? 'partial_failed' : 'success')
  assert.equal(report.root_cause?.node_name, isBroken ? 'order_query' : undefined)
}

/** The tool that said in its result that it had failed is red, which it was not when it was sent. */
function assertJudged(spans) {
  assert.deepEqual(redNames(spans).sort(), ['execute_tool order_query', 'execute_tool refund'])
  const order = findSpan(spans, 'execute_tool order_query').tags
  assert.equal(order['agent_reach.node.status'], 'reached_invalid')
  assert.equal(order['agent_reach.node.findings'], '["error_in_result"]')
  assert.equal(order['agent_reach.status.set'], true)
  const refund = findSpan(spans, 'execute_tool refund').tags
  assert.equal(refund['agent_reach.node.status'], 'unreachable')
  assert.equal(refund['otel.status_description'], 'the till is closed')
  assert.equal(refund['agent_reach.status.set'], undefined)

  const alerts = spans.flatMap((span) => alertsOf(span).map((alert) => ({ span, alert })))
  assert.equal(alerts.length, 1)
  assert.equal(alerts[0].span.name, 'execute_tool policy_search')
  assert.equal(alerts[0].alert['agent_reach.alert.type'], 'loop')
  assert.equal(alerts[0].alert['agent_reach.loop.count'], 5)

  const { tags, isRed } = findRoot(spans)
  assert.equal(isRed, false)
  assert.equal(tags['agent_reach.chain.status'], 'partial_failed')
  assert.equal(tags['agent_reach.chain.root_cause'], 'order_query')
  assert.equal(tags['agent_reach.chain.provisional'], false)
  assert.match(
    tags['agent_reach.report.url'],
    /^https:\/\/reports\.example\/chains\/[0-9a-f]{32}-[0-9a-f]{8}$/u,
  )
}

/** What goes past the service is as it was sent. */
function assertUntouched(spans) {
  assert.deepEqual(redNames(spans), ['execute_tool refund'])
  assert.deepEqual(
    spans.flatMap(({ tags }) => Object.keys(tags)).filter((key) => key.startsWith('agent_reach.')),
    [],
  )
  assert.deepEqual(spans.flatMap(alertsOf), [])
}

/** Looks once more, when all has settled: nothing came twice, and a run that went well was left out. */
async function tell(pipeline, runs, healthy) {
  await sleep(SETTLED_MS)
  assert.equal(await readJaegerTrace(pipeline.jaeger.url, healthy.traceId), null)
  const kept = runs.filter((sent) => sent !== healthy)
  for (const sent of kept) await checkJaeger(pipeline, sent)
  const sum = (list) => list.reduce((total, { spans }) => total + spans, 0)
  return `${runs.length} runs, ${sum(runs)} spans; ${runs.length} reports; ${sum(kept)} spans in Jaeger, ${sum([healthy])} left out`
}

/** Runs of the sender in Python. */
export const sendFromPython = (layout, context) =>
  sendPlain(layout, context, (collector, kind) => runPython(context.binaries.python, collector, kind))

/** Runs of the sender in Go, one by each protocol. */
export const sendFromGo = (layout, context) =>
  sendPlain(layout, context, (collector, kind) =>
    runGo(context.binaries.goSender, collector, kind, kind === 'broken' ? 'grpc' : 'http/protobuf'),
  )

// What comes late, and a backend that is away.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkJaeger, checkReports, findSpan, redNames } from '../pipeline/check-run.mjs'
import { readJaegerTrace } from '../pipeline/read-jaeger-trace.mjs'
import { readStoredReport } from '../pipeline/read-reports.mjs'
import { sendJson } from '../pipeline/send-json.mjs'
import { runPython } from '../pipeline/senders.mjs'
import { waitUntil } from '../pipeline/wait-until.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

/** Longer than the decision of the sampler and what comes after it take. */
const SETTLED_MS = 4_000

/** An agent with one call of a tool, and another call that is sent later. */
function makeSpans(result) {
  const traceId = randomBytes(16).toString('hex')
  const rootId = randomBytes(8).toString('hex')
  const startMs = 1_780_236_000_000
  const callTool = (name, atMs, output) => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: rootId,
    name: `execute_tool ${name}`,
    startMs: startMs + atMs,
    endMs: startMs + atMs + 10,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.result': JSON.stringify(output),
    },
  })
  const root = {
    traceId,
    spanId: rootId,
    name: 'invoke_agent shop',
    startMs,
    endMs: startMs + 1_000,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'shop' },
  }
  const late = callTool('write_mail', 500, { error: 'the mailbox is full' })
  return { traceId, first: [root, callTool('order_query', 10, result)], late }
}

/**
 * A call comes when its run has been reported, forwarded and sampled: the run gets a new report, and the call goes where
 * the run went.
 */
export async function sendLate({ folder, binaries }) {
  return withPipeline({ layout: 'through', folder, binaries }, async (pipeline) => {
    const failed = makeSpans({ error: 'no such order' })
    const healthy = makeSpans({ order_id: 'ORD-7', status: 'shipped' })
    await sendJson(pipeline.collector, [...failed.first, ...healthy.first])
    for (const { traceId } of [failed, healthy]) await checkReports(pipeline, { traceId, spans: 2 })
    assert.equal((await readStoredReport(pipeline, healthy.traceId)).overall_status, 'success')
    await checkJaeger(pipeline, { traceId: failed.traceId, spans: 2 })
    await sleep(SETTLED_MS)

    await sendJson(pipeline.collector, [failed.late])
    const sent = { traceId: failed.traceId, spans: 3 }
    const { revision, completeness } = await checkReports(pipeline, sent)
    assert.deepEqual({ revision, completeness }, { revision: 2, completeness: 'amended' })
    const spans = await checkJaeger(pipeline, sent)
    assert.deepEqual(redNames(spans).sort(), ['execute_tool order_query', 'execute_tool write_mail'])
    const { tags } = findSpan(spans, 'execute_tool write_mail')
    assert.equal(tags['agent_reach.node.status'], 'reached_invalid')
    assert.equal(await readJaegerTrace(pipeline.jaeger.url, healthy.traceId), null)
    return 'the run has revision 2, and its late span is with the others in Jaeger, judged'
  })
}

/** Reports do not wait for a backend that is away, and it gets the spans when it is there again. */
export async function leaveWithoutJaeger({ folder, binaries }) {
  return withPipeline({ layout: 'through', folder, binaries }, async (pipeline) => {
    await pipeline.jaeger.kill()
    const sent = await runPython(binaries.python, pipeline.collector, 'broken')
    await checkReports(pipeline, sent)
    await waitUntil('an attempt that fails', async () =>
      pipeline.collector.output().includes('Exporting failed. Will retry the request') ? 'failed' : null,
    )
    await pipeline.collector.kill()
    await pipeline.startJaeger()
    await pipeline.startCollector()
    const spans = await checkJaeger(pipeline, sent)
    return `${spans.length} spans waited in the queue over a kill of the Collector, and are in Jaeger`
  })
}

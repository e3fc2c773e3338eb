// Spans with long content, more of it than a request may have on the way.
import { randomBytes } from 'node:crypto'
import { checkJaeger, checkReports } from '../pipeline/check-run.mjs'
import { sendJson } from '../pipeline/send-json.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

const SPANS = 100
const CONTENT_BYTES = 300_000

/** What the Collector takes in a request is 20 MiB. */
const SPANS_PER_REQUEST = 50

function makeSpans() {
  const traceId = randomBytes(16).toString('hex')
  const rootId = randomBytes(8).toString('hex')
  const startMs = 1_780_236_000_000
  const root = {
    traceId,
    spanId: rootId,
    name: 'invoke_agent shop',
    startMs,
    endMs: startMs + SPANS * 10,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'shop' },
  }
  const calls = Array.from({ length: SPANS - 1 }, (_, number) => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: rootId,
    name: 'execute_tool read_page',
    startMs: startMs + number * 10,
    endMs: startMs + number * 10 + 9,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read_page',
      'gen_ai.tool.call.arguments': JSON.stringify({ page: number }),
      // Random, so that packing it does not make it short.
      'gen_ai.tool.call.result': JSON.stringify({ text: randomBytes(CONTENT_BYTES / 2).toString('hex') }),
    },
  }))
  return { traceId, spans: [root, ...calls] }
}

/** Requests wait in the queue that are longer than the service takes, and a run that is longer than Jaeger takes at once. */
export async function sendLongSpans(layout, { folder, binaries }) {
  const serviceOptions = ['--max-body', '12MiB']
  const collectorEnv = { TRACES_KEEP_PERCENT: '100' }
  const settings = { layout, folder, binaries, serviceOptions, collectorEnv }
  return withPipeline(settings, async (pipeline) => {
    await pipeline.service.kill()
    const { traceId, spans } = makeSpans()
    for (let at = 0; at < spans.length; at += SPANS_PER_REQUEST) {
      await sendJson(pipeline.collector, spans.slice(at, at + SPANS_PER_REQUEST))
    }
    await pipeline.startService()
    const sent = { traceId, spans: spans.length }
    await checkReports(pipeline, sent)
    await checkJaeger(pipeline, sent)
    return `a run of ${spans.length} spans with ${Math.round((SPANS * CONTENT_BYTES) / 2 ** 20)} MiB is reported and in Jaeger`
  })
}

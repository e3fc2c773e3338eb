// Secrets in spans get no further than the Collector.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkJaeger, checkReports } from '../pipeline/check-run.mjs'
import { askService } from '../pipeline/read-reports.mjs'
import { postJson, toPairs } from '../pipeline/send-json.mjs'
import { withPipeline } from '../pipeline/with-pipeline.mjs'

/** Made up; put together here, so that no scanner takes them for real ones. */
const secrets = [
  ['sk', 'proj-abcdefghijklmnopqrstuvwx'].join('-'),
  ['AKIA', 'ABCDEFGHIJKLMNOP'].join(''),
  ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_'),
  'Bearer abcdefghijklmnopqrstuvwxyz',
  'hunter2',
  'Basic dXNlcjpwYXNz',
  'customer-004711',
]

function makeRequest(traceId, spanId) {
  const [openAi, aws, gitHub, bearer, password, basic, customer] = secrets
  const attributes = toPairs({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'log_in',
    'gen_ai.tool.call.arguments': JSON.stringify({ key: openAi, aws, gitHub, header: bearer, who: 'Ada' }),
    'gen_ai.tool.call.result': JSON.stringify({ customer }),
    'db.password': password,
    'http.request.header.authorization': basic,
  })
  const span = {
    traceId,
    spanId,
    name: 'execute_tool log_in',
    startTimeUnixNano: '1780236000000000000',
    endTimeUnixNano: '1780236001000000000',
    attributes,
    status: { code: 2, message: 'no' },
    events: [{ name: 'note', timeUnixNano: '1780236000500000000', attributes: toPairs({ key: openAi }) }],
  }
  const resource = { attributes: toPairs({ 'service.name': 'shop', 'deployment.api_key': password }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
}

/** Patterns that are shipped, and one that is given by the variable. */
export async function redactSecrets({ folder, binaries }) {
  const collectorEnv = { COLLECTOR_REDACT: 'customer-[0-9]{6}' }
  return withPipeline({ layout: 'beside', folder, binaries, collectorEnv }, async (pipeline) => {
    const traceId = '5'.repeat(32)
    await postJson(pipeline.collector, makeRequest(traceId, '6'.repeat(16)))
    const sent = { traceId, spans: 1 }
    const report = await checkReports(pipeline, sent)
    const { items } = await askService(pipeline, `/api/v1/chains?trace_id=${traceId}`)
    const places = {
      report,
      'spans of the service': await askService(pipeline, `/api/v1/chains/${items[0].name}/spans`),
      archive: readFileSync(join(pipeline.collector.archive, 'spans.jsonl'), 'utf8'),
      Jaeger: await checkJaeger(pipeline, sent),
    }
    for (const [name, content] of Object.entries(places)) {
      const text = JSON.stringify(content)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${name} has ${secret}`)
      if (name !== 'report') assert.ok(text.includes('Ada'), `${name} has lost what is no secret`)
      assert.ok(!text.includes('redaction.'), `${name} says what was masked`)
    }
    return `${secrets.length} secrets in attributes of resource, span and event: in none of ${Object.keys(places).length} places`
  })
}

// Writes traces that follow from a seed to a report service, reads their reports back and counts what is missing and
// what is wrong. A request is sent until it is acknowledged, so the service may be killed and started meanwhile.
//
//   node test/soak/soak.mjs --url http://127.0.0.1:4318 [--traces 1000] [--seed 1] [--parallel 8] [--wait 60]
//                           [--duplicates 0.1] [--torn 0.02] [--token TOKEN] [--to URL] [--pace 0] [--hold]
//
// With `--hold` it goes on with further traces until standard input ends; `--pace` is how long each sender waits after a
// request, in milliseconds.
// With `--to` the spans go there, as to a collector that sends them on to the service.
//
// Prints one JSON object; the exit code is 0 where nothing is missing or wrong, else 1.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { encodeSpans } from './encode-spans.mjs'
import { compareReport, createRandom, makeTrace, toChainName } from './seeded-traces.mjs'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4318' },
    to: { type: 'string', default: '' },
    pace: { type: 'string', default: '0' },
    hold: { type: 'boolean', default: false },
    traces: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '8' },
    wait: { type: 'string', default: '60' },
    duplicates: { type: 'string', default: '0.1' },
    torn: { type: 'string', default: '0.02' },
    token: { type: 'string', default: '' },
  },
})
const random = createRandom(Number(values.seed))
const traces = []
if (values.hold) process.stdin.resume()
const isHeld = () => values.hold && !process.stdin.readableEnded
const authorization = values.token === '' ? {} : { authorization: `Bearer ${values.token}` }
const sent = { requests: 0, acknowledged: 0, retried: 0, torn: 0, spans: 0, duplicates: 0 }
const latencies = []

/** @yields spans of neighbouring traces in any order, some of them twice, cut into requests of any size */
function* cutIntoRequests() {
  const window = 50
  while (traces.length < Number(values.traces) || isHeld()) {
    const more = isHeld() ? window : Math.min(window, Number(values.traces) - traces.length)
    const made = Array.from({ length: more }, (_, at) => makeTrace(values.seed, traces.length + at))
    traces.push(...made)
    const spans = made.flatMap((trace) => trace.spans)
    const twice = spans.filter(() => random() < Number(values.duplicates))
    sent.spans += spans.length
    sent.duplicates += twice.length
    const all = shuffle([...spans, ...twice])
    for (let at = 0; at < all.length;) {
      const size = 1 + Math.floor(random() * 60)
      yield all.slice(at, at + size)
      at += size
    }
  }
}

function shuffle(list) {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[list[at], list[other]] = [list[other], list[at]]
  }
  return list
}

function send(path, { method = 'GET', headers = {}, body = null, tear = false } = {}) {
  return new Promise((resolve, reject) => {
    const url = new URL(path, path === '/v1/traces' && values.to !== '' ? values.to : values.url)
    const length = body === null ? {} : { 'content-length': body.length }
    const message = request(url, {
      method,
      headers: { ...authorization, ...headers, ...length },
      timeout: 30_000,
    })
    message.on('timeout', () => message.destroy(new Error('no answer')))
    message.on('error', reject)
    message.on('response', (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    if (tear) {
      message.write(body.subarray(0, Math.floor(body.length / 2)))
      setTimeout(() => message.destroy(new Error('torn')), 5)
    } else message.end(body)
  })
}

/** The collector answers a full success with an empty `partialSuccess`, in protobuf two bytes. */
const tellsOfRejected = (answer) => answer.length > 2 && answer.toString() !== '{"partialSuccess":{}}'

const MAY_RETRY = [429, 502, 503, 504]

/** Sends until it is acknowledged. */
async function deliver(spans) {
  const { body, headers } = encodeSpans(spans, { json: random() < 0.3, gzip: random() < 0.5 })
  let tear = random() < Number(values.torn)
  for (let attempt = 0; ; attempt++) {
    sent.requests++
    const started = performance.now()
    try {
      const { status, body: answer } = await send('/v1/traces', { method: 'POST', headers, body, tear })
      if (status === 200) {
        if (tellsOfRejected(answer)) throw new Error(`partial success: ${answer.toString()}`)
        sent.acknowledged++
        latencies.push(performance.now() - started)
        return
      }
      if (!MAY_RETRY.includes(status)) throw new Error(`status ${status}: ${answer.toString().slice(0, 200)}`)
    } catch (error) {
      if (/^(?:status|partial)/u.test(error.message)) throw error
      if (tear) sent.torn++
    }
    tear = false
    sent.retried++
    if (attempt > 2_000) throw new Error('given up')
    await sleep(20 + random() * 100)
  }
}

async function deliverAll() {
  const requests = cutIntoRequests()
  const work = async () => {
    for (const spans of requests) {
      await deliver(spans)
      if (values.pace !== '0') await sleep(Number(values.pace))
    }
  }
  await Promise.all(Array.from({ length: Number(values.parallel) }, work))
}

/** The report of a trace; `null` while there is none, or while the service is away. */
async function readReport({ traceId }) {
  try {
    const { status, body } = await send(`/api/v1/chains/${toChainName(traceId)}`)
    return status === 200 ? JSON.parse(body.toString()) : null
  } catch {
    return null
  }
}

async function check() {
  const deadline = Date.now() + Number(values.wait) * 1_000
  let open = traces
  let wrong = []
  while (open.length > 0) {
    const left = []
    wrong = []
    for (const trace of open) {
      const report = await readReport(trace)
      const problems = report === null ? null : compareReport(report, trace)
      if (problems === null || problems.length > 0) left.push(trace)
      if (problems !== null) wrong.push(...problems)
    }
    open = left
    if (Date.now() > deadline) break
    if (open.length > 0) await sleep(500)
  }
  const missing = []
  for (const trace of open) if ((await readReport(trace)) === null) missing.push(trace.traceId)
  return { missing, wrong }
}

/** Every chain once, and no chain that nobody sent. */
async function countChains() {
  const names = []
  let cursor = ''
  do {
    const { body } = await send(`/api/v1/chains?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const page = JSON.parse(body.toString())
    names.push(...page.items.map((item) => item.trace_id))
    cursor = page.next_cursor ?? ''
  } while (cursor !== '')
  const known = new Set(traces.map(({ traceId }) => traceId))
  const ours = names.filter((traceId) => known.has(traceId))
  return {
    listed: ours.length,
    repeated: ours.length - new Set(ours).size,
    foreign: names.length - ours.length,
  }
}

const started = performance.now()
await deliverAll()
const seconds = (performance.now() - started) / 1_000
const { missing, wrong } = await check()
const listed = await countChains()
latencies.sort((a, b) => a - b)
const quantile = (part) => Math.round((latencies[Math.floor(latencies.length * part)] ?? 0) * 10) / 10
const isGood =
  missing.length === 0 && wrong.length === 0 && listed.repeated === 0 && listed.listed === traces.length
console.log(
  JSON.stringify({
    seed: values.seed,
    traces: traces.length,
    ...sent,
    seconds: Math.round(seconds * 10) / 10,
    acknowledged_ms: { p50: quantile(0.5), p99: quantile(0.99) },
    missing: missing.length,
    wrong: wrong.length,
    ...listed,
    examples: [...missing.slice(0, 3), ...wrong.slice(0, 5)],
  }),
)
process.exitCode = isGood ? 0 : 1

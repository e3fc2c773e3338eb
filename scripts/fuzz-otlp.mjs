// Feeds damaged requests to everything that reads OTLP: in protobuf, in JSON, and packed. Whatever comes, a reader of
// protobuf throws nothing but a `WireFault`, and the door of the service nothing but an `HttpProblem`; the readers agree
// on what is left; and none takes long. A request on which one fails is saved and can be fed again by its seed.
//
//   node scripts/fuzz-otlp.mjs [--seconds 60] [--seed N] [--forms protobuf,json,gzip,deflate]
//
// Exit code: 0 where nothing failed, 1 where something did.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../bench/agent-workload.mjs'
import { createRequests } from '../bench/service-requests.mjs'
import { createDamage } from '../test/otlp/damaged-requests.mjs'
import { bundleStore } from '../test/server/store/bundle-store.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    // One in four is packed, which costs the most and says the least.
    forms: { type: 'string', default: 'protobuf,json,protobuf,json,protobuf,json,gzip,deflate' },
  },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const forms = values.forms.split(',')
const otlp = await import(
  await bundleStore([
    'otlp/decode-json.ts',
    'otlp/decode-message.ts',
    'otlp/decode-request.ts',
    'otlp/encode-request.ts',
    'otlp/rewrite-request.ts',
    'otlp/scan-request.ts',
    'otlp/wire-cursor.ts',
    'server/http/http-problem.ts',
    'server/receive-body.ts',
    'server/receive-json.ts',
  ])
)
const { HttpProblem, WireFault, decodeMessage, decodeRequest, decodeTraces, encodeRequest } = otlp
const { readJsonRequest, receiveBody, rewriteRequest, scanRequest } = otlp

const MAX_CPU_MS = 2_000
const MAX_BODY_BYTES = 1_000_000

/** All that a span says, in one form: a half of a surrogate pair does not come through protobuf. */
function contentOf(span) {
  const { attributes, events, resource, instrumentationScope, status, name, kind, droppedAttributesCount } =
    span
  const { traceId, spanId } = span.spanContext()
  return plain({
    ids: [traceId, spanId, span.parentSpanContext],
    times: [span.startTime, span.endTime],
    attributes,
    events,
    resource: resource.attributes,
    scope: instrumentationScope,
    more: [status, name, kind, Math.min(droppedAttributesCount, 2 ** 32 - 1)],
  })
}

function plain(value) {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'object' || value === null) return value
  // As entries, so that none is hidden by its name; those that are absent say the same as those that are undefined.
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return [...new Map(entries.map(([key, inner]) => [key.toWellFormed(), plain(inner)]))]
}

const toText = (spans) => JSON.stringify(spans.map(contentOf))

function expectEqual(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`)
}

function orUndefined(ErrorClass, read) {
  try {
    return read()
  } catch (error) {
    if (error instanceof ErrorClass) return undefined
    throw error
  }
}

const edit = { attributes: { 'agent_reach.fuzz': 'it' }, events: [], error: null }

function checkRewriting(bytes) {
  const once = rewriteRequest(bytes, () => edit)
  toText(decodeRequest(once).spans)
  if (!rewriteRequest(once, () => edit).equals(once)) throw new Error('A second rewriting changes something')
}

function checkScan(bytes) {
  const request = orUndefined(WireFault, () => scanRequest(bytes))
  expectEqual(request?.spanCount ?? 0, decodeRequest(bytes).spans.length, 'Spans of scanRequest')
  for (const { body, spans } of request?.traces ?? []) {
    expectEqual(decodeRequest(body).spans.length, spans.length, 'Spans of a body')
  }
}

const protobufChecks = {
  decodeRequest: (bytes) => toText(decodeRequest(bytes).spans),
  scanRequest: checkScan,
  'decodeMessage and encodeRequest': (bytes) => {
    const { value } = decodeMessage(bytes)
    const { body } = encodeRequest(value)
    expectEqual(decodeRequest(body).rejectedSpans, 0, 'Spans left out of what was encoded')
    expectEqual(toText(decodeRequest(body).spans), toText(decodeTraces(value).spans), 'Both ways')
  },
  rewriteRequest: checkRewriting,
}

const jsonChecks = {
  readJsonRequest: (bytes) => {
    const request = orUndefined(HttpProblem, () => readJsonRequest(bytes))
    if (request === undefined) return
    const { body, rejectedSpans } = request
    const expected = decodeTraces(JSON.parse(bytes.toString()))
    const { spans, rejectedSpans: lost } = decodeRequest(body)
    expectEqual(lost, 0, 'Spans left out of what was encoded')
    expectEqual(rejectedSpans, expected.rejectedSpans, 'Spans left out')
    expectEqual(toText(spans), toText(expected.spans), 'Both ways')
    const scanned = scanRequest(body)
    expectEqual(scanned.spanCount, spans.length, 'Spans of scanRequest')
    checkScan(body)
    checkRewriting(body)
  },
}

const packedChecks = (coding) => ({
  receiveBody: async (bytes) => {
    const body = (async function* () {
      for (let at = 0; at < bytes.length; at += 512) yield bytes.subarray(at, at + 512)
    })()
    let reserved = 0
    try {
      const { bytes: unpacked } = await receiveBody(
        { headers: { 'content-encoding': coding }, body },
        { maxBytes: MAX_BODY_BYTES, reserve: (count) => (reserved = Math.max(reserved, count)) },
      )
      expectEqual(unpacked.length <= reserved, true, 'Bytes that were asked for')
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
    }
  },
})

const checksOf = {
  protobuf: protobufChecks,
  json: jsonChecks,
  gzip: packedChecks('gzip'),
  deflate: packedChecks('deflate'),
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function feed(form, bytes, number) {
  for (const [name, check] of Object.entries(checksOf[form])) {
    const before = cpuMs()
    try {
      await check(bytes)
      const took = cpuMs() - before
      if (took > MAX_CPU_MS) throw new Error(`It takes ${Math.round(took)} ms`)
    } catch (error) {
      const file = join(tmpdir(), `agent-reach-fuzz-${seed}-${number}.${form}`)
      writeFileSync(file, bytes)
      console.error(`${name} fails on ${file}`, error)
      process.exitCode = 1
    }
  }
}

console.log(`seed ${seed}`)
const whole = createRequests(24, { seed: 1, spans: 3, gzip: false }).map(({ body }) => body)
const damage = createDamage(seeded(seed), {
  protobuf: whole,
  json: whole.map((body) => Buffer.from(JSON.stringify(decodeMessage(body).value))),
})
const counts = Object.fromEntries(forms.map((form) => [form, 0]))
const until = performance.now() + Number(values.seconds) * 1_000
for (let number = 0; performance.now() < until && process.exitCode === undefined; number++) {
  const form = forms[number % forms.length]
  counts[form]++
  await feed(form, damage[form](), number)
}
const list = Object.entries(counts).map(([form, count]) => `${count} ${form}`)
console.log(`${list.join(', ')}; ${(cpuMs() / 60_000).toFixed(2)} minutes of CPU`)

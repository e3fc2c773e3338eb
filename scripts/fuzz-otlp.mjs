// Feeds damaged requests to everything that reads OTLP: whatever comes, a reader throws nothing but a `WireFault`. A
// request on which one fails is saved and can be fed again by its seed.
//
//   node scripts/fuzz-otlp.mjs [--seconds 60] [--seed N]
//
// Exit code: 0 where nothing failed, 1 where something did.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../bench/agent-workload.mjs'
import { createRequests } from '../bench/service-requests.mjs'
import { bundleStore } from '../test/server/store/bundle-store.mjs'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const random = seeded(seed)
const below = (limit) => Math.floor(random() * limit)
const { WireFault, decodeMessage, decodeRequest, encodeRequest, rewriteRequest, scanRequest } = await import(
  await bundleStore(
    [
      'decode-message',
      'decode-request',
      'encode-request',
      'rewrite-request',
      'scan-request',
      'wire-cursor',
    ].map((name) => `otlp/${name}.ts`),
  )
)

const whole = createRequests(24, { seed: 1, spans: 3, gzip: false }).map(({ body }) => body)
const odd = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x0b, 0x0c]

const changes = [
  (bytes) => {
    bytes[below(bytes.length)] = below(256)
    return bytes
  },
  (bytes) => {
    bytes[below(bytes.length)] = odd[below(odd.length)]
    return bytes
  },
  (bytes) => bytes.subarray(0, 1 + below(bytes.length)),
  (bytes) => {
    const at = below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(16))])
  },
  (bytes) => {
    const from = below(bytes.length)
    const part = bytes.subarray(from, from + below(400))
    const at = below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
  },
]

function damage() {
  let bytes = Buffer.from(whole[below(whole.length)])
  // Most of a request is text; its head is where lengths stand close together.
  if (random() < 0.3) bytes = bytes.subarray(0, 1 + below(Math.min(bytes.length, 600)))
  for (let left = 1 + below(6); left > 0 && bytes.length > 0; left--) {
    bytes = changes[below(changes.length)](bytes)
  }
  return bytes
}

function touch(spans) {
  for (const span of spans) {
    JSON.stringify([span.attributes, span.events, span.resource, span.instrumentationScope, span.status])
    JSON.stringify([
      span.name,
      span.kind,
      span.startTime,
      span.endTime,
      span.parentSpanContext,
      span.spanContext(),
    ])
  }
}

function expectSpans(actual, expected, reader) {
  if (actual !== expected) throw new Error(`${reader} has ${actual} spans instead of ${expected}`)
}

function scan(bytes) {
  try {
    return scanRequest(bytes)
  } catch (error) {
    if (error instanceof WireFault) return undefined
    throw error
  }
}

const edit = { attributes: { 'agent_reach.fuzz': 'it' }, events: [], error: null }

const checks = {
  decodeRequest: (bytes) => touch(decodeRequest(bytes).spans),
  scanRequest: (bytes) => {
    const request = scan(bytes)
    expectSpans(request?.spanCount ?? 0, decodeRequest(bytes).spans.length, 'scanRequest')
    for (const { body, spans } of request?.traces ?? []) {
      expectSpans(decodeRequest(body).spans.length, spans.length, 'A body')
    }
  },
  'decodeMessage and encodeRequest': (bytes) => {
    const { body } = encodeRequest(decodeMessage(bytes).value)
    expectSpans(decodeRequest(body).rejectedSpans, 0, 'What is left out of an encoded request')
  },
  rewriteRequest: (bytes) => {
    const once = rewriteRequest(bytes, () => edit)
    touch(decodeRequest(once).spans)
    if (!rewriteRequest(once, () => edit).equals(once))
      throw new Error('A second rewriting changes something')
  },
}

console.log(`seed ${seed}`)
const until = performance.now() + Number(values.seconds) * 1_000
let count = 0
for (; performance.now() < until && process.exitCode === undefined; count++) {
  const bytes = damage()
  for (const [name, check] of Object.entries(checks)) {
    try {
      check(bytes)
    } catch (error) {
      const file = join(tmpdir(), `agent-reach-fuzz-${seed}-${count}.bin`)
      writeFileSync(file, bytes)
      console.error(`${name} fails on ${file}`, error)
      process.exitCode = 1
    }
  }
}
const { user, system } = process.cpuUsage()
console.log(`${count} requests, ${((user + system) / 60e6).toFixed(2)} minutes of CPU`)

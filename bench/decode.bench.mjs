// What it costs to read OTLP requests in protobuf, ours beside a copy of the bytes and beside protobufjs: medians of
// slices that take turns, so that a machine that is busy is so for all of them.
//
//   copy        `Buffer.copy` of the body into new bytes: the least that can be done with it
//   scan        `scanRequest`: all that the report service does with the content before it says that it has it
//   decode      `decodeRequest`, and all attributes, events, resources and scopes looked at: what it takes to judge spans
//   protobufjs  `decode` of its type of the same messages, numbers of 64 bits as they come
//   to objects  the same and `toObject`, with text for numbers of 64 bits, which one can work with
//
// Requests of 30 spans with the messages and results of agents, some 270 KB; and of 100 spans of some 300 bytes. What
// counts is the ratio.
//
//   node bench/decode.bench.mjs [--rounds 60] [--only scan]
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import protobuf from 'protobufjs'
import { bundleStore } from '../test/server/store/bundle-store.mjs'
import { encodeSpans } from '../test/soak/encode-spans.mjs'
import { hex, seeded, text } from './agent-workload.mjs'
import { createRequests } from './service-requests.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, only: { type: 'string' } },
})
const SLICE_MICROS = 20_000
const STARTED_MS = 1_764_460_800_000

const proto = readFileSync(join(import.meta.dirname, '../test/otlp/trace.proto'), 'utf8')
const TraceRequest = protobuf.parse(proto).root.lookupType('Request')
const toObject = { longs: String, bytes: Buffer, arrays: true, defaults: true }

/** A whole trace whose spans say little. */
function createSmallRequest(random) {
  const traceId = hex(random, 32)
  const rootId = hex(random, 16)
  const spans = Array.from({ length: 100 }, (_, number) => ({
    traceId,
    spanId: number === 0 ? rootId : hex(random, 16),
    parentSpanId: number === 0 ? null : rootId,
    name: 'execute_tool search',
    startMs: STARTED_MS + number * 10,
    endMs: STARTED_MS + number * 10 + 7,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.id': `call_${hex(random, 24)}`,
      'gen_ai.usage.input_tokens': Math.floor(random() * 10_000),
      'gen_ai.tool.call.arguments': text(random, 60, false),
    },
  }))
  return encodeSpans(spans, { json: false, gzip: false }).body
}

function readAll({ decodeRequest }, body) {
  let seen = 0
  for (const { attributes, events, resource, instrumentationScope } of decodeRequest(body).spans) {
    if (attributes && events && resource.attributes && instrumentationScope) seen += 1
  }
  return seen
}

const createParts = (built) => [
  ['copy', (body) => body.copy(Buffer.allocUnsafeSlow(body.length))],
  ['scan', (body) => built.scanRequest(body)],
  ['decode', (body) => readAll(built, body)],
  ['protobufjs', (body) => TraceRequest.decode(body)],
  ['to objects', (body) => TraceRequest.toObject(TraceRequest.decode(body), toObject)],
]

/** Microseconds of CPU time for each request. */
function timeSlice(requests, run, repeats) {
  const before = process.cpuUsage()
  for (let i = 0; i < repeats; i++) {
    for (const body of requests) run(body)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (repeats * requests.length)
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

function measure(requests, parts) {
  const measured = parts.map(([name, run]) => {
    for (let warmUp = 0; warmUp < 10; warmUp++) timeSlice(requests, run, 1)
    const micros = timeSlice(requests, run, 3) * requests.length
    return { name, run, repeats: Math.max(1, Math.round(SLICE_MICROS / micros)), slices: [] }
  })
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { run, repeats, slices } of measured) slices.push(timeSlice(requests, run, repeats))
  }
  return measured.map(({ name, slices }) => ({ name, micros: median(slices) }))
}

const bundle = await bundleStore(['otlp/decode-request.ts', 'otlp/scan-request.ts'])
try {
  const random = seeded(1)
  /** @type {[string, Buffer[]][]} */
  const corpora = [
    ['30 spans with content', createRequests(20, { gzip: false }).map(({ body }) => body)],
    ['100 small spans', Array.from({ length: 20 }, () => createSmallRequest(random))],
  ]
  const parts = createParts(await import(bundle)).filter(([name]) => (values.only ?? name) === name)
  for (const [title, requests] of corpora) {
    const bytes = Buffer.concat(requests).length / requests.length
    console.log(`${title}, ${(bytes / 1_000).toFixed(1)} KB: microseconds of CPU time a request`)
    const measured = measure(requests, parts)
    const microsOf = (wanted) => measured.find(({ name }) => name === wanted)?.micros ?? Number.NaN
    for (const { name, micros } of measured) {
      const ratios = [micros / microsOf('copy'), microsOf('protobufjs') / micros].map((ratio) =>
        ratio.toFixed(2).padStart(7),
      )
      console.log(
        `  ${name.padEnd(12)} ${micros.toFixed(1).padStart(9)}  ${ratios[0]}x copy, protobufjs takes ${ratios[1]}x`,
      )
    }
  }
} finally {
  rmSync(dirname(bundle), { recursive: true, force: true })
}

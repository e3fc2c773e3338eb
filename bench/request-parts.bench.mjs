// What becomes of a request on its way to a stored report, part by part and without server and disk: CPU time of each
// part, means after a warm-up.
//
//   node bench/request-parts.bench.mjs [--requests 600]
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { bundleStore } from '../test/server/store/bundle-store.mjs'
import { createRequests } from './service-requests.mjs'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '600' } } })
const bundle = await bundleStore([
  'otlp/decode-request.ts',
  'otlp/scan-request.ts',
  'rules/rules.ts',
  'server/collect-evidence.ts',
  'server/sqlite-blob.ts',
])
const { collectEvidence, decodeRequest, defaultRules, scanRequest, sealBytes, sealText, unsealBytes } =
  await import(bundle)
const times = new Map()

function measure(part, work) {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  times.set(part, [...(times.get(part) ?? []), (user + system) / 1_000])
  return result
}

function follow({ body }) {
  const bytes = measure('inflate', () => gunzipSync(body, { chunkSize: 1024 * 1024 }))
  const [trace] = measure('split by trace', () => scanRequest(bytes)).traces
  const sealed = measure('checksum', () => sealBytes(trace.body))
  const stored = {
    traceId: trace.traceId,
    bodies: [measure('checksum when read back', () => unsealBytes(sealed, 'it'))],
    numbers: [1],
    rejectedSpans: 0,
    lastChunk: 1,
    forwardedChunk: 0,
    revision: 0,
  }
  measure('read the attributes (alone)', () =>
    decodeRequest(stored.bodies[0]).spans.forEach(({ attributes }) => attributes),
  )
  const { evidence } = measure('read and judge', () => collectEvidence(stored, defaultRules, 100_000))
  const judged = measure('fold and check the run', () => evidence.settle())
  const reports = measure('report and digest', () => evidence.report({}, judged))
  const json = measure('report as JSON', () => JSON.stringify(reports[0]))
  measure('compress the report', () => sealText(json))
}

for (const one of createRequests(Number(values.requests))) follow(one)
for (const [part, all] of times) {
  const warm = all.slice(all.length / 3)
  const mean = warm.reduce((sum, ms) => sum + ms, 0) / warm.length
  console.log(`${part.padEnd(28)} ${mean.toFixed(2)} ms`)
}

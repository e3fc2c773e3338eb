// Requests that are made to hurt.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { encodeSpans } from '../encode-spans.mjs'
import { compareReport, makeTrace } from '../seeded-traces.mjs'
import { peakBytes, send, sendSpans, startService, statusOf } from '../service-process.mjs'
import { waitForReport } from '../wait-for-report.mjs'

const MIB = 1024 * 1024

/** What the service may take beside what it has when it is idle: three times what may be in work, by default 256 MiB. */
const BOUND_BYTES = 768 * MIB

const protobuf = { 'content-type': 'application/x-protobuf' }
const json = { 'content-type': 'application/json' }

function varint(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}

const field = (number, content) => Buffer.concat([varint(number * 8 + 2), varint(content.length), content])

const inRequest = (...spans) => field(1, field(2, Buffer.concat(spans.map((span) => field(2, span)))))

function makeSpan({
  traceId = Buffer.alloc(16, 7),
  spanId = Buffer.alloc(8, 7),
  name = Buffer.from('run'),
  more = [],
}) {
  return Buffer.concat([field(1, traceId), field(2, spanId), field(5, name), ...more])
}

function attribute(key, text) {
  return field(9, Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, text))]))
}

const invalidUtf8 = Buffer.from([0x66, 0xff, 0xfe, 0xc0])

const bombs = [
  {
    name: 'a gigabyte of zeros',
    // Packed parts that stand behind each other are unpacked as one.
    body: () => Buffer.concat(Array.from({ length: 16 }, () => packedZeros)),
    headers: { ...protobuf, 'content-encoding': 'gzip' },
    status: 413,
  },
  { name: 'a body of 100 MB', body: () => Buffer.alloc(100_000_000), headers: protobuf, status: 413 },
  {
    name: 'a body of 100 MB that does not tell its length',
    body: () => Array.from({ length: 100 }, () => Buffer.alloc(1_000_000)),
    headers: protobuf,
    status: 413,
  },
  {
    name: 'a span with a million attributes',
    body: () => {
      const value = Buffer.from('v')
      const more = Array.from({ length: 1_000_000 }, (_, at) => attribute(`key ${at}`, value))
      return inRequest(makeSpan({ traceId: Buffer.alloc(16, 8), more }))
    },
    headers: protobuf,
    status: 200,
  },
  {
    name: 'texts that are no UTF-8',
    body: () => inRequest(makeSpan({ name: invalidUtf8, more: [attribute('key', invalidUtf8)] })),
    headers: protobuf,
    status: 200,
  },
  {
    name: 'a trace id of 8 bytes beside a good one',
    body: () => inRequest(makeSpan({}), makeSpan({ traceId: Buffer.alloc(8, 7) })),
    headers: protobuf,
    status: 200,
    isRejected: true,
  },
  {
    name: 'a span id of zeros',
    body: () => inRequest(makeSpan({ spanId: Buffer.alloc(8) })),
    headers: protobuf,
    status: 200,
    isRejected: true,
  },
  {
    name: 'bytes that mean nothing',
    body: () => Buffer.alloc(100_000, 0xff),
    headers: protobuf,
    status: 400,
  },
  {
    name: 'a length beyond the end',
    body: () => Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x07]),
    headers: protobuf,
    status: 400,
  },
  {
    name: 'a value in JSON a hundred thousand levels deep',
    body: () => {
      const value = `${'{"arrayValue":{"values":['.repeat(100_000)}${']}}'.repeat(100_000)}`
      const span = `{"traceId":"${'09'.repeat(16)}","spanId":"${'09'.repeat(8)}","attributes":[{"key":"deep","value":${value}}]}`
      return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`)
    },
    headers: json,
    status: 200,
  },
  {
    name: 'JSON that is no UTF-8',
    body: () => Buffer.from([0x7b, 0x22, 0xff, 0x22]),
    headers: json,
    status: 400,
  },
  {
    name: 'packed bytes that are damaged',
    body: () => Buffer.concat([gzipSync(Buffer.alloc(1_000)).subarray(0, 15), Buffer.alloc(20, 0xff)]),
    headers: { ...protobuf, 'content-encoding': 'gzip' },
    status: 400,
  },
]

const packedZeros = gzipSync(Buffer.alloc(64 * MIB))

const residentBytes = (pid) =>
  Number(/^VmRSS:\s+(?<kib>\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')).groups.kib) * 1024

export async function sendBombs(folder) {
  const service = await startService({ store: join(folder, 'reports.db') })
  try {
    const idle = residentBytes(service.pid)
    for (const { name, body, headers, status, isRejected } of bombs) {
      const answer = await send(new URL('/v1/traces', service.url), { method: 'POST', headers, body: body() })
      assert.equal(answer.status, status, `${name}: ${answer.body.toString().slice(0, 200)}`)
      if (isRejected) assert.ok(answer.body.length > 4, `${name}: the answer does not tell of it`)
      assert.equal(await statusOf(service.url, '/healthz'), 200, name)
    }
    await sendTogether(service.url)
    const good = makeTrace(41, 1)
    await sendSpans(service.url, encodeSpans(good.spans, { json: false, gzip: false }))
    assert.deepEqual(compareReport(await waitForReport(service.url, good.traceId), good), [])
    const more = peakBytes(service.pid) - idle
    assert.ok(
      more < BOUND_BYTES,
      `the service took ${Math.round(more / MIB)} MiB beside what it has when idle`,
    )
    assert.equal(await service.stop(), 0)
    return `${bombs.length} bombs, ${Math.round(idle / MIB)} MiB when idle, at most ${Math.round(more / MIB)} MiB more`
  } finally {
    await service.kill()
  }
}

/** Each is refused as too long, or told to come again. */
async function sendTogether(url) {
  const [bomb] = bombs
  const body = bomb.body()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      send(new URL('/v1/traces', url), { method: 'POST', headers: bomb.headers, body }),
    ),
  )
  for (const { status } of answers) assert.ok([413, 503].includes(status), `status ${status}`)
}

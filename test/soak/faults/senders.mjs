// Senders that do what senders do: send twice, in any order, and go away.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { encodeSpans } from '../encode-spans.mjs'
import { startSoak } from '../run-soak.mjs'
import { makeTrace } from '../seeded-traces.mjs'
import { readJson, runStore, sendSpans, startService } from '../service-process.mjs'
import { waitForReport } from '../wait-for-report.mjs'

async function soakOnce(folder, options) {
  const store = join(folder, 'reports.db')
  const service = await startService({ store })
  try {
    const found = await startSoak({ url: service.url, wait: 120, ...options }).finish()
    assert.equal(await service.stop(), 0)
    assert.deepEqual(runStore('verify', store), { status: 0, output: 'nothing is wrong' })
    return found
  } finally {
    await service.kill()
  }
}

export async function sendCopies(folder) {
  const found = await soakOnce(folder, { seed: 21, traces: 400, duplicates: 0.1, torn: 0 })
  assert.ok(found.duplicates > 50)
  assert.equal(found.retried, 0)
  return `${found.traces} traces, ${found.spans} spans and ${found.duplicates} copies`
}

export async function tearConnections(folder) {
  const found = await soakOnce(folder, { seed: 22, traces: 400, torn: 0.5 })
  assert.ok(found.torn > 20)
  return `${found.torn} of ${found.requests} requests torn`
}

export async function poisonOneSpan(folder) {
  const service = await startService({ store: join(folder, 'reports.db') })
  try {
    const [good, poisoned] = [makeTrace(23, 1), makeTrace(23, 2)]
    const { body, headers } = encodeSpans([...good.spans, ...poisoned.spans], { json: true, gzip: false })
    const last = poisoned.spans[0].spanId
    const bad = Buffer.from(body.toString().replace(`"spanId":"${last}"`, '"spanId":"no id"'))
    const answer = await sendSpans(service.url, { body: bad, headers })
    assert.equal(answer.status, 200)
    assert.equal(JSON.parse(answer.body.toString()).partialSuccess.rejectedSpans, '1')
    const whole = await waitForReport(service.url, good.traceId)
    assert.equal(whole.completeness, 'complete')
    assert.equal(whole.span_count, good.expected.span_count)
    await expectRejected(service.url, poisoned)
    await damageOneSpan(service.url)
    const { items } = await readJson(service.url, '/api/v1/chains')
    assert.equal(items.length, 4)
    return 'a bad id in JSON and damaged bytes in protobuf: the rest is reported, as partial'
  } finally {
    await service.kill()
  }
}

async function expectRejected(url, { traceId, expected }) {
  const report = await waitForReport(url, traceId)
  assert.equal(report.span_count, expected.span_count - 1)
  assert.equal(report.completeness, 'partial')
  assert.equal(report.completeness_reason, 'rejected_spans')
}

/** The id of one span has 7 bytes: its length is said to be one less, and the byte that is over is no field. */
async function damageOneSpan(url) {
  const [good, poisoned] = [makeTrace(24, 1), makeTrace(24, 2)]
  const { body, headers } = encodeSpans([...good.spans, ...poisoned.spans], { json: false, gzip: false })
  const id = Buffer.from(poisoned.spans[0].spanId, 'hex')
  const at = body.indexOf(Buffer.concat([Buffer.from([0x12, 8]), id]))
  assert.ok(at > 0)
  body[at + 1] = 7
  // Wire type 7 is none: from here on the span cannot be read.
  body[at + 9] = 0xff
  const answer = await sendSpans(url, { body, headers })
  assert.equal(answer.status, 200)
  assert.ok(answer.body.length > 4, 'the answer says nothing of the span that was rejected')
  assert.equal((await waitForReport(url, good.traceId)).completeness, 'complete')
  await expectRejected(url, poisoned)
}

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { defaultRules } from '../../../src/rules/rules.ts'
import { defaultClosingLimits } from '../../../src/server/open-trace-log.ts'
import { ReportService } from '../../../src/server/report-service.ts'
import { SqliteConnection } from '../../../src/server/sqlite-connection.ts'
import { loadDriver, type SqlDatabase } from '../../../src/server/sqlite-driver.ts'
import { SqliteStore } from '../../../src/server/sqlite-store.ts'
import { toMessage } from '../../otlp/sdk-span.ts'
import { newStorePath, openAt } from '../store/store-samples.ts'
import { rootOf, traceIdOf } from './start-closer.ts'

const MIB = 1024 * 1024
const COMMIT_MS = 150
const MAX_PENDING = 4 * MIB

/** A database whose disk takes its time for each transaction, which holds the thread up as a slow disk does. */
function slowDown(database: SqlDatabase): SqlDatabase {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  return {
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    exec: (sql) => {
      if (sql === 'COMMIT') Atomics.wait(cell, 0, 0, COMMIT_MS)
      database.exec(sql)
    },
  }
}

/** Starts the service on a slow disk; `reader` looks at the file beside it. */
async function startSlowly() {
  const path = newStorePath()
  await (await openAt(path, { now: Date.now })).close()
  const driver = await loadDriver()
  const connection = new SqliteConnection(
    slowDown(driver.open(path, { readOnly: false, busyMs: 2_000 })),
    false,
  )
  const store = new SqliteStore({ connection, path, driver: driver.name, now: Date.now, unlock: () => {} })
  const service = new ReportService(
    {
      store: path,
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      token: null,
      tls: null,
      rules: defaultRules,
      closing: { ...defaultClosingLimits, settleMillis: 100 },
      retention: {},
      maxBodyBytes: MIB,
      maxRequests: 64,
      maxPendingBytes: MAX_PENDING,
      showSpans: true,
      forward: null,
      stopMillis: 10_000,
    },
    { store, log: () => {}, now: Date.now, random: () => 0 },
  )
  const { url } = await service.start()
  const reader = await openAt(path, { readOnly: true })
  onTestFinished(async () => {
    await service.stop()
    await reader.close()
  })
  return { url, store, reader }
}

/** A request with one trace of some 300 KB that cannot be packed. */
function makeBody(trace: number): Uint8Array<ArrayBuffer> {
  const filler = randomBytes(225_000).toString('base64')
  const { attributes } = rootOf(trace)
  return new Uint8Array(toMessage(rootOf(trace, { attributes: { ...attributes, filler } })))
}

test('on a slow disk acknowledgements wait for it, what waits is bounded, and whoever is refused is told when to come again', async () => {
  const { url, store, reader } = await startSlowly()
  const count = 60
  const refusals: string[] = []
  let mostPending = 0
  const deliver = async (trace: number): Promise<void> => {
    const body = makeBody(trace)
    for (let attempt = 0; attempt < 500; attempt++) {
      const headers = { 'content-type': 'application/x-protobuf' }
      const response = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      mostPending = Math.max(mostPending, store.pendingBytes)
      if (response.status === 200) {
        // Whoever was acknowledged finds the spans in the file, whatever the service holds.
        expect(reader.readTrace(traceIdOf(trace))?.lastChunk).toBeGreaterThan(0)
        return
      }
      expect(response.status).toBe(503)
      refusals.push(response.headers.get('retry-after') ?? 'nothing')
      await delay(50 + Math.random() * 200)
    }
    expect.fail(`trace ${trace} was refused again and again`)
  }
  await Promise.all(Array.from({ length: count }, (_, at) => deliver(at + 1)))
  // How many are refused depends on how many come while the disk holds the thread up.
  expect(refusals.filter((after) => after !== '1')).toEqual([])
  expect(mostPending).toBeLessThanOrEqual(MAX_PENDING)
  await expect.poll(() => reader.info().chains, { timeout: 60_000, interval: 200 }).toBe(count)
  expect(reader.info()).toMatchObject({ traces: count, unreportedTraces: 0 })
})

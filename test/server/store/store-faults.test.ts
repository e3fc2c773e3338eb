import { hash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReportStore, StoreError } from '../../../src/server/report-store.ts'
import { loadDriver } from '../../../src/server/sqlite-driver.ts'
import {
  createChunk,
  createCommit,
  nameOf,
  newStorePath,
  NOON_MS,
  openAt,
  reportOf,
  storeReported,
  traceId,
} from './store-samples.ts'

/** A store with some reports in it, which is closed. */
async function createStore(traces: number): Promise<string> {
  const path = newStorePath()
  const store = await openAt(path)
  for (let trace = 1; trace <= traces; trace++) await storeReported(store, trace)
  await store.close()
  return path
}

async function change(path: string, sql: string): Promise<void> {
  const database = (await loadDriver()).open(path, { readOnly: false, busyMs: 0 })
  database.exec(sql)
  database.close()
}

function faultOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as StoreError).fault
  }
}

describe('openStore()', () => {
  it('refuses a second writer, lets readers in, and lets another write when the first has closed', async () => {
    const path = await createStore(1)
    const first = await openAt(path)
    await expect(openAt(path)).rejects.toMatchObject({ name: 'SqliteOpenError', reason: 'in_use' })
    const reader = await openAt(path, { readOnly: true })
    await storeReported(first, 2)
    expect(reader.listChains({}, 10, null)).toHaveLength(2)
    expect(reader.verify()).toEqual([])
    await first.close()
    expect(reader.info().chains).toBe(2)
    const second = await openAt(path)
    await second.close()
    await reader.close()
  })

  it('refuses the store of a newer version and leaves it as it is', async () => {
    const path = await createStore(1)
    await change(path, 'PRAGMA user_version = 2')
    await expect(openAt(path)).rejects.toThrow(
      `Cannot open the store ${path}: expected version 1 or older, found 2; it was written by a newer agent-reach`,
    )
    await change(path, 'PRAGMA user_version = 1')
    await (await openAt(path)).close()
  })

  it.each([
    [
      'a text',
      (path: string) => Promise.resolve(writeFileSync(path, 'no database at all, only some text'.repeat(99))),
    ],
    ['another database', (path: string) => change(path, 'CREATE TABLE t (a)')],
  ])('refuses %s and leaves it as it is', async (_, write) => {
    const path = newStorePath()
    await write(path)
    const before = readFileSync(path)
    for (const readOnly of [false, true]) {
      await expect(openAt(path, { readOnly })).rejects.toMatchObject({
        reason: 'foreign',
        message: `Cannot open the store ${path}: expected a store, found another file`,
      })
    }
    expect(readFileSync(path)).toEqual(before)
  })

  it('makes no file for a reader', async () => {
    const path = newStorePath()
    await expect(openAt(path, { readOnly: true })).rejects.toMatchObject({ reason: 'missing' })
    expect(existsSync(path)).toBe(false)
  })

  it('is told from a folder', async () => {
    const path = dirname(newStorePath())
    await expect(openAt(path)).rejects.toMatchObject({
      reason: 'foreign',
      message: `Cannot open the store ${path}: expected a file, found a folder`,
    })
  })

  it('does not make the folder of the file', async () => {
    const path = join(dirname(newStorePath()), 'missing', 'reports.db')
    await expect(openAt(path)).rejects.toMatchObject({
      reason: 'missing',
      message: `Cannot open the store ${path}: expected a folder to put it into, found nothing at ${dirname(path)}`,
    })
  })

  it('says what to install where the driver that is asked for is not there', async () => {
    await expect(openAt(newStorePath(), { driver: 'some other' as 'node:sqlite' })).rejects.toMatchObject({
      reason: 'no_driver',
      message: expect.stringContaining('npm install better-sqlite3@12') as string,
    })
  })

  it('keeps a store in memory apart from every other', async () => {
    const [first, second] = [await openAt(':memory:'), await openAt(':memory:')]
    await storeReported(first, 1)
    expect(first.info().chains).toBe(1)
    expect(second.info().chains).toBe(0)
    expect(existsSync(':memory:-lock')).toBe(false)
    await first.close()
    await second.close()
  })
})

describe('a store for reading only', () => {
  it('writes nothing', async () => {
    const store = await openAt(await createStore(1), { readOnly: true })
    await expect(store.append([createChunk(1, 'a')], NOON_MS)).rejects.toMatchObject({ fault: 'read_only' })
    for (const work of [
      () => store.commitTrace(createCommit(1)),
      () => store.retain({ maxAgeMs: 0 }, NOON_MS),
      () => store.removeForward(1),
      () => store.compact(),
      () => store.probe(),
    ]) {
      expect(faultOf(work)).toBe('read_only')
    }
    expect(store.getReport(nameOf(1))?.revision).toBe(1)
    await store.close()
  })
})

describe('a full store', () => {
  /** Appends to one trace after the other until one is refused. */
  async function fill(store: ReportStore, text: string): Promise<{ kept: number; fault: unknown }> {
    for (let kept = 0; ; kept++) {
      try {
        await store.append([createChunk(kept + 1, text)], NOON_MS + kept)
      } catch (fault) {
        return { kept, fault }
      }
    }
  }

  it('refuses what has no room, keeps nothing of it, and takes it once there is room again', async () => {
    const path = newStorePath()
    const store = await openAt(path, { maxPages: 60 })
    store.probe()
    const big = 'x'.repeat(100_000)
    const { kept, fault } = await fill(store, big)
    expect(fault).toMatchObject({ name: 'StoreError', fault: 'full' })
    expect(kept).toBeGreaterThan(3)
    expect(store.pendingBytes).toBe(0)
    expect(store.readTrace(traceId(kept + 1))).toBeNull()
    const together = [
      store.append([createChunk(kept + 1, big)], NOON_MS),
      store.append([createChunk(1, 's')], NOON_MS),
    ]
    expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(store.readTrace(traceId(1))?.bodies).toHaveLength(1)

    store.commitTraces([createCommit(1, { lastChunk: 1 }), createCommit(2, { lastChunk: 2 })])
    expect(store.retain({ maxAgeMs: 0 }, NOON_MS + 1_000)).toBe(2)
    await store.append([createChunk(kept + 1, big)], NOON_MS)
    expect(store.readTrace(traceId(kept + 1))?.bodies.map(String)).toEqual([big])
    expect(store.verify()).toEqual([])
    await store.close()
  })

  it('is told by a probe, before anybody loses time with a request', async () => {
    const store = await openAt(newStorePath(), { maxPages: 40 })
    await fill(store, 'x'.repeat(15_000))
    expect(faultOf(() => store.probe())).toBe('full')
    await store.close()
  })
})

describe('a damaged store', () => {
  /** Overwrites bytes in the middle of the first place where they stand, in a copy of the file. */
  function damage(path: string, bytes: Uint8Array): string {
    const copy = join(mkdtempSync(join(tmpdir(), 'agent-reach-store-')), 'reports.db')
    copyFileSync(path, copy)
    const at = readFileSync(copy).indexOf(bytes)
    expect(at).toBeGreaterThan(0)
    const file = openSync(copy, 'r+')
    writeSync(file, Buffer.alloc(4, 0xa5), 0, 4, at + (bytes.length >> 1))
    closeSync(file)
    return copy
  }

  async function readBlob(path: string, sql: string): Promise<Uint8Array> {
    const database = (await loadDriver()).open(path, { readOnly: false, busyMs: 0 })
    const [blob] = Object.values(database.prepare(sql).get() ?? {})
    database.close()
    return blob as Uint8Array
  }

  it('says so of the one report that is damaged, and gives all others', async () => {
    const path = await createStore(3)
    const blob = await readBlob(path, 'SELECT report FROM reports WHERE id = 2')
    const store = await openAt(damage(path, blob))
    expect(faultOf(() => store.getReport(nameOf(2)))).toBe('corrupt')
    expect(store.getReport(nameOf(1))?.json).toBe(JSON.stringify(reportOf(1)))
    expect(store.getReport(nameOf(3))?.json).toBe(JSON.stringify(reportOf(3)))
    expect(store.listChains({}, 10, null)).toHaveLength(3)
    expect(store.verify()).toEqual([
      `report 2: Cannot read the report ${nameOf(2)}-1: expected what was stored, found bytes that do not fit their checksum`,
    ])
    await storeReported(store, 4)
    await store.close()
  })

  it('says so of the one trace whose spans are damaged', async () => {
    const path = await createStore(2)
    const store = await openAt(damage(path, Buffer.from('spans of 1')))
    expect(faultOf(() => store.readTrace(traceId(1)))).toBe('corrupt')
    expect(store.readTrace(traceId(2))?.bodies.map(String)).toEqual(['spans of 2'])
    expect(store.verify()).toHaveLength(1)
    await store.close()
  })

  it('goes on beside a page that cannot be read as one', async () => {
    const path = newStorePath()
    const filled = await openAt(path)
    for (let trace = 1; trace <= 4; trace++) {
      // Digests have no likeness, so that the bytes of a report are in one place only.
      const summary = Array.from({ length: 4_000 }, (_, index) => hash('sha256', `${trace} ${index}`)).join(
        ' ',
      )
      await storeReported(filled, trace, { summary })
    }
    await filled.close()
    const database = (await loadDriver()).open(path, { readOnly: false, busyMs: 0 })
    // A report of this size goes on in pages of its own, which no other row is in.
    const blob = (database.prepare('SELECT report FROM reports WHERE id = 2').get() ?? {})[
      'report'
    ] as Uint8Array
    database.close()
    const file = readFileSync(path)
    const places = [0, 100, 200].map((by) => file.indexOf(blob.subarray(50_000 + by, 50_064 + by)))
    const page = Math.floor(Math.max(...places) / 16_384)
    expect(page).toBeGreaterThan(0)
    file.fill(0xff, page * 16_384, page * 16_384 + 16_384)
    writeFileSync(path, file)
    const store = await openAt(path)
    expect(faultOf(() => store.getReport(nameOf(2)))).toBe('corrupt')
    for (const trace of [1, 3, 4]) expect(store.getReport(nameOf(trace))?.revision).toBe(1)
    expect(store.verify().length).toBeGreaterThan(0)
    await store.close()
  })

  it('is told by what does not fit together', async () => {
    const path = await createStore(3)
    await change(
      path,
      'DELETE FROM chains WHERE id = 1; UPDATE reports SET digest = 1 WHERE id = 2; DELETE FROM reports WHERE id = 3',
    )
    const store = await openAt(path, { readOnly: true })
    const told = store.verify()
    expect(told).toContain('1 reports of a chain that is not listed')
    expect(told).toContain('2 chains without their report')
    expect(told).toContain('1 alerts of a chain that is not listed')
    expect(told).toContain(
      `report 2: the report ${nameOf(2)}-1 has the digest ${reportOf(2).digest}, and says 1`,
    )
    await store.close()
  })
})

import type * as promises from 'node:fs/promises'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createJsonLinesSink } from '../../src/exporters/json-lines-sink.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { ReportSink } from '../../src/report/report-sink.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'

/** A disk that is full takes half of a text; every sync is counted. */
const disk = vi.hoisted(() => ({ isFull: false, syncs: 0 }))

vi.mock('node:fs/promises', async (load) => {
  const original = await load<typeof promises>()
  const open: typeof original.open = async (...args) => {
    const handle = await original.open(...args)
    const appendWhole = handle.appendFile.bind(handle)
    handle.appendFile = async (data) => {
      if (!disk.isFull) return appendWhole(data)
      await appendWhole((data as Buffer).subarray(0, (data as Buffer).length / 2))
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    }
    const sync = handle.sync.bind(handle)
    handle.sync = async () => {
      if ((await handle.stat()).isFile()) disk.syncs++
      await sync()
    }
    return handle
  }
  return { ...original, open }
})

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'json-lines-sink-'))
})

afterEach(async () => {
  disk.isFull = false
  await rm(root, { recursive: true, force: true })
})

function readLines(text: string): readonly ChainReport[] {
  expect(text).toMatch(/(?:^|\n)$/u)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChainReport)
}

/** The revisions that a file holds, which must be whole lines. */
async function readRevisions(path: string): Promise<readonly number[]> {
  return readLines(await readFile(path, 'utf8')).map(({ revision }) => revision)
}

async function writeRevisions(sink: ReportSink, ...revisions: readonly number[]): Promise<void> {
  for (const revision of revisions) await sink.write(createReport({ revision }))
}

/** Bytes of the lines of some reports. */
function sizeOf(...revisions: readonly number[]): number {
  return revisions.reduce(
    (sum, revision) => sum + Buffer.byteLength(JSON.stringify(createReport({ revision }))) + 1,
    0,
  )
}

describeReportSink('createJsonLinesSink() with a path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'json-lines-contract-'))
  const path = join(folder, 'reports.jsonl')
  return {
    sink: createJsonLinesSink({ path }),
    readStored: async () => readLines(await readFile(path, 'utf8').catch(() => '')),
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
})

describeReportSink('createJsonLinesSink() with files that are set aside', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'json-lines-contract-'))
  return {
    sink: createJsonLinesSink({ path: join(folder, 'reports.jsonl'), maxBytes: 20_000, maxFiles: 100 }),
    readStored: async () => {
      const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'))
      return (await Promise.all(texts)).flatMap(readLines)
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
})

describeReportSink('createJsonLinesSink() with a stream', async () => {
  let text = ''
  const stream = new PassThrough()
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return {
    sink: createJsonLinesSink({ stream }),
    readStored: async () => readLines(text),
    dispose: async () => {
      expect(stream.writableEnded).toBe(false)
      expect(stream.listenerCount('error')).toBe(0)
    },
  }
})

describe('createJsonLinesSink() with a path', () => {
  test('makes the folder and the file with the first report, not before', async () => {
    const path = join(root, 'made', 'when needed', 'reports.jsonl')
    const sink = createJsonLinesSink({ path })
    await sink.flush()
    expect(await readdir(root)).toEqual([])
    await writeRevisions(sink, 1)
    expect(await readRevisions(path)).toEqual([1])
    await sink.close()
  })

  test('adds to what is there', async () => {
    const path = join(root, 'reports.jsonl')
    for (const revision of [1, 2]) {
      const sink = createJsonLinesSink({ path })
      await writeRevisions(sink, revision)
      await sink.close()
    }
    expect(await readRevisions(path)).toEqual([1, 2])
  })

  test('ends a line that was left unfinished, and leaves it as it is', async () => {
    const path = join(root, 'reports.jsonl')
    await writeFile(path, '{"a":1}\n{"torn":')
    const sink = createJsonLinesSink({ path })
    await writeRevisions(sink, 1)
    await sink.close()
    const text = await readFile(path, 'utf8')
    expect(text.split('\n').slice(0, 2)).toEqual(['{"a":1}', '{"torn":'])
    expect(text).toBe(`{"a":1}\n{"torn":\n${JSON.stringify(createReport())}\n`)
  })

  test('sets a file aside before it is too long, and deletes the oldest', async () => {
    const path = join(root, 'reports.jsonl')
    const sink = createJsonLinesSink({ path, maxBytes: sizeOf(1, 2), maxFiles: 3 })
    await writeRevisions(sink, 1, 2)
    expect(await readdir(root)).toEqual(['reports.jsonl'])
    expect((await stat(path)).size).toBe(sizeOf(1, 2))
    await writeRevisions(sink, 3, 4, 5, 6, 7)
    await sink.close()
    expect((await readdir(root)).toSorted()).toEqual(['reports.1.jsonl', 'reports.2.jsonl', 'reports.jsonl'])
    expect(await readRevisions(path)).toEqual([7])
    expect(await readRevisions(join(root, 'reports.1.jsonl'))).toEqual([5, 6])
    expect(await readRevisions(join(root, 'reports.2.jsonl'))).toEqual([3, 4])
  })

  test('goes on where the last start ended, and keeps 5 files where nobody says how many', async () => {
    const path = join(root, 'reports')
    for (let revision = 1; revision <= 9; revision++) {
      const sink = createJsonLinesSink({ path, maxBytes: 1 })
      await writeRevisions(sink, revision)
      await sink.close()
    }
    expect((await readdir(root)).toSorted()).toEqual([
      'reports',
      'reports.1',
      'reports.2',
      'reports.3',
      'reports.4',
    ])
    expect(await readRevisions(path)).toEqual([9])
    expect(await readRevisions(`${path}.4`)).toEqual([5])
  })

  test('keeps the newest file alone where it may keep one', async () => {
    const path = join(root, 'reports.jsonl')
    const sink = createJsonLinesSink({ path, maxBytes: 1, maxFiles: 1 })
    await writeRevisions(sink, 1, 2, 3)
    await sink.close()
    expect(await readdir(root)).toEqual(['reports.jsonl'])
    expect(await readRevisions(path)).toEqual([3])
  })

  test('leaves no part of a line on a full disk, and goes on when there is space', async () => {
    const path = join(root, 'reports.jsonl')
    const sink = createJsonLinesSink({ path })
    await writeRevisions(sink, 1)
    disk.isFull = true
    await expect(writeRevisions(sink, 2)).rejects.toThrow(
      `Cannot write ${path}: expected a folder that can be written to, found no space left`,
    )
    expect(await readRevisions(path)).toEqual([1])
    disk.isFull = false
    await writeRevisions(sink, 3)
    await sink.close()
    expect(await readRevisions(path)).toEqual([1, 3])
  })

  test('ends what somebody else left unfinished after a write that failed', async () => {
    const path = join(root, 'reports.jsonl')
    const sink = createJsonLinesSink({ path })
    await writeRevisions(sink, 1)
    disk.isFull = true
    await expect(writeRevisions(sink, 2)).rejects.toThrow('no space left')
    disk.isFull = false
    await appendFile(path, '{"torn"')
    await writeRevisions(sink, 3)
    await sink.close()
    expect((await readFile(path, 'utf8')).split('\n').slice(1, 2)).toEqual(['{"torn"'])
  })

  test('brings the lines onto the disk with flush()', async () => {
    const sink = createJsonLinesSink({ path: join(root, 'reports.jsonl') })
    await writeRevisions(sink, 1)
    const before = disk.syncs
    await sink.flush()
    expect(disk.syncs).toBe(before + 1)
    await sink.close()
  })

  test('says what it found where the file is a folder or below a file', async () => {
    await expect(createJsonLinesSink({ path: root }).write(createReport())).rejects.toThrow(
      /found a folder where the file must be$/u,
    )
    await writeFile(join(root, 'file'), '')
    const below = createJsonLinesSink({ path: join(root, 'file', 'reports.jsonl') })
    await expect(below.write(createReport())).rejects.toThrow(/found a file where a folder must be$/u)
    await expect(createJsonLinesSink({ path: '/dev/null' }).write(createReport())).rejects.toThrow(
      /found something that is not a file$/u,
    )
  })

  test('refuses an empty path and numbers that are no limits', () => {
    expect(() => createJsonLinesSink({ path: '' })).toThrow(
      new TypeError("Cannot create a JSON Lines sink: expected path to be that of a file, found ''"),
    )
    expect(() => createJsonLinesSink({ path: 'a', maxBytes: 0 })).toThrow(RangeError)
    expect(() => createJsonLinesSink({ path: 'a', maxFiles: 0 })).toThrow(RangeError)
  })
})

describe('createJsonLinesSink() with a stream', () => {
  test('waits for a reader that is slow, and hands it one line at a time', async () => {
    let taken = 0
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, callback) => {
        taken++
        setTimeout(callback, 20)
      },
    })
    const sink = createJsonLinesSink({ stream })
    const written = [1, 2, 3].map((revision) => sink.write(createReport({ revision })))
    await written[0]
    expect(taken).toBe(1)
    expect(stream.writableLength).toBe(0)
    await sink.flush()
    expect(taken).toBe(3)
    await Promise.all(written)
  })

  test('rejects where the reader has gone, without an error that nobody hears', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) })
    const sink = createJsonLinesSink({ stream })
    for (const revision of [1, 2]) {
      await expect(sink.write(createReport({ revision }))).rejects.toThrow(
        'Cannot write to the stream: expected it to take a report, found',
      )
    }
    await sink.close()
    await delay(5)
  })

  test('rejects where the stream is closed while it writes', async () => {
    const stream = new Writable({ write: () => {} })
    const sink = createJsonLinesSink({ stream })
    const written = sink.write(createReport())
    const checked = expect(written).rejects.toThrow(/found the stream is closed$/u)
    await delay(5)
    stream.destroy()
    await checked
    await sink.close()
  })
})

import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDirectorySink } from '../../src/exporters/directory-sink.ts'
import { createKeyedQueue } from '../../src/exporters/keyed-queue.ts'
import { createRetention, type ReportRetention } from '../../src/exporters/retention.ts'
import { createReport } from '../report/create-report.ts'

const NOW = Date.UTC(2026, 10, 30, 12)
const HOUR = 3_600_000

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'retention-'))
})

afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

/** A name of a report without its ending. */
function nameOf(digit: string): string {
  return `${digit.repeat(32)}-${digit.repeat(8)}`
}

/** Makes a file that was written some time ago. */
async function placeFile(path: string, ageMillis: number): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{}')
  const at = new Date(NOW - ageMillis)
  await utimes(file, at, at)
}

/** Everything below the root, folders with a slash at the end. */
async function listAll(): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
      return entry.isDirectory() ? `${path}/` : path
    })
    .toSorted()
}

async function runRetention(retention: ReportRetention): Promise<void> {
  await createDirectorySink({ directory: root, retention: { now: () => NOW, ...retention } }).flush()
}

describe('createDirectorySink() with retention', () => {
  test('deletes what is older than it may be, and the folder that is empty then', async () => {
    await placeFile(`2026-11-28/${nameOf('a')}.json`, 25 * HOUR)
    await placeFile(`2026-11-28/${nameOf('a')}.md`, 25 * HOUR)
    await placeFile(`2026-11-29/${nameOf('b')}.json`, 25 * HOUR)
    await placeFile(`2026-11-29/${nameOf('c')}.json`, 23 * HOUR)
    await runRetention({ maxAgeMillis: 24 * HOUR })
    expect(await listAll()).toEqual(['2026-11-29/', `2026-11-29/${nameOf('c')}.json`])
  })

  test('keeps the reports that were written last, each with its Markdown', async () => {
    for (const [at, digit] of ['a', 'b', 'c', 'd'].entries()) {
      await placeFile(`2026-11-30/${nameOf(digit)}.json`, at * HOUR)
      await placeFile(`2026-11-30/${nameOf(digit)}.md`, at * HOUR)
    }
    await runRetention({ maxFiles: 2 })
    expect(await listAll()).toEqual([
      '2026-11-30/',
      ...['a', 'b'].flatMap((digit) => [
        `2026-11-30/${nameOf(digit)}.json`,
        `2026-11-30/${nameOf(digit)}.md`,
      ]),
    ])
  })

  test('leaves alone whatever is not its own', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'retention-outside-'))
    await writeFile(join(outside, `${nameOf('e')}.json`), '{}')
    const own = `2026-11-30/${nameOf('a')}.json`
    const others = [
      `${nameOf('a')}.json`,
      `2026-11-30/${nameOf('a')}.json.bak`,
      `2026-11-30/${nameOf('A')}.json`,
      `2026-11-30/${nameOf('a')}-1.json`,
      '2026-11-30/notes.json',
      `2026-11-30/${nameOf('a')}.txt`,
      `2026-11-30/.${nameOf('a')}.json.0123.tmp`,
      `2026-11-30/more/${nameOf('a')}.json`,
      `undated/${nameOf('a')}.json`,
      `2026-11/${nameOf('a')}.json`,
      `x2026-11-30/${nameOf('a')}.json`,
    ]
    for (const path of [own, ...others]) await placeFile(path, 1_000 * HOUR)
    await mkdir(join(root, '2026-11-27'))
    await mkdir(join(root, `2026-11-30/${nameOf('d')}.json`))
    await symlink(outside, join(root, '2026-11-26'))
    await symlink(join(outside, `${nameOf('e')}.json`), join(root, `2026-11-30/${nameOf('f')}.json`))
    const before = await listAll()
    await runRetention({ maxAgeMillis: HOUR, maxFiles: 1 })
    expect(await listAll()).toEqual(before.filter((path) => path !== own))
    expect(await readdir(outside)).toHaveLength(1)
    await rm(outside, { recursive: true })
  })

  test('keeps everything where there is no limit', async () => {
    await placeFile(`2026-11-28/${nameOf('a')}.json`, 1_000_000 * HOUR)
    await runRetention({})
    expect(await listAll()).toHaveLength(2)
  })

  test('runs at most once a minute', async () => {
    let now = NOW
    const sink = createDirectorySink({
      directory: root,
      retention: { maxAgeMillis: HOUR, now: () => now },
    })
    const path = `2026-11-28/${nameOf('a')}.json`
    await sink.flush()
    await placeFile(path, 2 * HOUR)
    now += 59_999
    await sink.flush()
    expect(await listAll()).toContain(path)
    now += 1
    await sink.flush()
    expect(await listAll()).toEqual([])
  })

  test('runs with close(), and keeps what was just written', async () => {
    await placeFile(`2026-11-28/${nameOf('a')}.json`, HOUR)
    const sink = createDirectorySink({ directory: root, markdown: true, retention: { maxFiles: 1 } })
    const report = createReport()
    await sink.write(report)
    await sink.close()
    const path = relative(root, sink.pathOf(report)).replaceAll('\\', '/')
    expect(await listAll()).toEqual(['2026-11-30/', path, path.replace('.json', '.md')])
  })

  test('keeps a report that is written anew while it runs', async () => {
    const path = `2026-11-28/${nameOf('a')}.json`
    await placeFile(path, 25 * HOUR)
    const queue = createKeyedQueue(8)
    const written = queue.run(join(root, path), async () => {
      await delay(50)
      await writeFile(join(root, path), '{ "revision": 2 }')
    })
    await createRetention(root, { maxAgeMillis: HOUR, now: () => NOW }, queue)()
    await written
    expect(await listAll()).toContain(path)
  })

  test('lets no write fail while it runs', async () => {
    let now = NOW
    const sink = createDirectorySink({ directory: root, retention: { maxAgeMillis: 0, now: () => now } })
    for (let round = 0; round < 20; round++) {
      // The clock of the sink is far ahead of that of the files: each run finds all reports too old.
      now = Date.now() + (round + 1) * HOUR
      const flushed = sink.flush()
      for (let at = 0; at < 20; at++) await sink.write(createReport({ chain_id: `${at}` }))
      await flushed
    }
  })

  test('needs no folder to be there', async () => {
    await rm(root, { recursive: true })
    await runRetention({ maxFiles: 1 })
  })

  test.each([{ maxAgeMillis: -1 }, { maxFiles: 0 }, { maxFiles: 1.5 }])('refuses %j', (retention) => {
    expect(() => createDirectorySink({ directory: root, retention })).toThrow(RangeError)
  })
})

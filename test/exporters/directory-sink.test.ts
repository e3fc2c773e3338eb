import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDirectorySink } from '../../src/exporters/directory-sink.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport, TRACE_ID } from '../report/create-report.ts'

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'directory-sink-'))
})

afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

/** Every file below a folder, by its path from there. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}

async function readReport(path: string): Promise<ChainReport> {
  return JSON.parse(await readFile(path, 'utf8'))
}

/** Writes a report with a new sink; gives the text of every file that is there then. */
async function writeAnew(directory: string): Promise<readonly string[]> {
  const sink = createDirectorySink({ directory, markdown: true })
  await sink.write(createReport())
  await sink.close()
  const files = await listFiles(directory)
  return Promise.all(files.map((each) => readFile(join(directory, each), 'utf8')))
}

describeReportSink('createDirectorySink()', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'directory-sink-contract-'))
  return {
    sink: createDirectorySink({ directory }),
    readStored: async () => {
      const files = await listFiles(directory)
      return Promise.all(files.map((file) => readReport(join(directory, file))))
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  }
})

describe('createDirectorySink()', () => {
  const file = `2026-11-30/${TRACE_ID}-398acaee.json`

  test('writes one file per chain, by day, trace and chain', async () => {
    const directory = join(root, 'made', 'when needed')
    const sink = createDirectorySink({ directory })
    const report = createReport()
    await sink.write(report)
    await sink.write(createReport({ chain_id: 'other', started_at: '2026-12-01T00:00:00.000000Z' }))
    await sink.close()
    expect(await listFiles(directory)).toEqual([file, `2026-12-01/${TRACE_ID}-d9298a10.json`])
    expect(sink.pathOf(report)).toBe(join(directory, file))
    expect(await readFile(sink.pathOf(report), 'utf8')).toBe(`${JSON.stringify(report, null, 2)}\n`)
  })

  test('tells paths below the directory as it was given', () => {
    expect(createDirectorySink({ directory: 'chain-reports' }).pathOf(createReport())).toBe(
      join('chain-reports', file),
    )
  })

  test('writes Markdown beside the JSON where it is told so', async () => {
    const sink = createDirectorySink({ directory: root, markdown: true })
    const report = createReport()
    await sink.write(report)
    const markdown = file.replace('.json', '.md')
    expect(await listFiles(root)).toEqual([file, markdown])
    expect(await readFile(join(root, markdown), 'utf8')).toBe(renderMarkdown(report))
  })

  test('gives the same bytes when it is run again', async () => {
    const first = await writeAnew(root)
    expect(first).toHaveLength(2)
    expect(await writeAnew(root)).toEqual(first)
  })

  test('replaces a report by one of the same or a higher revision, never by one of a lower', async () => {
    const sink = createDirectorySink({ directory: root, markdown: true })
    const write = async (revision: number, summary: string): Promise<string> => {
      await sink.write(createReport({ revision, summary }))
      const { summary: stored } = await readReport(join(root, file))
      expect(await readFile(join(root, file.replace('.json', '.md')), 'utf8')).toContain(stored)
      return stored
    }
    expect(await write(2, 'the second')).toBe('the second')
    expect(await write(1, 'too late')).toBe('the second')
    expect(await write(2, 'the second again')).toBe('the second again')
    expect(await write(10, 'the tenth')).toBe('the tenth')
    expect(await write(9, 'too late')).toBe('the tenth')
    const later = createDirectorySink({ directory: root })
    await later.write(createReport({ revision: 3, summary: 'of another run' }))
    expect((await readReport(join(root, file))).summary).toBe('the tenth')
  })

  test('keeps the highest of revisions that are written all at once', async () => {
    const sink = createDirectorySink({ directory: root })
    const revisions = [3, 7, 1, 20, 5, 19, 2]
    await Promise.all(revisions.map((revision) => sink.write(createReport({ revision }))))
    expect((await readReport(join(root, file))).revision).toBe(20)
  })

  test.each(['{"revision": 9', '', 'null', '[]', '{"revision": "9"}'])(
    'replaces a file that holds no report: %j',
    async (text) => {
      await mkdir(join(root, '2026-11-30'))
      await writeFile(join(root, file), text)
      await createDirectorySink({ directory: root }).write(createReport())
      expect((await readReport(join(root, file))).revision).toBe(1)
    },
  )

  test('never shows a part of a file while it is rewritten', async () => {
    const sink = createDirectorySink({ directory: root })
    const path = join(root, file)
    const summary = 'x'.repeat(200_000)
    await sink.write(createReport({ revision: 1, summary }))
    const writing = new AbortController()
    let reads = 0
    const reading = (async () => {
      let highest = 0
      while (!writing.signal.aborted) {
        const report = await readReport(path)
        expect(report.summary).toBe(summary)
        expect(report.revision).toBeGreaterThanOrEqual(highest)
        highest = report.revision
        reads++
      }
    })()
    for (let at = 0; at < 4; at++) {
      const revisions = Array.from({ length: 50 }, (_, each) => 2 + at * 50 + each)
      await Promise.all(revisions.map((revision) => sink.write(createReport({ revision, summary }))))
    }
    writing.abort()
    await reading
    expect(reads).toBeGreaterThan(5)
    expect((await readReport(path)).revision).toBe(201)
    expect(await listFiles(root)).toEqual([file])
  })

  test('says what it expected and what it found where the directory is a file', async () => {
    const directory = join(root, 'a-file')
    await writeFile(directory, 'mine')
    const path = join(directory, file)
    await expect(createDirectorySink({ directory }).write(createReport())).rejects.toThrow(
      `Cannot write ${path}: expected a folder that can be written to, found a file where a folder must be`,
    )
    expect(await readFile(directory, 'utf8')).toBe('mine')
  })

  test('says what it found where the file is a folder, and leaves nothing behind', async () => {
    await mkdir(join(root, file), { recursive: true })
    const sink = createDirectorySink({ directory: root })
    await expect(sink.write(createReport())).rejects.toThrow(/found a folder where the file must be$/u)
    expect(await listFiles(root)).toEqual([])
  })

  test('goes on after a write that failed', async () => {
    const sink = createDirectorySink({ directory: root })
    await writeFile(join(root, '2026-11-30'), '')
    const failed = sink.write(createReport())
    const written = sink.write(createReport({ started_at: '2026-12-01T00:00:00.000000Z' }))
    await expect(failed).rejects.toThrow(/a file where a folder must be$/u)
    await written
    await sink.flush()
    await rm(join(root, '2026-11-30'))
    await sink.write(createReport())
    expect(await listFiles(root)).toEqual([file, file.replace('2026-11-30', '2026-12-01')])
  })

  test('stays within its directory whatever a report says', async () => {
    const directory = join(root, 'reports')
    const sink = createDirectorySink({ directory })
    await sink.write(createReport({ report_id: '../../../escaped-1', started_at: '../../x' }))
    expect(await readdir(root)).toEqual(['reports'])
    expect(await listFiles(directory)).toEqual([
      expect.stringMatching(/^undated\/_escaped-[0-9a-f]{16}\.json$/u),
    ])
  })

  test('refuses an empty directory', () => {
    expect(() => createDirectorySink({ directory: '' })).toThrow(
      new TypeError("Cannot create a directory sink: directory must be the path of a folder, received ''"),
    )
  })
})

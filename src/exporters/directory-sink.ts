import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ChainReport } from '../report/chain-report.ts'
import { renderMarkdown } from '../report/render-markdown.ts'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { makeFolder } from './make-folder.ts'
import { toReportPath } from './report-path.ts'
import { createRetention, type ReportRetention } from './retention.ts'
import { syncFolder, writeAtomically } from './write-atomically.ts'
import { codeOf, toWriteError } from './write-error.ts'

/** What a directory sink is made of. */
export interface DirectorySinkOptions {
  /** The folder of all reports, absolute or relative to where the program runs now; made when it is needed. */
  readonly directory: string
  /**
   * Writes each report as Markdown too, beside the JSON.
   *
   * @default false
   */
  readonly markdown?: boolean
  /**
   * Deletes old reports with `flush` and `close`, at most once a minute: only files that are named like a report, in
   * folders that are named like a day, and the folders that are empty then.
   *
   * @default all reports are kept
   */
  readonly retention?: ReportRetention
}

/** A sink that can tell where it puts a report. */
export interface DirectorySink extends ReportSink {
  /** The JSON file of a report, below `directory` as that was given. The Markdown has the ending `.md` instead. */
  pathOf(report: ChainReport): string
}

/** Files that are written at a time. */
const CONCURRENCY = 8

/**
 * Creates a sink that keeps one file per chain: `<directory>/<day>/<trace id>-<chain hash>.json`, the day being that
 * on which the chain started, in UTC. A file is replaced as a whole, so that no reader ever sees a part of one; a
 * report of a lower revision than the one that is there is not written. The same report gives the same bytes.
 *
 * `write` resolves when the file is in place and rejects, naming the path, where it cannot be written. `flush`
 * resolves when all writes before it have ended and what they wrote is on the disk; errors are told by `write` alone.
 *
 * @throws {TypeError} where `directory` is empty
 * @throws {RangeError} where a limit of `retention` is no whole number
 */
export function createDirectorySink(options: DirectorySinkOptions): DirectorySink {
  const { directory, markdown = false, retention = {} } = options
  if (directory === '') {
    throw new TypeError(`Cannot create a directory sink: directory must be the path of a folder, received ''`)
  }
  const queue = createKeyedQueue(CONCURRENCY)
  // A program that changes its working directory later still finds its reports in one place.
  const root = resolve(directory)
  const deleteOld = createRetention(root, retention, queue)
  /** Folders with new entries since the last flush. */
  const unsynced = new Set<string>()
  let closed = false

  const flush = async (): Promise<void> => {
    await queue.settled()
    const folders = [...unsynced, ...(unsynced.size > 0 ? [root] : [])]
    unsynced.clear()
    await Promise.all(folders.map(syncFolder))
    await deleteOld()
  }

  return {
    pathOf: (report) => join(directory, toFile(report)),
    write: async (report) => {
      if (closed) throw toClosedError(report, 'directory sink')
      const path = join(root, toFile(report))
      await queue
        .run(path, () => storeReport(path, report, markdown).finally(() => unsynced.add(dirname(path))))
        .catch((error: unknown) => {
          throw toWriteError(path, error)
        })
    },
    flush,
    close: async () => {
      closed = true
      await flush()
    },
  }
}

async function storeReport(path: string, report: ChainReport, markdown: boolean): Promise<void> {
  await placeReport(path, report, markdown).catch(async (error: unknown) => {
    // The folder of the day may be deleted as empty, here or by another program, just before the file is made.
    if (codeOf(error) !== 'ENOENT') throw error
    await placeReport(path, report, markdown)
  })
}

/** Writes a report unless one of a higher revision is there. */
async function placeReport(path: string, report: ChainReport, markdown: boolean): Promise<void> {
  await makeFolder(dirname(path))
  if ((await readRevision(path)) > report.revision) return
  await writeAtomically(path, `${JSON.stringify(report, null, 2)}\n`)
  if (markdown) await writeAtomically(path.replace(/json$/u, 'md'), renderMarkdown(report))
}

function toFile(report: ChainReport): string {
  const { day, name } = toReportPath(report)
  return join(day, `${name}.json`)
}

/** The revision of the report in a file; 0 where there is no file, or none that holds a report. */
async function readRevision(path: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return 'null'
    throw error
  })
  try {
    const stored: unknown = JSON.parse(text)
    const isReport = typeof stored === 'object' && stored !== null && 'revision' in stored
    return isReport && typeof stored.revision === 'number' ? stored.revision : 0
  } catch {
    return 0
  }
}

import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeyedQueue } from './keyed-queue.ts'
import { requireWholeNumber } from './require-whole-number.ts'

/** Which reports of a folder are kept; with neither limit, all. */
export interface ReportRetention {
  /**
   * How long a report is kept after it was written last, in milliseconds.
   *
   * @default no limit
   */
  readonly maxAgeMillis?: number
  /**
   * Reports that are kept, the JSON and the Markdown of one counting as one; those that were written last stay.
   *
   * @default no limit
   */
  readonly maxFiles?: number
  /**
   * Tells the time, in milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly now?: () => number
}

/** A report in the folder. */
interface StoredReport {
  /** Without an ending. */
  readonly path: string
  readonly folder: string
  /** The endings of its files. */
  readonly endings: string[]
  /** When it was written last, in milliseconds since 1970. */
  writtenAt: number
}

/** The least time between two runs, in milliseconds. */
const INTERVAL = 60_000

const DAY = /^\d{4}-\d{2}-\d{2}$/u
const REPORT = /^(?<name>[0-9a-f]{32}-[0-9a-f]{8})\.(?<ending>json|md)$/u

/**
 * Creates a function that deletes old reports below a folder, and the folders of days that are empty then; nothing
 * happens where the last run is less than a minute ago. It deletes files whose names are those of reports and nothing
 * else. What cannot be read or deleted is left for the next run, as no report is lost by it.
 *
 * @param root an absolute path
 * @param queue in which the reports of a path are written, so that none is deleted while it is
 * @throws {RangeError} where `maxAgeMillis` is no whole number from 0, or `maxFiles` none from 1
 */
export function createRetention(
  root: string,
  retention: ReportRetention,
  queue: KeyedQueue,
): () => Promise<void> {
  const of = 'a directory sink'
  const { maxAgeMillis, maxFiles, now = Date.now } = retention
  if (maxAgeMillis !== undefined) {
    requireWholeNumber({ of, name: 'maxAgeMillis', value: maxAgeMillis, minimum: 0 })
  }
  if (maxFiles !== undefined) requireWholeNumber({ of, name: 'maxFiles', value: maxFiles, minimum: 1 })
  const isLimited = maxAgeMillis !== undefined || maxFiles !== undefined
  let lastRun = -Infinity

  return async () => {
    const at = now()
    // A clock that was set back must not put an end to it.
    if (!isLimited || Math.abs(at - lastRun) < INTERVAL) return
    lastRun = at
    const reports = await listReports(root)
    const oldest = at - (maxAgeMillis ?? Infinity)
    const doomed = reports.filter(
      (report, place) => place >= (maxFiles ?? Infinity) || report.writtenAt < oldest,
    )
    for (const report of doomed) await queue.run(`${report.path}.json`, () => deleteReport(report))
    for (const folder of new Set(doomed.map((report) => report.folder))) await rmdir(folder).catch(ignore)
  }
}

/** The reports below a folder, those that were written last first. */
async function listReports(root: string): Promise<readonly StoredReport[]> {
  const days = await readdir(root, { withFileTypes: true }).catch(() => [])
  const reports: StoredReport[] = []
  for (const day of days) {
    // A link is not ours, wherever it leads.
    if (day.isDirectory() && DAY.test(day.name)) reports.push(...(await listDay(join(root, day.name))))
  }
  return reports.sort((a, b) => b.writtenAt - a.writtenAt || (a.path < b.path ? -1 : 1))
}

async function listDay(folder: string): Promise<Iterable<StoredReport>> {
  const files = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const reports = new Map<string, StoredReport>()
  for (const file of files) {
    const { name, ending } = REPORT.exec(file.name)?.groups ?? {}
    if (name === undefined || ending === undefined || !file.isFile()) continue
    const writtenAt = await readTime(join(folder, file.name))
    if (writtenAt === undefined) continue
    const report = reports.get(name) ?? { path: join(folder, name), folder, endings: [], writtenAt }
    report.writtenAt = Math.max(report.writtenAt, writtenAt)
    report.endings.push(ending)
    reports.set(name, report)
  }
  return reports.values()
}

async function readTime(path: string): Promise<number | undefined> {
  return lstat(path).then(({ mtimeMs }) => mtimeMs, ignore)
}

/** Deletes a report unless it was written anew since the folder was read. */
async function deleteReport({ path, endings, writtenAt }: StoredReport): Promise<void> {
  const times = await Promise.all(endings.map((ending) => readTime(`${path}.${ending}`)))
  if (times.some((time) => time !== undefined && time > writtenAt)) return
  for (const ending of endings) await rm(`${path}.${ending}`, { force: true }).catch(ignore)
}

function ignore(): undefined {
  return undefined
}

import type { ChainReport } from '../report/chain-report.ts'
import { sha256Hex } from '../steps/digest.ts'

/** Where a report belongs below the folder of all reports; both parts are safe as names of files. */
export interface ReportPath {
  /** The day on which the chain started, in UTC, as `2026-11-30`. */
  readonly day: string
  /** `<trace id>-<chain hash>`, the same for every revision, without an ending. */
  readonly name: string
}

const REPORT_ID = /^([0-9a-f]{32}-[0-9a-f]{8})-\d+$/u

/**
 * Tells where a report belongs. An id that is not of the usual form, as from a foreign tool, is reduced to harmless
 * characters and told from others by its digest; it can never lead out of the folder.
 */
export function toReportPath({ report_id, started_at }: ChainReport): ReportPath {
  const day = /^\d{4}-\d{2}-\d{2}(?=T)/u.exec(started_at)?.[0] ?? 'undated'
  const usual = REPORT_ID.exec(report_id)?.[1]
  if (usual !== undefined) return { day, name: usual }
  const chain = report_id.replace(/-\d+$/u, '')
  const readable = chain.replace(/[^\w-]+/gu, '_').slice(0, 80)
  return { day, name: `${readable}-${sha256Hex(chain).slice(0, 16)}` }
}

import { canonicalJson } from '../steps/canonical-json.ts'
import { labelledDigest } from '../steps/digest.ts'
import type { ChainReport } from './chain-report.ts'
import { orderKeys } from './order-keys.ts'

/** Fields that say how a report came about, not what it says. */
const VOLATILE = [
  'report_id',
  'revision',
  'completeness',
  'completeness_reason',
  'dropped',
  'digest',
] as const

/**
 * The canonical bytes of a report: RFC 8785 JSON without the fields that say how it came about. The same evidence
 * gives the same bytes, whatever the order of arrival or the door.
 */
export function canonicalReport(report: Omit<ChainReport, 'digest'>): string {
  const copy: Record<string, unknown> = { ...report }
  for (const field of VOLATILE) delete copy[field]
  const ordered = orderKeys(copy)
  if (ordered === null) return canonicalJson(copy)
  const text = JSON.stringify(ordered)
  // So JSON.stringify writes a lone surrogate, which canonical JSON mends; to look once is cheaper than at each text.
  return text.includes('\\ud') ? canonicalJson(copy) : text
}

/** The digest of a report: SHA-256 of its canonical bytes. */
export function digestReport(report: Omit<ChainReport, 'digest'>): string {
  return labelledDigest(canonicalReport(report))
}

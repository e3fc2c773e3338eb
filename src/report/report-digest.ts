import { canonicalJson } from '../steps/canonical-json.ts'
import { labelledDigest } from '../steps/digest.ts'
import type { ChainReport } from './chain-report.ts'

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
  const keys = new Set<string>()
  return collectKeys(copy, keys) ? JSON.stringify(copy, [...keys].sort()) : canonicalJson(copy)
}

/**
 * Collects the keys of all objects. A list of keys as the second argument makes `JSON.stringify` write exactly these,
 * in that order, at native speed; the result is that of `canonicalJson`.
 *
 * @returns false where a string or key is not well-formed Unicode, which only `canonicalJson` mends
 */
function collectKeys(value: unknown, keys: Set<string>): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => collectKeys(item, keys))
  for (const [key, item] of Object.entries(value)) {
    keys.add(key)
    if (!collectKeys(item, keys)) return false
  }
  return true
}

/** The digest of a report: SHA-256 of its canonical bytes. */
export function digestReport(report: Omit<ChainReport, 'digest'>): string {
  return labelledDigest(canonicalReport(report))
}

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
  const sorted = sortKeys(copy)
  return sorted === NOT_WELL_FORMED ? canonicalJson(copy) : JSON.stringify(sorted)
}

const NOT_WELL_FORMED = Symbol('not well-formed')

/**
 * A copy with the keys of all objects in canonical order, which `JSON.stringify` then writes at native speed; the
 * result is that of `canonicalJson`. Text that is not well-formed Unicode is left to that, which mends it.
 */
function sortKeys(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : NOT_WELL_FORMED
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? sortItems(value) : sortMembers(value as Record<string, unknown>)
}

function sortItems(items: readonly unknown[]): unknown {
  const copy = items.map(sortKeys)
  return copy.includes(NOT_WELL_FORMED) ? NOT_WELL_FORMED : copy
}

function sortMembers(record: Readonly<Record<string, unknown>>): unknown {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(record).sort()) {
    const item = sortKeys(record[key])
    if (item === NOT_WELL_FORMED || !key.isWellFormed() || INTEGER_KEY.test(key)) return NOT_WELL_FORMED
    copy[key] = item
  }
  return copy
}

/** Keys that look like array indices come first in any object, whatever order they are written in. */
const INTEGER_KEY = /^\d+$|^__proto__$/u

/** The digest of a report: SHA-256 of its canonical bytes. */
export function digestReport(report: Omit<ChainReport, 'digest'>): string {
  return labelledDigest(canonicalReport(report))
}

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalReport, digestReport } from '../../src/report/report-digest.ts'
import { canonicalJson } from '../../src/steps/canonical-json.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { createReport } from './create-report.ts'

/** The report without the fields that say how it came about, written key by key. */
function canonicalOf(report: object): string {
  return canonicalJson(Object.fromEntries(Object.entries(report).filter(([key]) => !volatile.includes(key))))
}

const volatile = ['report_id', 'revision', 'completeness', 'completeness_reason', 'dropped', 'digest']

/** A field that no version knows: its key may look like an index, its value be anything that JSON holds. */
const arbitraryField = fc.tuple(
  fc.oneof(
    fc.constantFrom('0', '42', 'toJSON', 'a', 'zz', 'Attempt', 'a\ud800', '\ud83d\ude00', 'C:\\ud'),
    fc.string({ unit: 'binary', maxLength: 4 }).filter((key) => key !== '__proto__'),
  ),
  fc.jsonValue({ stringUnit: 'binary' }),
)

/** All objects inside a value, itself included. */
function listObjects(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? inside : [value, ...inside]
}

function nest(levels: number): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const at = list.length === 0 ? 0 : by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}

describe('canonicalReport()', () => {
  it('is canonical JSON of the report without the fields that say how it came about', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(canonicalReport(report)).toBe(canonicalOf(report))
      }),
      { numRuns: 300 },
    )
  })

  it('is that for reports with fields that a later version adds, wherever they stand', () => {
    fc.assert(
      fc.property(arbitraryReport, arbitraryField, fc.nat(), (report, [key, item], at) => {
        const changed = structuredClone(report)
        const objects = listObjects(changed)
        Object.assign(objects[at % objects.length] as object, { [key]: item })
        expect(canonicalReport(changed)).toBe(canonicalOf(changed))
      }),
      { numRuns: 500 },
    )
  })

  it('is that for reports that lack fields or have them in another order, wherever that is', () => {
    fc.assert(
      fc.property(arbitraryReport, fc.nat(), fc.nat(), (report, at, key) => {
        const changed = structuredClone(report)
        const objects = listObjects(changed)
        const chosen = objects[at % objects.length] as Record<string, unknown>
        const fields = rotate(Object.entries(chosen), key)
        for (const [name] of fields) delete chosen[name]
        Object.assign(chosen, Object.fromEntries(fields.slice(key % 2)))
        expect(canonicalReport(changed)).toBe(canonicalOf(changed))
      }),
      { numRuns: 500 },
    )
  })

  it('does not depend on the order of the fields', () => {
    const report = createReport({})
    const reversed = Object.fromEntries(Object.entries(report).toReversed()) as unknown as typeof report
    expect(canonicalReport(reversed)).toBe(canonicalReport(report))
  })

  it('mends text that is not well-formed Unicode', () => {
    expect(canonicalReport(createReport({ summary: 'a\ud800b' }))).toContain('"summary":"a\ufffdb"')
  })

  it('keeps text that only looks like an escape', () => {
    const text = canonicalReport(createReport({ summary: 'C:\\ud800' }))
    expect(text).toContain(String.raw`"summary":"C:\\ud800"`)
  })

  it('writes what is no JSON as canonical JSON does', () => {
    const determinism = {
      deep: nest(300),
      big: 5n,
      gone: undefined,
      list: [undefined, Number.NaN],
      __proto__: null,
    }
    const report = createReport({ determinism })
    expect(canonicalReport(report)).toBe(canonicalOf(report))
  })
})

describe('digestReport()', () => {
  it('is the SHA-256 of the canonical bytes, and the same for another revision', () => {
    const report = createReport({})
    const expected = createHash('sha256').update(canonicalReport(report), 'utf8').digest('hex')
    expect(digestReport(report)).toBe(`sha256:${expected}`)
    expect(digestReport(createReport({ revision: 2, completeness: 'amended' }))).toBe(`sha256:${expected}`)
  })
})

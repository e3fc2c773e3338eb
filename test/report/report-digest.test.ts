import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalReport, digestReport } from '../../src/report/report-digest.ts'
import { canonicalJson } from '../../src/steps/canonical-json.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { createReport } from './create-report.ts'

const volatile = ['report_id', 'revision', 'completeness', 'completeness_reason', 'dropped', 'digest']

describe('canonicalReport()', () => {
  it('is canonical JSON of the report without the fields that say how it came about', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const rest = Object.fromEntries(Object.entries(report).filter(([key]) => !volatile.includes(key)))
        expect(canonicalReport(report)).toBe(canonicalJson(rest))
      }),
      { numRuns: 300 },
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
})

describe('digestReport()', () => {
  it('is the SHA-256 of the canonical bytes, and the same for another revision', () => {
    const report = createReport({})
    const expected = createHash('sha256').update(canonicalReport(report), 'utf8').digest('hex')
    expect(digestReport(report)).toBe(`sha256:${expected}`)
    expect(digestReport(createReport({ revision: 2, completeness: 'amended' }))).toBe(`sha256:${expected}`)
  })
})

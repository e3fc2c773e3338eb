import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toReportPath } from '../../src/exporters/report-path.ts'
import { createReport } from '../report/create-report.ts'

describe('toReportPath()', () => {
  test('names the day, the trace and the chain, whatever the revision', () => {
    const path = { day: '2026-11-30', name: '4bf92f3577b34da6a3ce929d0e0e4736-398acaee' }
    expect(toReportPath(createReport())).toEqual(path)
    expect(toReportPath(createReport({ revision: 12 }))).toEqual(path)
    expect(toReportPath(createReport({ chain_id: 'other' })).name).not.toBe(path.name)
  })

  test('reduces an unusual id to harmless characters', () => {
    const { name } = toReportPath(createReport({ report_id: '../../etc/passwd-1' }))
    expect(name).toMatch(/^_etc_passwd-[0-9a-f]{16}$/u)
    expect(toReportPath(createReport({ report_id: '../../etc/passwd-2' })).name).toBe(name)
    expect(toReportPath(createReport({ report_id: '..\\..\\etc\\passwd-1' })).name).not.toBe(name)
    expect(toReportPath(createReport({ started_at: '../..' })).day).toBe('undated')
  })

  test('never gives more than one safe name of a file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (report_id, started_at) => {
        const { day, name } = toReportPath(createReport({ report_id, started_at }))
        expect(name).toMatch(/^[\w-]{1,97}$/u)
        expect(day).toMatch(/^(?:\d{4}-\d{2}-\d{2}|undated)$/u)
      }),
    )
  })
})

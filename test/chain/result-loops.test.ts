import { describe, expect, it } from 'vitest'
import { alertsOf, reportCalls } from './loop-script.ts'

const page = 'The page that is shown whatever is asked for. '.repeat(6)
const read = (count: number, result: unknown): readonly { args: object; result: unknown }[] =>
  Array.from({ length: count }, (_, n) => ({ args: { page: n }, result }))

describe('result loops', () => {
  it('the same long result for three different arguments is a warning and never more', () => {
    expect(alertsOf(reportCalls(read(2, page)))).toEqual([])
    expect(alertsOf(reportCalls(read(3, page)))).toEqual(['result warn 3'])
    expect(alertsOf(reportCalls(read(8, page)))).toEqual(['result warn 8'])
  })

  it('a short result may be given again and again', () => {
    expect(alertsOf(reportCalls(read(8, 'The list was changed.')))).toEqual([])
    // With its quotes the result has 255 characters, then 256.
    expect(alertsOf(reportCalls(read(3, 'x'.repeat(253))))).toEqual([])
    expect(alertsOf(reportCalls(read(3, 'x'.repeat(254))))).toEqual(['result warn 3'])
  })

  it('paging that brings something new is none', () => {
    const pages = read(8, '').map((call, n) => ({ ...call, result: `${page} ${n}` }))
    expect(alertsOf(reportCalls(pages))).toEqual([])
  })

  it('calls side by side repeat nothing', () => {
    expect(alertsOf(reportCalls(read(3, page).map((call) => ({ ...call, at: 10 }))))).toEqual([])
  })

  it('results without recorded arguments are not compared', () => {
    expect(alertsOf(reportCalls(Array.from({ length: 3 }, () => ({ result: page }))))).toEqual([])
  })
})

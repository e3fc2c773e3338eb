import { describe, expect, it } from 'vitest'
import { alertsOf, reportCalls, type ScriptCall } from './loop-script.ts'

const refused = (name: string): ScriptCall => ({
  name: 'page_down',
  args: { [name]: 1 },
  error: `page_down() got an unexpected keyword argument '${name}'`,
})

describe('error loops', () => {
  it('the same error of a node three times, called in different ways, is a warning and never more', () => {
    expect(alertsOf(reportCalls(['a', 'b'].map(refused)))).toEqual([])
    expect(alertsOf(reportCalls(['a', 'b', 'c'].map(refused)))).toEqual(['error warn 3'])
    expect(alertsOf(reportCalls('abcdefg'.split('').map(refused)))).toEqual(['error warn 7'])
  })

  it('numbers, ids, paths and what is quoted do not make another error', () => {
    const error = (n: number): string => `line ${n} of /srv/app/${n}.txt: "row ${n}" is out of range`
    const calls = [1, 2, 3].map((n) => ({ args: { n }, error: error(n) }))
    expect(alertsOf(reportCalls(calls))).toEqual(['error warn 3'])
  })

  it('a call that works, or another error, is progress', () => {
    const works: ScriptCall = { name: 'page_down', args: {}, result: 'page 2' }
    const other: ScriptCall = { name: 'page_down', args: { d: 1 }, error: 'no page is open' }
    expect(alertsOf(reportCalls([refused('a'), refused('b'), works, refused('c')]))).toEqual([])
    expect(alertsOf(reportCalls([refused('a'), refused('b'), other, refused('c')]))).toEqual([])
  })

  it('calls of other nodes in between are not', () => {
    const between = { name: 'find', args: { word: 'x' }, result: 'nothing' }
    expect(alertsOf(reportCalls([refused('a'), between, refused('b'), between, refused('c')]))).toContain(
      'error warn 3',
    )
  })

  it('an error that a result tells counts as well', () => {
    const calls = [1, 2, 3].map((id) => ({ args: { id }, result: { error: `no user with id ${id}` } }))
    expect(alertsOf(reportCalls(calls))).toEqual(['error warn 3'])
  })

  it('retries of one call are for the exact kind', () => {
    expect(alertsOf(reportCalls(Array.from({ length: 3 }, () => refused('a'))))).toEqual(['exact warn 3'])
  })

  it('one episode is told once: equal calls in a streak of errors are its gravest kind', () => {
    const report = reportCalls([refused('b'), ...Array.from({ length: 5 }, () => refused('a'))])
    expect(alertsOf(report)).toEqual(['exact error 5'])
    expect(report.loop_count).toBe(1)
  })

  it('calls that fail side by side are one', () => {
    const calls = ['a', 'b', 'c'].map((name) => ({ ...refused(name), at: 10 }))
    expect(alertsOf(reportCalls(calls))).toEqual([])
  })
})

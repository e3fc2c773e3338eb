import { describe, expect, it } from 'vitest'
import { alertsOf, reportCalls, type ScriptCall } from './loop-script.ts'

const step = (name: string, result: unknown = 'same'): ScriptCall => ({ name, args: { of: name }, result })
const rounds = (names: string, times: number): readonly ScriptCall[] =>
  Array.from({ length: times }, () => names.split('').map((name) => step(name))).flat()

describe('cycles', () => {
  it('two calls in turn are a warning after three rounds and an error after five', () => {
    expect(alertsOf(reportCalls(rounds('ab', 2)))).toEqual([])
    expect(alertsOf(reportCalls(rounds('ab', 3)))).toEqual(['cycle warn 3'])
    expect(alertsOf(reportCalls(rounds('ab', 5)))).toEqual(['cycle error 5'])
  })

  it('is told once, and not again for each of its calls', () => {
    expect(reportCalls(rounds('abc', 5))).toMatchObject({ loop_count: 1, overall_status: 'partial_failed' })
  })

  it('of up to five calls is found, or of as many as the rules say', () => {
    expect(alertsOf(reportCalls(rounds('abcde', 3)))).toEqual(['cycle warn 3'])
    expect(alertsOf(reportCalls(rounds('abcdef', 3)))).toEqual(Array(6).fill('exact warn 3'))
    expect(alertsOf(reportCalls(rounds('abc', 3), { cycles: 2 }))).toEqual(Array(3).fill('exact warn 3'))
    expect(alertsOf(reportCalls(rounds('ab', 3), { cycles: 1 }))).toEqual(Array(2).fill('exact warn 3'))
  })

  it('a new result is progress', () => {
    const polls = [1, 2, 3, 4, 5].flatMap((n) => [step('wait'), step('poll', `${n} of 9`)])
    // Waiting alone is the same call each time.
    expect(alertsOf(reportCalls(polls))).toEqual(['exact error 5'])
    expect(alertsOf(reportCalls(polls, { exempt: ['wait'] }))).toEqual([])
  })

  it('the same call again and again is no cycle', () => {
    expect(alertsOf(reportCalls(rounds('a', 6)))).toEqual(['exact error 6'])
  })

  it('is told by the call that is repeated more often than the round, where that is graver', () => {
    expect(alertsOf(reportCalls(rounds('aab', 2)))).toEqual(['exact warn 4'])
    expect(alertsOf(reportCalls(rounds('aab', 3)))).toEqual(['exact error 6', 'exact warn 3'])
  })

  it('a call in between ends it', () => {
    const broken = [...rounds('ab', 2), step('z'), ...rounds('ab', 2)]
    expect(alertsOf(reportCalls(broken))).toEqual(['exact warn 4', 'exact warn 4'])
  })
})

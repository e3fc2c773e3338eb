import { expect, it } from 'vitest'
import { unrefTimer } from '../../src/pipeline/unref-timer.ts'

it('unrefTimer() lets a timer of Node hold no process', () => {
  const timer = unrefTimer(setTimeout(() => {}, 60_000))
  expect(timer.hasRef()).toBe(false)
  clearTimeout(timer)
})

it.each([1, undefined, null])('unrefTimer() leaves the timers of a simulated browser alone: %j', (timer) => {
  expect(unrefTimer(timer)).toBe(timer)
})

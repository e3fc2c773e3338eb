import { describe, expect, test } from 'vitest'
import {
  countNoun,
  formatCount,
  formatDuration,
  formatMoney,
  formatTokens,
} from '../../src/report/format-quantity.ts'

describe('formatCount()', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [8_123, '8,123'],
    [1_234_567, '1,234,567'],
    [999.6, '1,000'],
    [-1_234, '-1,234'],
    [null, '–'],
    [Number.NaN, '–'],
    [Number.POSITIVE_INFINITY, '–'],
  ])('writes %s as %s', (count, text) => {
    expect(formatCount(count)).toBe(text)
  })
})

describe('formatDuration()', () => {
  test.each([
    [0, '0 ms'],
    [0.04, '<0.1 ms'],
    [0.42, '0.4 ms'],
    [0.96, '1 ms'],
    [420.12, '420 ms'],
    [2_310.88, '2,311 ms'],
    [9_999.4, '9,999 ms'],
    [9_999.5, '10.0 s'],
    [18_420, '18.4 s'],
    [119_949, '119.9 s'],
    [119_950, '2 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_500, '1 h 00 min'],
    [11_220_000, '3 h 07 min'],
    [90_000_000, '25 h 00 min'],
    [null, '–'],
    [-1, '–'],
    [Number.NaN, '–'],
  ])('writes %s ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })
})

describe('formatTokens()', () => {
  test.each([
    [310, '310 tok'],
    [4_200, '4,200 tok'],
    [0, '–'],
    [Number.NaN, '–'],
  ])('writes %s as %s', (tokens, text) => {
    expect(formatTokens(tokens)).toBe(text)
  })
})

describe('formatMoney()', () => {
  test.each([
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.0004, '$0.0004'],
    [0.00123, '$0.0012'],
    [0.004, '$0.004'],
    [0.00999, '$0.01'],
    [0.084, '$0.084'],
    [0.5, '$0.50'],
    [0.123456, '$0.123'],
    [0.9949, '$0.995'],
    [0.995, '$1.00'],
    [12.3, '$12.30'],
    [1_234.567, '$1,234.57'],
    [1.999, '$2.00'],
    [null, '–'],
    [-0.1, '–'],
    [Number.NaN, '–'],
  ])('writes %s as %s', (usd, text) => {
    expect(formatMoney(usd)).toBe(text)
  })
})

describe('countNoun()', () => {
  test.each([
    [0, '0 retries'],
    [1, '1 retry'],
    [2, '2 retries'],
    [1_000, '1,000 retries'],
  ])('writes %s as %s', (count, text) => {
    expect(countNoun(count, 'retry', 'retries')).toBe(text)
  })
})

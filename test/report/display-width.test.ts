import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cutEnd, cutMiddle, displayWidth, padLeft, padRight } from '../../src/report/display-width.ts'
import { shareColumns } from '../../src/report/share-columns.ts'
import { wrapParts, wrapText } from '../../src/report/wrap-text.ts'

describe('displayWidth()', () => {
  test.each([
    ['order_query', 11],
    ['订单查询', 8],
    ['订单 query', 10],
    ['한국', 4],
    ['🔎', 2],
    ['👨‍👩‍👧', 2],
    ['e\u0301', 1],
    ['✓✗↻–…·←', 7],
    ['⚠', 1],
    ['⚠️', 2],
    ['© 2026', 6],
    ['', 0],
  ])('gives %s %d columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })
})

test('displayWidth() counts as string-width does', () => {
  const wide = [
    '、',
    '〠',
    'ぁ',
    'ゖ',
    'ァ',
    'ヺ',
    '一',
    '鿿',
    '가',
    '힣',
    '！',
    '｠',
    'À',
    'ɏ',
    '…',
    '–',
    '·',
    '✓',
    '✗',
    '↻',
    '←',
  ]
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...wide), fc.string({ maxLength: 3 }))), (parts) => {
      const text = parts.join('')
      expect(displayWidth(text)).toBe(stringWidth(text))
    }),
  )
})

describe('padRight() and padLeft()', () => {
  test('count wide characters as two', () => {
    expect(padRight('订单', 6)).toBe('订单  ')
    expect(padLeft('订单', 6)).toBe('  订单')
    expect(padLeft('too wide', 3)).toBe('too wide')
  })
})

describe('cutEnd()', () => {
  test.each([
    ['order_query', 11, 'order_query'],
    ['order_query', 10, 'order_que…'],
    ['订单查询', 8, '订单查询'],
    ['订单查询', 7, '订单查…'],
    ['订单查询', 6, '订单…'],
    ['two words', 5, 'two…'],
    ['order_query', 1, '…'],
    ['order_query', 0, ''],
  ])('cuts %s to %d columns: %s', (text, columns, cut) => {
    expect(cutEnd(text, columns, '…')).toBe(cut)
  })

  test('never cuts through a character', () => {
    expect(cutEnd('👨‍👩‍👧👨‍👩‍👧', 3, '…')).toBe('👨‍👩‍👧…')
    expect(cutEnd('abcdef', 5, '...')).toBe('ab...')
    expect(cutEnd('abcdef', 2, '...')).toBe('ab')
  })
})

describe('cutMiddle()', () => {
  test.each([
    ['4bf92f3577b34da6', 16, '4bf92f3577b34da6'],
    ['4bf92f3577b34da6', 9, '4bf9…4da6'],
    ['4bf92f3577b34da6', 8, '4bf9…da6'],
    ['订单查询节点', 9, '订单…节点'],
    ['订单查询节点', 8, '订单…点'],
    ['4bf92f3577b34da6', 2, '4…'],
  ])('cuts %s to %d columns: %s', (text, columns, cut) => {
    expect(cutMiddle(text, columns, '…')).toBe(cut)
  })
})

describe('wrapText()', () => {
  test.each([
    ['one two three', 20, ['one two three']],
    ['one two three', 8, ['one two', 'three']],
    ['one incomprehensible', 8, ['one', 'incompre', 'hensible']],
    ['订单查询返回的结果', 8, ['订单查询', '返回的结', '果']],
    ['', 8, []],
  ])('breaks %j at %d columns', (text, columns, lines) => {
    expect(wrapText(text, columns)).toEqual(lines)
  })
})

describe('wrapParts()', () => {
  test('keeps parts whole', () => {
    expect(wrapParts(['18.4 s', '8,123 tokens', '1 loop'], 21)).toEqual(['18.4 s   8,123 tokens', '1 loop'])
    expect(wrapParts(['8,123 tokens'], 4)).toEqual(['8,123 tokens'])
  })
})

describe('shareColumns()', () => {
  test.each([
    [[8, 13], 30, [8, 13]],
    [[32, 13], 30, [17, 13]],
    [[32, 40, 3], 23, [10, 10, 3]],
    [[5, 5], 0, [0, 0]],
    [[5, 5], -3, [0, 0]],
  ])('shares for %j %d columns: %j', (widths, room, shares) => {
    expect(shareColumns(widths, room)).toEqual(shares)
  })
})

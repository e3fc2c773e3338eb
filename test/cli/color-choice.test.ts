import { describe, expect, it } from 'vitest'
import { choosesColor } from '../../src/cli/color-choice.ts'

describe('choosesColor()', () => {
  it.each([
    ['always', {}, false, true],
    ['always', { NO_COLOR: '1' }, false, true],
    ['never', { FORCE_COLOR: '1' }, true, false],
    ['auto', {}, true, true],
    ['auto', {}, false, false],
    ['auto', { TERM: 'dumb' }, true, false],
    ['auto', { NO_COLOR: '1' }, true, false],
    ['auto', { NO_COLOR: '' }, true, true],
    ['auto', { FORCE_COLOR: '1' }, false, true],
    ['auto', { FORCE_COLOR: '' }, false, true],
    ['auto', { FORCE_COLOR: '0' }, true, false],
    ['auto', { FORCE_COLOR: 'false' }, true, false],
    ['auto', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ] as const)('%s with %j and a terminal (%s): %s', (color, env, isTerminal, expected) => {
    expect(choosesColor({ color, env, isTerminal })).toBe(expected)
  })
})

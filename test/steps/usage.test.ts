import { describe, expect, it } from 'vitest'
import type { Usage } from '../../src/steps/step.ts'
import { readModel, readSpan } from './read-span.ts'

type Counts = Partial<Record<'input' | 'output' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning', number>>

const KEYS = {
  input: 'gen_ai.usage.input_tokens',
  output: 'gen_ai.usage.output_tokens',
  total: 'gen_ai.usage.total_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
  reasoning: 'gen_ai.usage.reasoning.output_tokens',
} as const

function readUsage(counts: Counts): Usage {
  const attributes = Object.entries(counts).map(([kind, count]) => [KEYS[kind as keyof Counts], count])
  return readModel({ 'gen_ai.operation.name': 'chat', ...Object.fromEntries(attributes) }).usage
}

describe('cached tokens', () => {
  it.each<[why: string, counts: Counts, input: number | null, beside: boolean]>([
    ['nothing shows otherwise', { input: 100, output: 10, cacheRead: 80 }, 100, false],
    ['they are all of the input', { input: 100, cacheRead: 100 }, 100, false],
    ['the total is input and output', { input: 100, output: 10, cacheRead: 80, total: 110 }, 100, false],
    ['there is no input', { output: 10, cacheRead: 80 }, null, false],
    ['there are none', { input: 100, output: 10, cacheRead: 0, total: 110 }, 100, false],
    ['the total fits neither way', { input: 100, output: 10, cacheRead: 80, total: 150 }, 100, false],
    ['they are more than the input', { input: 20, output: 10, cacheRead: 80 }, 100, true],
    ['read and written ones are more than the input', { input: 20, cacheRead: 15, cacheWrite: 15 }, 50, true],
    ['the total is the sum with them', { input: 100, output: 10, cacheRead: 80, total: 190 }, 180, true],
    [
      'they are more, though the total leaves them out',
      { input: 20, output: 10, cacheRead: 80, total: 30 },
      100,
      true,
    ],
  ])('count as they should where %s', (_why, counts, input, beside) => {
    const usage = readUsage(counts)
    expect(usage.input).toBe(input)
    expect(usage.cacheWasBeside).toBe(beside)
    expect(usage.cacheRead).toBe(counts.cacheRead ?? null)
    expect(usage.reasoningWasBeside).toBe(false)
  })
})

describe('reasoning tokens', () => {
  it.each<[why: string, counts: Counts, output: number | null, beside: boolean]>([
    ['nothing shows otherwise', { input: 100, output: 50, reasoning: 40 }, 50, false],
    ['they are all of the output', { output: 50, reasoning: 50 }, 50, false],
    ['the total is input and output', { input: 100, output: 50, reasoning: 40, total: 150 }, 50, false],
    ['there is no output', { reasoning: 40 }, null, false],
    ['they are more than the output', { output: 10, reasoning: 40 }, 50, true],
    ['the total is the sum with them', { input: 100, output: 50, reasoning: 40, total: 190 }, 90, true],
  ])('count as they should where %s', (_why, counts, output, beside) => {
    const usage = readUsage(counts)
    expect(usage.output).toBe(output)
    expect(usage.reasoningWasBeside).toBe(beside)
    expect(usage.cacheWasBeside).toBe(false)
  })
})

describe('cached and reasoning tokens on one span', () => {
  const counts = { input: 100, output: 50, cacheRead: 30, reasoning: 20 }

  it.each<[why: string, counts: Counts, input: number, output: number]>([
    ['are both inside', { ...counts, total: 150 }, 100, 50],
    ['are both beside where the total has both', { ...counts, total: 200 }, 130, 70],
    ['cached ones alone are beside where the total has those', { ...counts, total: 180 }, 130, 50],
    ['reasoning ones alone are beside where the total has those', { ...counts, total: 170 }, 100, 70],
    [
      'of which the total has one of two equal parts are counted once',
      { input: 100, output: 50, cacheRead: 20, reasoning: 20, total: 170 },
      120,
      50,
    ],
  ])('%s', (_why, recorded, input, output) => {
    expect(readUsage(recorded)).toMatchObject({ input, output, total: recorded.total })
  })

  it('never add up to more than a total that holds them', () => {
    for (let cacheRead = 0; cacheRead <= 40; cacheRead += 10) {
      for (let reasoning = 0; reasoning <= 40; reasoning += 10) {
        for (let total = 150; total <= 230; total += 10) {
          const { input, output } = readUsage({ input: 100, output: 50, cacheRead, reasoning, total })
          expect((input ?? 0) + (output ?? 0)).toBeLessThanOrEqual(Math.max(total, 150))
        }
      }
    }
  })
})

describe('a total', () => {
  it('is neither split nor made up of its parts', () => {
    expect(readUsage({ total: 150 })).toMatchObject({ input: null, output: null, total: 150 })
    expect(readUsage({ input: 100, output: 50 })).toMatchObject({ input: 100, output: 50, total: null })
  })
})

describe('usage of any span', () => {
  it('is read, be it a step of a model or not', () => {
    const usage = readSpan({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 12 }).usage
    expect(usage).toEqual({
      input: 12,
      output: null,
      total: null,
      cacheRead: null,
      cacheWrite: null,
      reasoning: null,
      cacheWasBeside: false,
      reasoningWasBeside: false,
    })
  })
})

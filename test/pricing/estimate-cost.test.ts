import { calcPrice } from '@pydantic/genai-prices'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateCost, type PricedUsage } from '../../src/pricing/estimate-cost.ts'

const usage = (parts: Partial<PricedUsage>): PricedUsage => ({
  model: 'gpt-4o',
  provider: 'openai',
  input: 1_000_000,
  output: 100_000,
  cacheRead: 0,
  cacheWrite: 0,
  atNs: 1_748_779_200_000_000_000n,
  ...parts,
})

describe('estimateCost', () => {
  // List prices of the providers: gpt-4o 2.50 and 10 USD a million tokens, cached input half of that.
  it('prices input and output by the list of the provider', () => {
    expect(estimateCost(usage({}))).toBeCloseTo(3.5, 10)
  })

  it('gives the same price again, and a price of its own for other numbers', () => {
    expect(estimateCost(usage({}))).toBeCloseTo(3.5, 10)
    expect(estimateCost(usage({ output: 0 }))).toBeCloseTo(2.5, 10)
  })

  it('prices cached input apart', () => {
    expect(estimateCost(usage({ cacheRead: 400_000, output: 0 }))).toBeCloseTo(0.6 * 2.5 + 0.4 * 1.25, 10)
  })

  it.each(['openai', 'openai.chat', 'openai.responses', 'OpenAI', null])(
    'knows the provider as %s',
    (provider) => {
      expect(estimateCost(usage({ provider }))).toBeCloseTo(3.5, 10)
    },
  )

  it('falls back to the name of the model where the provider is a gateway', () => {
    expect(estimateCost(usage({ provider: 'my-gateway' }))).toBeCloseTo(3.5, 10)
  })

  it('says nothing of a model that it does not know, however often it is asked', () => {
    expect(estimateCost(usage({ model: 'in-house-7' }))).toBeNull()
    expect(estimateCost(usage({ model: 'in-house-7' }))).toBeNull()
  })

  it('stays calm where more is cached than came in', () => {
    expect(estimateCost(usage({ input: 10, cacheRead: 100, output: 0 }))).toBeGreaterThan(0)
  })

  it.each(['gpt-4o', 'claude-sonnet-4-20250514', 'gemini-2.5-pro', 'deepseek-chat', 'o3-mini'])(
    'agrees with the price package for %s, whatever the numbers',
    (model) => {
      fc.assert(
        fc.property(
          fc.record({
            input: fc.nat(900_000),
            output: fc.nat(90_000),
            read: fc.nat(100),
            write: fc.nat(100),
          }),
          ({ input, output, read, write }) => {
            const cacheRead = Math.floor((input * read) / 250)
            const cacheWrite = Math.floor((input * write) / 250)
            const at = new Date('2025-06-01T12:00:00Z')
            const own = estimateCost(usage({ model, provider: null, input, output, cacheRead, cacheWrite }))
            const tokens = {
              input_tokens: input,
              output_tokens: output,
              cache_read_tokens: cacheRead,
              cache_write_tokens: cacheWrite,
            }
            expect(own).toBeCloseTo(calcPrice(tokens, model, { timestamp: at })?.total_price ?? Number.NaN, 8)
          },
        ),
        { numRuns: 200 },
      )
    },
  )
})

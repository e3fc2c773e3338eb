import { calcPrice, type Provider } from '@pydantic/genai-prices'

/** The price package and its version, as reports name it. */
export const PRICE_DATA = 'genai-prices@0.1.8'

/** What a price is estimated for. Cached tokens are inside `input`. */
export interface PricedUsage {
  readonly model: string
  readonly provider: string | null
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** When the call was made: prices change. */
  readonly at: Date
}

/** Provider names as instrumentations write them, and the ids of the price package where the two differ. */
const providers: Readonly<Record<string, string>> = {
  'aws.bedrock': 'aws',
  'azure.ai.openai': 'azure',
  'az.ai.openai': 'azure',
  'azure.ai.inference': 'azure',
  'gcp.gemini': 'google',
  'gcp.vertex_ai': 'google',
  'gcp.gen_ai': 'google',
  'google.generative-ai': 'google',
  'google.vertex': 'google',
  mistral_ai: 'mistral',
  x_ai: 'x-ai',
}

/**
 * Estimates the price of one model call in USD from the bundled price data; nothing is fetched.
 *
 * @returns `null` where the model is not in the price data, or the package refuses the numbers
 */
export function estimateCost(usage: PricedUsage): number | null {
  for (const providerId of providerCandidates(usage.provider)) {
    try {
      const price = toPrice(usage.model, providerId, usage)(usage)
      if (price !== null && Number.isFinite(price)) return price
    } catch {
      continue
    }
  }
  return null
}

type Tokens = Parameters<typeof calcPrice>[0]
type Price = (tokens: PricedUsage) => number | null

/** How many models are remembered. */
const CACHE_LIMIT = 500

/** How each model that was asked for is priced: looking it up in the whole catalogue costs far more than the sum. */
const prices = new Map<string, Price>()

function toPrice(model: string, providerId: string | null, usage: PricedUsage): Price {
  const key = `${providerId ?? ''}\n${model}`
  const known = prices.get(key)
  if (known !== undefined) return known
  const options = { timestamp: usage.at, ...(providerId === null ? {} : { providerId }) }
  const found = calcPrice(toTokens(usage), model, options)
  const price =
    found === null ? () => null : toModelPrice({ ...found.provider, models: [found.model] }, model)
  if (prices.size >= CACHE_LIMIT) prices.clear()
  prices.set(key, price)
  return price
}

/** @param provider cut down to the one model, so that the package does not search */
function toModelPrice(provider: Provider, model: string): Price {
  const ask = (tokens: Tokens, timestamp: Date): number | null =>
    calcPrice(tokens, model, { timestamp, provider })?.total_price ?? null
  const listed = provider.models[0]?.prices ?? []
  const isFlat = !Array.isArray(listed) && Object.values(listed).every((price) => typeof price === 'number')
  return isFlat
    ? toFlatPrice((tokens) => ask(tokens, new Date(0)) ?? 0)
    : (usage) => ask(toTokens(usage), usage.at)
}

/** Where a price has no tiers and never changes, it is linear in each kind of token, so four answers give all others. */
function toFlatPrice(ask: (tokens: Tokens) => number): Price {
  const unit = 1_000_000
  const input = ask({ input_tokens: unit, output_tokens: 0 })
  const output = ask({ input_tokens: 0, output_tokens: unit })
  const read = ask({ input_tokens: unit, output_tokens: 0, cache_read_tokens: unit }) - input
  const write = ask({ input_tokens: unit, output_tokens: 0, cache_write_tokens: unit }) - input
  return (usage) => {
    const { input_tokens: all } = toTokens(usage)
    return (all * input + usage.output * output + usage.cacheRead * read + usage.cacheWrite * write) / unit
  }
}

/** More cached tokens than input is a mistake of who counted; the package refuses it. */
function toTokens({
  input,
  output,
  cacheRead,
  cacheWrite,
}: PricedUsage): Tokens & { readonly input_tokens: number } {
  return {
    input_tokens: Math.max(input, cacheRead + cacheWrite),
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
  }
}

/** `openai.chat`, as the AI SDK writes it, is `openai`; without any match the model name alone must do. */
function providerCandidates(provider: string | null): readonly (string | null)[] {
  if (provider === null) return [null]
  const name = provider.toLowerCase()
  const listed = Object.hasOwn(providers, name) ? providers[name] : undefined
  return [listed ?? name.split('.')[0] ?? name, null]
}

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
  /** When the call was made, in nanoseconds since the Unix epoch: prices change. */
  readonly atNs: bigint
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
  const listed = findProvider(usage.provider)
  // Without any match, as for a gateway, the model name alone must do.
  return priceBy(listed, usage) ?? (listed === null ? null : priceBy(null, usage))
}

/** What the provider asks for, or whoever the name of the model stands for where that is `null`. */
function priceBy(providerId: string | null, usage: PricedUsage): number | null {
  try {
    const price = toPrice(usage.model, providerId, usage)(usage)
    return price !== null && Number.isFinite(price) ? price : null
  } catch {
    return null
  }
}

type Tokens = Parameters<typeof calcPrice>[0]
type Price = (tokens: PricedUsage) => number | null

/** How many models and how many names of providers are remembered. */
const CACHE_LIMIT = 500

/**
 * How each model that was asked for is priced, by provider: looking it up in the whole catalogue costs far more than
 * the sum.
 */
const prices = new Map<string | null, Map<string, Price>>()
let priceCount = 0

function toPrice(model: string, providerId: string | null, usage: PricedUsage): Price {
  const known = prices.get(providerId)?.get(model)
  if (known !== undefined) return known
  const options = { timestamp: toDate(usage), ...(providerId === null ? {} : { providerId }) }
  const found = calcPrice(toTokens(usage), model, options)
  const price =
    found === null ? () => null : toModelPrice({ ...found.provider, models: [found.model] }, model)
  if (++priceCount > CACHE_LIMIT) {
    prices.clear()
    priceCount = 1
  }
  const models = prices.get(providerId)
  if (models === undefined) prices.set(providerId, new Map([[model, price]]))
  else models.set(model, price)
  return price
}

function toDate({ atNs }: PricedUsage): Date {
  return new Date(Number(atNs / 1_000_000n))
}

/** @param provider cut down to the one model, so that the package does not search */
function toModelPrice(provider: Provider, model: string): Price {
  const ask = (tokens: Tokens, timestamp: Date): number | null =>
    calcPrice(tokens, model, { timestamp, provider })?.total_price ?? null
  const listed = provider.models[0]?.prices ?? []
  const isFlat = !Array.isArray(listed) && Object.values(listed).every((price) => typeof price === 'number')
  return isFlat
    ? toFlatPrice((tokens) => ask(tokens, new Date(0)) ?? 0)
    : (usage) => ask(toTokens(usage), toDate(usage))
}

/** Where a price has no tiers and never changes, it is linear in each kind of token, so four answers give all others. */
function toFlatPrice(ask: (tokens: Tokens) => number): Price {
  const unit = 1_000_000
  const input = ask({ input_tokens: unit, output_tokens: 0 })
  const output = ask({ input_tokens: 0, output_tokens: unit })
  const read = ask({ input_tokens: unit, output_tokens: 0, cache_read_tokens: unit }) - input
  const write = ask({ input_tokens: unit, output_tokens: 0, cache_write_tokens: unit }) - input
  return (usage) => {
    const { output: written, cacheRead, cacheWrite } = usage
    return (inputOf(usage) * input + written * output + cacheRead * read + cacheWrite * write) / unit
  }
}

function toTokens(usage: PricedUsage): Tokens {
  return {
    input_tokens: inputOf(usage),
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
  }
}

/** More cached tokens than input is a mistake of who counted; the package refuses it. */
function inputOf({ input, cacheRead, cacheWrite }: PricedUsage): number {
  return Math.max(input, cacheRead + cacheWrite)
}

/** The ids of the providers that were asked for, by the names that instrumentations write. */
const providerIds = new Map<string, string>()

/** `openai.chat`, as the AI SDK writes it, is `openai`. */
function findProvider(provider: string | null): string | null {
  if (provider === null) return null
  const known = providerIds.get(provider)
  if (known !== undefined) return known
  const name = provider.toLowerCase()
  const listed = Object.hasOwn(providers, name) ? providers[name] : undefined
  const id = listed ?? name.split('.')[0] ?? name
  if (providerIds.size >= CACHE_LIMIT) providerIds.clear()
  providerIds.set(provider, id)
  return id
}

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
  const { model, input, output, at } = usage
  const cached = usage.cacheRead + usage.cacheWrite
  const tokens = {
    input_tokens: Math.max(input, cached),
    output_tokens: output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
  }
  for (const providerId of providerCandidates(usage.provider)) {
    try {
      const price = priceOf(tokens, model, providerId, at)
      if (price !== null && Number.isFinite(price)) return price
    } catch {
      continue
    }
  }
  return null
}

/** How many models are remembered. */
const CACHE_LIMIT = 500

/**
 * The provider of each model that was priced, cut down to that one model: the package looks through its whole
 * catalogue at each call otherwise. `null` for a model that it does not know.
 */
const known = new Map<string, Provider | null>()

function priceOf(
  tokens: Parameters<typeof calcPrice>[0],
  model: string,
  providerId: string | null,
  timestamp: Date,
): number | null {
  const key = `${providerId ?? ''}\n${model}`
  const provider = known.get(key)
  if (provider === null) return null
  if (provider !== undefined) return calcPrice(tokens, model, { timestamp, provider })?.total_price ?? null
  const price = calcPrice(tokens, model, providerId === null ? { timestamp } : { timestamp, providerId })
  if (known.size >= CACHE_LIMIT) known.clear()
  known.set(key, price === null ? null : { ...price.provider, models: [price.model] })
  return price?.total_price ?? null
}

/** `openai.chat`, as the AI SDK writes it, is `openai`; without any match the model name alone must do. */
function providerCandidates(provider: string | null): readonly (string | null)[] {
  if (provider === null) return [null]
  const name = provider.toLowerCase()
  const listed = Object.hasOwn(providers, name) ? providers[name] : undefined
  return [listed ?? name.split('.')[0] ?? name, null]
}

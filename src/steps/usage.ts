import { LAMINAR_CACHED } from '../semconv/laminar-keys.ts'
import type { FieldReader } from './field-reader.ts'
import type { Usage } from './step.ts'

/**
 * Reads the tokens of one span, with cached tokens inside input and reasoning tokens inside output, as the GenAI
 * conventions count them. Raw Anthropic usage counts cached tokens beside input, some gateways count reasoning
 * beside output; that is taken as proven only where the numbers themselves show it: the recorded total is exactly
 * the sum with them, or the part is greater than what it should be a part of.
 */
export function readUsage(reader: FieldReader): Usage {
  const input = reader.count('tokens.input')
  const output = reader.count('tokens.output')
  const total = reader.count('tokens.total')
  const cacheRead = reader.count('tokens.cache_read')
  const cacheWrite = readCacheWrite(reader)
  const reasoning = reader.count('tokens.reasoning')
  const parts = [input, output, total, cacheRead, cacheWrite, reasoning]
  // Most spans report no tokens at all.
  if (parts.every((part) => part === null)) return NO_USAGE
  if (isReplayed(reader)) return REPLAYED_USAGE
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const beside = readBeside({ input, output, total, cacheRead, cacheWrite, reasoning }, cached)
  return {
    input: beside.cache ? (input ?? 0) + cached : input,
    output: beside.reasoning ? (output ?? 0) + (reasoning ?? 0) : output,
    total,
    cacheRead,
    cacheWrite,
    reasoning,
    cacheWasBeside: beside.cache,
    reasoningWasBeside: beside.reasoning,
  }
}

/** What was written to a cache: one count, or those of what is kept for five minutes and for an hour. */
function readCacheWrite(reader: FieldReader): number | null {
  const whole = reader.count('tokens.cache_write')
  if (whole !== null) return whole
  const short = reader.count('tokens.cache_write_5m')
  const long = reader.count('tokens.cache_write_1h')
  return short === null && long === null ? null : (short ?? 0) + (long ?? 0)
}

/** The usage of a span that reports none. */
export const NO_USAGE: Usage = {
  input: null,
  output: null,
  total: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  cacheWasBeside: false,
  reasoningWasBeside: false,
}

/** The answer came from an earlier run, which used what the span says: this one used nothing. */
function isReplayed(reader: FieldReader): boolean {
  return reader.text('usage.origin') === LAMINAR_CACHED
}

/** Nothing, so that a total above the call is not taken for its usage. */
const REPLAYED_USAGE: Usage = { ...NO_USAGE, input: 0, output: 0, replayed: true }

type Recorded = Pick<Usage, 'input' | 'output' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning'>

function readBeside(
  usage: Recorded,
  cached: number,
): { readonly cache: boolean; readonly reasoning: boolean } {
  const reasoning = usage.reasoning ?? 0
  const { input, output, total } = usage
  const cache = input !== null && cached > input
  const thought = output !== null && reasoning > output
  if (input === null || output === null || total === null) return { cache, reasoning: thought }
  const more = total - input - output
  if (more > 0 && more === cached + reasoning) return { cache: cached > 0, reasoning: reasoning > 0 }
  // Where both parts are as great as what is beside, one of them is: cached tokens are the more common case.
  if (more > 0 && more === cached) return { cache: true, reasoning: thought }
  return { cache, reasoning: thought || (more > 0 && more === reasoning) }
}

/** USD that the instrumentation recorded for this span: the total, else input and output together. */
export function readRecordedCost(reader: FieldReader): number | null {
  const total = reader.count('cost.total')
  const input = total ?? reader.count('cost.input')
  const output = total === null ? reader.count('cost.output') : 0
  if (input === null && output === null) return null
  return isReplayed(reader) ? 0 : (input ?? 0) + (output ?? 0)
}

import type { FieldReader } from './field-reader.ts'
import type { Usage } from './step.ts'

/**
 * Reads the tokens of one span, with cached tokens inside input and reasoning tokens inside output, as the GenAI
 * conventions count them. Raw Anthropic usage counts cached tokens beside input, some gateways count reasoning
 * beside output; that is taken as proven only where the numbers themselves show it: the recorded total is exactly
 * the sum with them, or the part is greater than what it should be a part of.
 */
export function readUsage(reader: FieldReader): Usage {
  const recorded = {
    input: reader.count('tokens.input'),
    output: reader.count('tokens.output'),
    total: reader.count('tokens.total'),
    cacheRead: reader.count('tokens.cache_read'),
    cacheWrite: reader.count('tokens.cache_write'),
    reasoning: reader.count('tokens.reasoning'),
  }
  const cached = (recorded.cacheRead ?? 0) + (recorded.cacheWrite ?? 0)
  const beside = readBeside(recorded, cached)
  return {
    ...recorded,
    input: beside.cache ? (recorded.input ?? 0) + cached : recorded.input,
    output: beside.reasoning ? (recorded.output ?? 0) + (recorded.reasoning ?? 0) : recorded.output,
    cacheWasBeside: beside.cache,
    reasoningWasBeside: beside.reasoning,
  }
}

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
  if (total !== null) return total
  const input = reader.count('cost.input')
  const output = reader.count('cost.output')
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0)
}

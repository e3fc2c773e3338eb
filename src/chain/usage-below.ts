import type { Usage } from '../steps/step.ts'
import type { CountedTokens } from './chain.ts'
import type { StepRecord } from './step-record.ts'

/** What the steps below a step reported and what of it was counted, by metric. */
export interface UsageBelow {
  readonly input: number | null
  readonly output: number | null
  readonly total: number | null
  /** Input and output where they are known, else the total. */
  readonly count: number
  /** A model call below reports no usage, or one that is not counted. */
  readonly silentModel: boolean
}

/** What stands below a step that has no step below it. */
export const NOTHING_BELOW: UsageBelow = {
  input: null,
  output: null,
  total: null,
  count: 0,
  silentModel: false,
}

/** Adds what a further step brings. */
export function addBelow(sum: UsageBelow, part: UsageBelow): UsageBelow {
  if (part === NOTHING_BELOW) return sum
  if (sum === NOTHING_BELOW) return part
  return {
    input: add(sum.input, part.input),
    output: add(sum.output, part.output),
    total: add(sum.total, part.total),
    count: sum.count + part.count,
    silentModel: sum.silentModel || part.silentModel,
  }
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b
}

/** Counts of the usage of a step what no step below it has reported; `null` where nothing is left. */
export function countOwn(usage: Usage, below: UsageBelow): CountedTokens | null {
  const input = below.input === null ? usage.input : null
  const output = below.output === null ? usage.output : null
  if (input !== null || output !== null) return countParts(usage, input, output)
  const nothingBelow = below.input === null && below.output === null && below.total === null
  return nothingBelow && usage.total !== null ? { ...NO_TOKENS, count: usage.total } : null
}

/** True where a step tells of tokens, be they none. */
export function reportsTokens({ input, output, total }: Usage): boolean {
  return input !== null || output !== null || total !== null
}

function countParts(usage: Usage, input: number | null, output: number | null): CountedTokens {
  return {
    count: (input ?? 0) + (output ?? 0),
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: input === null ? 0 : (usage.cacheRead ?? 0),
    cacheWrite: input === null ? 0 : (usage.cacheWrite ?? 0),
    reasoning: output === null ? 0 : (usage.reasoning ?? 0),
  }
}

const NO_TOKENS: CountedTokens = { count: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/**
 * What stands below the parent of a step, as far as this step brings it.
 *
 * @param below what stands below the step itself
 * @param own what of its usage was counted
 * @param isLeaf no step stands below it
 */
export function withOwn(
  { usage, kind }: StepRecord,
  below: UsageBelow,
  own: CountedTokens | null,
  isLeaf: boolean,
): UsageBelow {
  const silent = !reportsTokens(usage)
  if (silent && kind !== 'model') return below
  return {
    input: below.input ?? (own === null || usage.input === null ? null : own.input),
    output: below.output ?? (own === null || usage.output === null ? null : own.output),
    total: below.total ?? (own === null ? null : usage.total),
    count: below.count + (own?.count ?? 0),
    silentModel: below.silentModel || (kind === 'model' && isLeaf && (silent || usage.replayed === true)),
  }
}

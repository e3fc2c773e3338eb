import { PRICE_DATA } from '../pricing/estimate-cost.ts'
import type { ByStep, ChainStep, ChainUsage, CountedTokens, UsageAggregate } from './chain.ts'
import { isInside } from './is-inside.ts'
import { priceCall } from './price-call.ts'
import { addBelow, countOwn, NOTHING_BELOW, reportsTokens, type UsageBelow, withOwn } from './usage-below.ts'

const METRICS: readonly UsageAggregate['metric'][] = ['input', 'output', 'total']

/**
 * Counts the tokens and the money of a chain, each once. The usage of a span counts only where no step below it
 * reported the same metric; otherwise it is an aggregate, which is compared with what is below and never added. A
 * model call that two instrumentations recorded side by side (equal response ids) counts at the first of the two that
 * reports tokens, or at the first where none does.
 *
 * @param steps in fold order, so that a step comes after all below it
 */
export function countUsage(steps: readonly ChainStep[]): ChainUsage {
  const repeated = findRepeats(steps)
  const below: UsageBelow[] = []
  const tokens: (CountedTokens | null)[] = []
  const aggregates: UsageAggregate[] = []
  for (const step of steps) {
    const sum = sumChildren(step, below)
    const isRepeated = repeated.has(step)
    const counted = isRepeated ? null : countOwn(step.record.usage, sum)
    if (!isRepeated) addAggregates(step, sum, aggregates)
    tokens.push(counted)
    below.push(isRepeated ? sum : withOwn(step.record, sum, counted, step.children.length === 0))
  }
  const { cost, source } = countCost(steps, tokens, repeated)
  return {
    tokens,
    cost,
    aggregates,
    repeated,
    modelCalls: findModelCalls(steps, repeated),
    toolCalls: steps.filter((step) => step.record.kind === 'tool' && !repeated.has(step)),
    costSource: source,
  }
}

/**
 * Steps whose call was recorded twice: a model call with the response id of an earlier one that is not below it, a
 * tool call with the call id of another one. Of two model calls the one that reports no tokens repeats the other.
 */
function findRepeats(steps: readonly ChainStep[]): ReadonlySet<ChainStep> {
  const models = new Map<string, ChainStep>()
  const tools = new Map<string, ChainStep>()
  const repeats = new Set<ChainStep>()
  for (const step of steps) {
    const { kind, responseId, callId } = step.record
    const id = kind === 'model' ? responseId : kind === 'tool' ? callId : null
    if (id === null) continue
    const seen = kind === 'model' ? models : tools
    const first = seen.get(id)
    if (first === undefined) seen.set(id, step)
    else if (!isSameCall(step, first)) continue
    else if (kind !== 'model' || reportsTokens(first.record.usage) || !reportsTokens(step.record.usage)) {
      repeats.add(step)
    } else {
      repeats.add(first)
      seen.set(id, step)
    }
  }
  return repeats
}

/**
 * A runtime that runs a tool again keeps the id of the call, so only what is inside the other, or was recorded by
 * another instrumentation, is the same call.
 */
function isSameCall(step: ChainStep, first: ChainStep): boolean {
  if (step.record.kind === 'model') return !isInside(first, step)
  return isInside(first, step) || step.record.scopeName !== first.record.scopeName
}

/** Model steps with no model step below them. */
function findModelCalls(steps: readonly ChainStep[], repeated: ReadonlySet<ChainStep>): readonly ChainStep[] {
  const holdsModel: boolean[] = []
  const calls: ChainStep[] = []
  for (const step of steps) {
    const isModel = step.record.kind === 'model'
    const below = step.children.some((child) => holdsModel[child.index])
    holdsModel.push(below || isModel)
    if (isModel && !below && !repeated.has(step)) calls.push(step)
  }
  return calls
}

function sumChildren({ children }: ChainStep, below: readonly UsageBelow[]): UsageBelow {
  let sum = NOTHING_BELOW
  for (const { index } of children) sum = addBelow(sum, below[index] ?? NOTHING_BELOW)
  return sum
}

/** Totals of a step that the steps below it account for, too. A metric only one of both reports is no aggregate. */
function addAggregates(step: ChainStep, below: UsageBelow, aggregates: UsageAggregate[]): void {
  if (below === NOTHING_BELOW) return
  const { usage } = step.record
  for (const metric of METRICS) {
    const reported = usage[metric]
    const counted = metric === 'total' ? below.count : below[metric]
    if (reported === null || counted === null || (metric === 'total' && counted === 0)) continue
    if (metric === 'total' && usage.input !== null && usage.output !== null) continue
    aggregates.push({ step, metric, reported, counted, incomplete: below.silentModel })
  }
}

/**
 * A recorded cost counts where no step below recorded one; a model call without a recorded cost above or at it is
 * priced by the price package.
 */
function countCost(
  steps: readonly ChainStep[],
  tokens: ByStep<CountedTokens | null>,
  repeated: ReadonlySet<ChainStep>,
): { readonly cost: ByStep<number | null>; readonly source: string | null } {
  const cost: (number | null)[] = steps.map(() => null)
  const sources = new Set<string>()
  const recordedBelow = new Set<ChainStep>()
  const covered = new Set<ChainStep>()
  for (const step of steps) {
    if (step.record.recordedCost === null || repeated.has(step)) continue
    if (!recordedBelow.has(step)) {
      cost[step.index] = step.record.recordedCost
      sources.add('recorded')
      for (let at = step.index - step.size + 1; at <= step.index; at++) covered.add(steps[at] as ChainStep)
    }
    for (let at = step.parent; at !== null && !recordedBelow.has(at); at = at.parent) recordedBelow.add(at)
  }
  for (const step of steps) {
    const own = tokens[step.index] ?? null
    const price = own === null || covered.has(step) ? null : priceCall(step.record, own)
    if (price === null) continue
    cost[step.index] = price
    sources.add(PRICE_DATA)
  }
  return { cost, source: sources.size === 0 ? null : [...sources].sort().join(', ') }
}

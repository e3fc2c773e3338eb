import { PRICE_DATA } from '../pricing/estimate-cost.ts'
import type { ChainStep, ChainUsage, CountedTokens, UsageAggregate } from './chain.ts'
import { isInside } from './is-inside.ts'
import { priceCall } from './price-call.ts'
import { addBelow, countOwn, NOTHING_BELOW, type UsageBelow, withOwn } from './usage-below.ts'

type Metric = 'input' | 'output' | 'total'

const METRICS: readonly Metric[] = ['input', 'output', 'total']

/**
 * Counts the tokens and the money of a chain, each once. The usage of a span counts only where no step below it
 * reported the same metric; otherwise it is an aggregate, which is compared with what is below and never added. A
 * model call that two instrumentations recorded side by side (equal response ids) counts at the first of the two.
 *
 * @param steps in fold order, so that a step comes after all below it
 */
export function countUsage(steps: readonly ChainStep[]): ChainUsage {
  const repeated = findRepeats(steps)
  const below = new Map<ChainStep, UsageBelow>()
  const tokens = new Map<ChainStep, CountedTokens>()
  const aggregates: UsageAggregate[] = []
  for (const step of steps) {
    const sum = sumChildren(step, below)
    const counted = repeated.has(step) ? null : countOwn(step.record.usage, sum)
    if (!repeated.has(step)) aggregates.push(...findAggregates(step, sum))
    if (counted !== null) tokens.set(step, counted)
    below.set(step, withOwn(step.record, sum, counted, step.children.length === 0))
  }
  const { cost, source } = countCost(steps, tokens, repeated)
  return {
    tokens,
    cost,
    aggregates,
    repeated,
    modelCalls: findModelCalls(steps).filter((step) => !repeated.has(step)),
    toolCalls: steps.filter((step) => step.record.kind === 'tool' && !repeated.has(step)),
    costSource: source,
  }
}

/**
 * Steps whose call was recorded twice: a model call with the response id of an earlier one that is not below it, a
 * tool call with the call id of another one.
 */
function findRepeats(steps: readonly ChainStep[]): ReadonlySet<ChainStep> {
  const seen = new Map<string, ChainStep>()
  const repeats = new Set<ChainStep>()
  for (const step of steps) {
    const key = callKey(step)
    if (key === null) continue
    const first = seen.get(key)
    if (first === undefined) seen.set(key, step)
    else if (isSameCall(step, first)) repeats.add(step)
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

function callKey(step: ChainStep): string | null {
  const { kind, responseId, callId } = step.record
  if (kind === 'model') return responseId === null ? null : `model ${responseId}`
  return kind === 'tool' && callId !== null ? `tool ${callId}` : null
}

/** Model steps with no model step below them. */
function findModelCalls(steps: readonly ChainStep[]): readonly ChainStep[] {
  const holdsModel = new Set<ChainStep>()
  const calls: ChainStep[] = []
  for (const step of steps) {
    const below = step.children.some((child) => holdsModel.has(child))
    if (below || step.record.kind === 'model') holdsModel.add(step)
    if (!below && step.record.kind === 'model') calls.push(step)
  }
  return calls
}

function sumChildren(step: ChainStep, below: ReadonlyMap<ChainStep, UsageBelow>): UsageBelow {
  return step.children.reduce((sum, child) => addBelow(sum, below.get(child) ?? NOTHING_BELOW), NOTHING_BELOW)
}

/** Totals of a step that the steps below it account for, too. A metric only one of both reports is no aggregate. */
function findAggregates(step: ChainStep, below: UsageBelow): readonly UsageAggregate[] {
  const { usage } = step.record
  return METRICS.flatMap((metric) => {
    const reported = usage[metric]
    const counted = metric === 'total' ? below.count : below[metric]
    if (reported === null || counted === null || (metric === 'total' && counted === 0)) return []
    if (metric === 'total' && usage.input !== null && usage.output !== null) return []
    return [{ step, metric, reported, counted, incomplete: below.silentModel }]
  })
}

/**
 * A recorded cost counts where no step below recorded one; a model call without a recorded cost above or at it is
 * priced by the price package.
 */
function countCost(
  steps: readonly ChainStep[],
  tokens: ReadonlyMap<ChainStep, CountedTokens>,
  repeated: ReadonlySet<ChainStep>,
): { readonly cost: ReadonlyMap<ChainStep, number>; readonly source: string | null } {
  const cost = new Map<ChainStep, number>()
  const sources = new Set<string>()
  const recordedBelow = new Set<ChainStep>()
  const covered = new Set<ChainStep>()
  for (const step of steps) {
    if (step.record.recordedCost === null || repeated.has(step)) continue
    if (!recordedBelow.has(step)) {
      cost.set(step, step.record.recordedCost)
      sources.add('recorded')
      coverSubtree(step, covered)
    }
    for (let at = step.parent; at !== null && !recordedBelow.has(at); at = at.parent) recordedBelow.add(at)
  }
  for (const step of steps) {
    const own = tokens.get(step)
    const price = own === undefined || covered.has(step) ? null : priceCall(step.record, own)
    if (price === null) continue
    cost.set(step, price)
    sources.add(PRICE_DATA)
  }
  return { cost, source: sources.size === 0 ? null : [...sources].sort().join(', ') }
}

function coverSubtree(top: ChainStep, covered: Set<ChainStep>): void {
  const stack = [top]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    covered.add(step)
    for (const child of step.children) stack.push(child)
  }
}

import { estimateCost, PRICE_DATA } from '../pricing/estimate-cost.ts'
import type { Usage } from '../steps/step.ts'
import type { ChainStep, ChainUsage, CountedTokens, UsageAggregate } from './chain.ts'
import { isInside } from './is-inside.ts'

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
  const below = new Map<ChainStep, ReportedBelow>()
  const tokens = new Map<ChainStep, CountedTokens>()
  const aggregates: UsageAggregate[] = []
  for (const step of steps) {
    const sum = sumChildren(step, below)
    const counted = repeated.has(step) ? null : countOwn(step.record.usage, sum)
    if (!repeated.has(step)) aggregates.push(...findAggregates(step, sum))
    if (counted !== null) tokens.set(step, counted)
    below.set(step, withOwn(step, sum, counted))
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

/** What the steps below a step reported and what of it was counted, by metric. */
interface ReportedBelow {
  readonly input: number | null
  readonly output: number | null
  readonly total: number | null
  /** Input and output where they are known, else the total. */
  readonly count: number
  readonly silentModel: boolean
}

const NOTHING: ReportedBelow = { input: null, output: null, total: null, count: 0, silentModel: false }

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

function sumChildren(step: ChainStep, below: ReadonlyMap<ChainStep, ReportedBelow>): ReportedBelow {
  return step.children.reduce((sum, child) => {
    const part = below.get(child) ?? NOTHING
    return {
      input: add(sum.input, part.input),
      output: add(sum.output, part.output),
      total: add(sum.total, part.total),
      count: sum.count + part.count,
      silentModel: sum.silentModel || part.silentModel,
    }
  }, NOTHING)
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b
}

function countOwn(usage: Usage, below: ReportedBelow): CountedTokens | null {
  const input = below.input === null ? usage.input : null
  const output = below.output === null ? usage.output : null
  if (input !== null || output !== null) return countParts(usage, input, output)
  const nothingBelow = below.input === null && below.output === null && below.total === null
  return nothingBelow && usage.total !== null ? { ...NO_TOKENS, count: usage.total } : null
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

function withOwn(step: ChainStep, below: ReportedBelow, own: CountedTokens | null): ReportedBelow {
  const { usage, kind } = step.record
  const silent = usage.input === null && usage.output === null && usage.total === null
  const counts = (metric: 'input' | 'output'): number | null =>
    own !== null && below[metric] === null && usage[metric] !== null ? own[metric] : below[metric]
  return {
    input: counts('input'),
    output: counts('output'),
    total: below.total ?? (own === null ? null : usage.total),
    count: below.count + (own?.count ?? 0),
    silentModel: below.silentModel || (kind === 'model' && silent && step.children.length === 0),
  }
}

/** Totals of a step that the steps below it account for, too. A metric only one of both reports is no aggregate. */
function findAggregates(step: ChainStep, below: ReportedBelow): readonly UsageAggregate[] {
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
    const price = own === undefined || covered.has(step) ? null : priceOf(step, own)
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

function priceOf(step: ChainStep, tokens: CountedTokens): number | null {
  const { model, provider, startNs } = step.record
  if (model === null || tokens.input + tokens.output === 0) return null
  const at = new Date(Number(startNs / 1_000_000n))
  return estimateCost({ model, provider, ...tokens, at })
}

import type { Call, ChainStep } from './chain.ts'
import { hasFailed } from './step-failure.ts'

interface OpenCall {
  readonly nodeName: string
  readonly attempts: ChainStep[]
  orderUncertain: boolean
}

/**
 * Groups the steps of a chain into calls. A step is a further attempt of the previous call of its node under the
 * same parent if that call failed and their signatures are equal, or the runtime numbered it as one, or their retry
 * keys are equal; otherwise it is a new call.
 *
 * A turn of an agent loop (a step that holds one model call and the tools it asked for) is no parent of its own:
 * the model makes its next attempt in the next turn. What records a call a second time is a call of its own, which is
 * judged and not counted.
 */
export function groupCalls(
  steps: readonly ChainStep[],
  isUndecided: (a: ChainStep, b: ChainStep) => boolean,
  repeated: ReadonlySet<ChainStep>,
): readonly Call[] {
  // Only what follows a failure can be an attempt of the same call.
  if (!steps.some((step) => hasFailed(step.record))) return steps.map(toCall)
  const calls = groupNodes(steps, repeated).flatMap((group) => groupNode(group, isUndecided))
  return calls.sort((a, b) => first(a).index - first(b).index)
}

function toCall(step: ChainStep): OpenCall {
  return { nodeName: step.record.nodeName, attempts: [step], orderUncertain: false }
}

/** The steps of one kind and node below one parent. */
function groupNodes(
  steps: readonly ChainStep[],
  repeated: ReadonlySet<ChainStep>,
): readonly (readonly ChainStep[])[] {
  const groups = new Map<string, ChainStep[]>()
  const turns = findTurns(steps)
  for (const step of steps) {
    const key = repeated.has(step)
      ? `repeated ${step.record.spanId}`
      : `${callParent(step, turns)?.record.spanId ?? ''}\n${step.record.kind}\n${step.record.nodeName}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [step])
    else group.push(step)
  }
  return [...groups.values()]
}

function groupNode(
  steps: readonly ChainStep[],
  isUndecided: (a: ChainStep, b: ChainStep) => boolean,
): readonly OpenCall[] {
  if (!steps.some((step) => hasFailed(step.record))) return steps.map(toCall)
  const calls: OpenCall[] = []
  for (const run of undecidedRuns(steps, isUndecided)) {
    const mixed = run.some((step) => hasFailed(step.record)) && run.some((step) => !hasFailed(step.record))
    const ordered = mixed
      ? run.toSorted((a, b) => Number(hasFailed(b.record)) - Number(hasFailed(a.record)))
      : run
    for (const step of ordered) {
      const call = calls.at(-1)
      if (call !== undefined && isFurtherAttempt(call, step)) {
        call.attempts.push(step)
        call.orderUncertain ||= mixed && run.includes(call.attempts.at(-2) as ChainStep)
      } else {
        calls.push(toCall(step))
      }
    }
  }
  return calls
}

/** Cuts the steps of a node into runs whose members nothing tells apart. */
function undecidedRuns(
  steps: readonly ChainStep[],
  isUndecided: (a: ChainStep, b: ChainStep) => boolean,
): readonly (readonly ChainStep[])[] {
  const runs: ChainStep[][] = []
  for (const step of steps) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && isUndecided(last, step)) run.push(step)
    else runs.push([step])
  }
  return runs
}

function isFurtherAttempt(call: OpenCall, step: ChainStep): boolean {
  const previous = call.attempts.at(-1)
  if (previous === undefined || !hasFailed(previous.record)) return false
  const { signature, retryKey, attempt } = step.record
  if (attempt !== null && attempt > 1) return true
  if (signature !== null && signature === previous.record.signature) return true
  return retryKey !== null && retryKey === previous.record.retryKey
}

/** The nearest ancestor that is not a turn of an agent loop. */
function callParent(step: ChainStep, turns: ReadonlySet<ChainStep>): ChainStep | null {
  const { parent } = step
  return parent !== null && turns.has(parent) ? parent.parent : parent
}

/** Workflow steps directly below another step that directly hold a model call: turns of an agent loop. */
function findTurns(steps: readonly ChainStep[]): ReadonlySet<ChainStep> {
  const turns = new Set<ChainStep>()
  for (const { record, parent } of steps) {
    if (record.kind !== 'model' || parent === null || parent.parent === null) continue
    if (parent.record.kind === 'workflow') turns.add(parent)
  }
  return turns
}

function first(call: OpenCall): ChainStep {
  return call.attempts[0] as ChainStep
}

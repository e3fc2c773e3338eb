import { byStart, compareStarts, countLeading } from './by-start.ts'
import type { ByStep, ChainStep } from './chain.ts'
import { CLIMB_LIMIT } from './models-beside.ts'

/**
 * Finds the model call that read the result of each tool, retrieval and sub-agent: the first one in the same loop that
 * started when the step had ended. That is one beside it, or in a turn, a plan or a reflection beside it; else the same
 * one level up, after the end of what holds the step. It is never inside another agent, tool or guardrail, but in one
 * case: in a conversation, where an agent beside the step asked for it, the result goes to the agent that speaks next.
 * Parallel calls of one model share their reader.
 *
 * @param steps of one chain, in fold order
 */
export function linkReaders(
  steps: readonly ChainStep[],
  producers: ByStep<ChainStep | null>,
): ByStep<ChainStep | null> {
  const loops = new Loops(steps)
  return steps.map((step) => (hasResult(step) ? loops.findReader(step, producers[step.index] ?? null) : null))
}

function hasResult({ record, parent }: ChainStep): boolean {
  return record.kind === 'tool' || record.kind === 'retrieval' || (record.kind === 'agent' && parent !== null)
}

/** When a result was there, and the step that is known to come before whatever read it. */
interface Moment {
  readonly endNs: bigint
  readonly after: ChainStep
}

class Loops {
  /** The models in the loop of each step, those inside its turns included. */
  readonly #models: ReadonlyMap<ChainStep, readonly ChainStep[]>
  readonly #turns = new Map<ChainStep, readonly ChainStep[]>()

  constructor(steps: readonly ChainStep[]) {
    const models = new Map<ChainStep, ChainStep[]>()
    // Each list comes out sorted.
    for (const model of byStart(steps.filter(({ record }) => record.kind === 'model'))) {
      let above = model.parent
      for (let level = 0; level < CLIMB_LIMIT && above !== null; level++) {
        const list = models.get(above)
        if (list === undefined) models.set(above, [model])
        else list.push(model)
        above = isTransparent(above) ? above.parent : null
      }
    }
    this.#models = models
  }

  findReader(step: ChainStep, producer: ChainStep | null): ChainStep | null {
    const after = producer !== null && compareStarts(producer, step) > 0 ? producer : step
    let { endNs } = step.record
    let at = step
    for (let level = 0; level < CLIMB_LIMIT && at.parent !== null; level++) {
      const moment = { endNs, after }
      const beside = firstFrom(this.#models.get(at.parent) ?? NONE, moment)
      const reader = beside ?? this.#nextTurn(at, producer, moment)
      if (reader !== null) return reader
      at = at.parent
      // The result of what is inside comes out with what holds it.
      if (at.record.endNs > endNs) endNs = at.record.endNs
    }
    return null
  }

  /** The first model inside the agent that speaks next, where an agent beside the step asked: it takes part as well. */
  #nextTurn(at: ChainStep, producer: ChainStep | null, moment: Moment): ChainStep | null {
    const { parent } = at
    const speaker = producer === null || parent === null ? null : findAgentBelow(parent, producer)
    if (parent === null || speaker === null || speaker === at) return null
    const turn = firstFrom(this.#turnsBelow(parent), moment)
    return turn === null ? null : firstFrom(this.#models.get(turn) ?? NONE, moment)
  }

  /** The agents below a step that say something. */
  #turnsBelow(parent: ChainStep): readonly ChainStep[] {
    const known = this.#turns.get(parent)
    if (known !== undefined) return known
    const turns = byStart(
      parent.children.filter((child) => child.record.kind === 'agent' && this.#models.has(child)),
    )
    this.#turns.set(parent, turns)
    return turns
  }
}

const NONE: readonly never[] = []

/** What only orders the loop of an agent. */
function isTransparent({ record: { kind } }: ChainStep): boolean {
  return kind === 'workflow' || kind === 'plan' || kind === 'reflection'
}

/** The agent directly below `parent` that `step` is inside. */
function findAgentBelow(parent: ChainStep, step: ChainStep): ChainStep | null {
  let at = step
  for (let level = 0; level < CLIMB_LIMIT && at.parent !== null; level++) {
    if (at.parent === parent) return at.record.kind === 'agent' ? at : null
    at = at.parent
  }
  return null
}

const MILLISECOND = 1_000_000n

/**
 * The first step from a moment on. Some SDKs record starts in whole milliseconds, cut off, and derive ends from them, so
 * that a step which begins when another one ends may seem to begin up to a millisecond before that; such a start counts
 * for its whole millisecond.
 */
function firstFrom(steps: readonly ChainStep[], { endNs, after }: Moment): ChainStep | null {
  const earliest = endNs - (endNs % MILLISECOND)
  const isBefore = (step: ChainStep, ns: bigint): boolean =>
    step.record.startNs < ns || compareStarts(step, after) <= 0
  const first = steps[countLeading(steps, (step) => isBefore(step, earliest))]
  if (first === undefined || first.record.startNs === earliest) return first ?? null
  return steps[countLeading(steps, (step) => isBefore(step, endNs))] ?? null
}

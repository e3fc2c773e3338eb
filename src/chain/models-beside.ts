import { byStart, countLeading, startsBefore } from './by-start.ts'
import type { ByStep, ChainStep } from './chain.ts'
import { isInside } from './is-inside.ts'
import { lastModels } from './last-models.ts'

/** How many levels up a model is looked for that led to a step, or that read its result. */
export const CLIMB_LIMIT = 8

/** Finds the model whose output most likely led to a step: the last one that started before it beside it. */
export class ModelsBeside {
  readonly #models = new Map<ChainStep, readonly ChainStep[]>()
  readonly #speakers = new Map<ChainStep, readonly ChainStep[]>()
  readonly #steps: readonly ChainStep[]
  #inside: ByStep<ChainStep | null> | null = null

  /** @param steps of one chain, in fold order */
  constructor(steps: readonly ChainStep[]) {
    this.#steps = steps
  }

  /** The last model under the same parent, else under the one above, or inside the agent that spoke before the step. */
  lastBefore(step: ChainStep): ChainStep | null {
    let at: ChainStep | null = step
    for (let level = 0; level < CLIMB_LIMIT && at !== null && at.parent !== null; level++) {
      const model = this.#below(at.parent, step) ?? this.#lastSaid(at.parent, step)
      if (model !== null) return mayAsk(model, step) ? model : null
      at = at.parent
    }
    return null
  }

  /** The last model under the same parent. */
  directlyBefore(step: ChainStep): ChainStep | null {
    const model = step.parent === null ? null : this.#below(step.parent, step)
    return model !== null && mayAsk(model, step) ? model : null
  }

  /** A parent that is a model itself, else the last one under it. */
  #below(parent: ChainStep, step: ChainStep): ChainStep | null {
    if (parent.record.kind === 'model') return parent
    let models = this.#models.get(parent)
    if (models === undefined) {
      models = byStart(parent.children.filter(({ record }) => record.kind === 'model'))
      this.#models.set(parent, models)
    }
    return lastStartedBefore(models, step)
  }

  /** The last model of the agent that started last and was done before the step began. */
  #lastSaid(parent: ChainStep, step: ChainStep): ChainStep | null {
    const inside = (this.#inside ??= lastModels(this.#steps))
    let speakers = this.#speakers.get(parent)
    if (speakers === undefined) {
      speakers = byStart(parent.children.filter((child) => isSpeaker(child, inside)))
      this.#speakers.set(parent, speakers)
    }
    const speaker = lastStartedBefore(speakers, step)
    if (speaker === null || speaker.record.endNs > step.record.startNs) return null
    return inside[speaker.index] ?? null
  }
}

/** What starts later, or is part of a step, did not ask for it; clocks of several machines may say so. */
export function mayAsk(model: ChainStep, step: ChainStep): boolean {
  return startsBefore(model, step) && !isInside(model, step)
}

function isSpeaker(step: ChainStep, inside: ByStep<ChainStep | null>): boolean {
  return step.record.kind === 'agent' && (inside[step.index] ?? null) !== null
}

function lastStartedBefore(models: readonly ChainStep[], step: ChainStep): ChainStep | null {
  return models[countLeading(models, (model) => startsBefore(model, step)) - 1] ?? null
}

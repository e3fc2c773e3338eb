import type { ByStep, ChainStep, RequestedCallLink } from './chain.ts'
import { lastModels } from './last-models.ts'
import { sortNearlySorted } from './sort-nearly-sorted.ts'

/** The tool calls that models asked for, each with the step that ran it, and the model behind each tool step. */
export interface LinkedCalls {
  readonly links: readonly RequestedCallLink[]
  readonly producers: ByStep<ChainStep | null>
}

interface OpenLink {
  readonly model: ChainStep
  readonly position: number
  execution: ChainStep | null
}

/**
 * Pairs the tool calls in the outputs of models with the steps that ran them: by call id, then by name and
 * arguments, then by name, in the order of time. Two recorded ids that differ are two calls. A tool step that no
 * recorded call explains, or a retrieval, has as its producer the last model call before it under the same parent; where
 * there is none, as in a conversation of agents beside a tool, the last one inside the agent that spoke before it.
 */
export function linkCalls(steps: readonly ChainStep[]): LinkedCalls {
  const links = listLinks(steps)
  const producers: (ChainStep | null)[] = steps.map(() => null)
  let open = byStart(steps.filter(isCallable))
  let unmatched = links.length
  for (const key of keys) {
    if (unmatched === 0) break
    const queues = new LinkQueues(links, key.ofLink)
    open = open.filter((step) => {
      const link = queues.take(key.ofStep(step), step)
      if (link === null) return true
      link.execution = step
      producers[step.index] = link.model
      unmatched--
      return false
    })
  }
  const modelsBeside = new ModelsBeside(steps)
  for (const step of open) {
    if (step.record.kind !== 'agent') producers[step.index] = modelsBeside.lastBefore(step)
  }
  return { links, producers }
}

/** In the order in which the models started. */
function listLinks(steps: readonly ChainStep[]): readonly OpenLink[] {
  const links: OpenLink[] = []
  const asking = steps.filter(({ record }) => record.kind === 'model' && record.requestedCalls.length > 0)
  for (const model of byStart(asking)) {
    const { length } = model.record.requestedCalls
    for (let position = 0; position < length; position++) links.push({ model, position, execution: null })
  }
  return links
}

interface MatchKey {
  readonly ofLink: (link: OpenLink) => string | null
  readonly ofStep: (step: ChainStep) => string | null
}

/** What a call and its execution are matched by, the surest first. */
const keys: readonly MatchKey[] = [
  { ofLink: (link) => requested(link).id, ofStep: (step) => step.record.callId },
  {
    ofLink: (link) => join(requested(link).name, requested(link).signature),
    ofStep: (step) => join(calledName(step), step.record.signature),
  },
  { ofLink: (link) => requested(link).name, ofStep: (step) => calledName(step) },
]

function join(name: string, signature: string | null): string | null {
  return signature === null ? null : `${name}\n${signature}`
}

function calledName(step: ChainStep): string {
  return step.record.toolName ?? step.record.nodeName
}

/** Calls that wait for their execution, by key, in the order in which their models started. */
class LinkQueues {
  readonly #queues = new Map<string, OpenLink[]>()

  constructor(links: readonly OpenLink[], keyOf: (link: OpenLink) => string | null) {
    for (const link of links) {
      const key = link.execution === null ? keyOf(link) : null
      if (key === null) continue
      const queue = this.#queues.get(key)
      if (queue === undefined) this.#queues.set(key, [link])
      else queue.push(link)
    }
  }

  /** Takes the first call that may have led to this step; a call with another id than the step's may not. */
  take(key: string | null, step: ChainStep): OpenLink | null {
    const queue = key === null ? undefined : this.#queues.get(key)
    if (queue === undefined) return null
    for (const [at, link] of queue.entries()) {
      if (!startsBefore(link.model, step)) return null
      const { id } = requested(link)
      if (id !== null && step.record.callId !== null && id !== step.record.callId) {
        if (at >= SEARCH_LIMIT) return null
        continue
      }
      queue.splice(at, 1)
      return link
    }
    return null
  }
}

/** How many calls with other ids are passed over before the search gives up. */
const SEARCH_LIMIT = 100

/** What a model's tool call may have run: a tool, or an agent or retrieval that is offered as one. */
function isCallable(step: ChainStep): boolean {
  const { kind } = step.record
  return kind === 'tool' || kind === 'retrieval' || (kind === 'agent' && step.parent !== null)
}

function requested(link: OpenLink): ChainStep['record']['requestedCalls'][number] {
  return link.model.record.requestedCalls[link.position] as ChainStep['record']['requestedCalls'][number]
}

function startsBefore(model: ChainStep, step: ChainStep): boolean {
  return model.record.startNs <= step.record.startNs
}

/** @param steps a list of its own, which is sorted in place */
function byStart(steps: ChainStep[]): readonly ChainStep[] {
  return sortNearlySorted(steps, compareStarts)
}

function compareStarts(a: ChainStep, b: ChainStep): number {
  if (a.record.startNs === b.record.startNs) return a.index - b.index
  return a.record.startNs < b.record.startNs ? -1 : 1
}

/** How many levels up a model is looked for that may have led to a step. */
const CLIMB_LIMIT = 8

/** Finds the model whose output most likely led to a step: the last one that started before it beside it. */
class ModelsBeside {
  readonly #models = new Map<ChainStep, readonly ChainStep[]>()
  readonly #speakers = new Map<ChainStep, readonly ChainStep[]>()
  readonly #steps: readonly ChainStep[]
  #inside: ByStep<ChainStep | null> | null = null

  constructor(steps: readonly ChainStep[]) {
    this.#steps = steps
  }

  lastBefore(step: ChainStep): ChainStep | null {
    let at: ChainStep | null = step
    for (let level = 0; level < CLIMB_LIMIT && at !== null && at.parent !== null; level++) {
      if (at.parent.record.kind === 'model') return at.parent
      const model = lastStartedBefore(this.#below(at.parent), step) ?? this.#lastSaid(at.parent, step)
      if (model !== null) return model
      at = at.parent
    }
    return null
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

  #below(parent: ChainStep): readonly ChainStep[] {
    const known = this.#models.get(parent)
    if (known !== undefined) return known
    const models = byStart(parent.children.filter(({ record }) => record.kind === 'model'))
    this.#models.set(parent, models)
    return models
  }
}

function isSpeaker(step: ChainStep, inside: ByStep<ChainStep | null>): boolean {
  return step.record.kind === 'agent' && (inside[step.index] ?? null) !== null
}

/** A binary search: there may be as many models as steps. */
function lastStartedBefore(models: readonly ChainStep[], step: ChainStep): ChainStep | null {
  let low = 0
  let high = models.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (startsBefore(models[middle] as ChainStep, step)) low = middle + 1
    else high = middle
  }
  return models[low - 1] ?? null
}

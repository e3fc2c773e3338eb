import { byStart, startsBefore } from './by-start.ts'
import type { ByStep, ChainStep, RequestedCallLink } from './chain.ts'
import { isHandoff, toCalledName, toHandoffRun, toHandoffTarget } from './handoff-name.ts'
import { mayAsk, ModelsBeside } from './models-beside.ts'
import { nearestAbove } from './nearest-above.ts'

/** The tool calls that models asked for, each with the step that ran it, and the model behind each step. */
export interface LinkedCalls {
  readonly links: readonly RequestedCallLink[]
  readonly producers: ByStep<ChainStep | null>
}

interface OpenLink {
  readonly model: ChainStep
  readonly position: number
  execution: ChainStep | null
}

type Producers = (ChainStep | null)[]

/**
 * Pairs the tool calls in the outputs of models with the steps that ran them: by call id, then by name and
 * arguments, then by name, in the order of time; a handoff by the agent it leads to. Two recorded ids that differ are
 * two calls. A tool step that no recorded call explains, or a retrieval, has as its producer the last model call before
 * it under the same parent; where there is none, as in a conversation of agents beside a tool, the last one inside the
 * agent that spoke before it. A sub-agent has the producer of the tool that runs it, else the last model call before it
 * under the same parent. Sub-agents, handoffs and tools named by their class whose models called them by other names are
 * the calls that are left.
 */
export function linkCalls(steps: readonly ChainStep[]): LinkedCalls {
  const links = listLinks(steps)
  const producers: Producers = steps.map(() => null)
  const callable = steps.filter(isCallable)
  const tools = callable.some(isAgent) ? nearestAbove(steps, isTool, isWorkflow) : null
  const toolOf = (step: ChainStep): ChainStep | null => (isAgent(step) ? (tools?.[step.index] ?? null) : null)
  const open = matchLinks(links, byStart(callable.filter((step) => toolOf(step) === null)), producers)
  const run = byStart(callable.filter((step) => toolOf(step) !== null))
  // The call of a tool that runs an agent is one call, though two steps may bear its name.
  const unnamed = run.filter((agent) => producers[toolOf(agent)?.index ?? -1] === null)
  matchLinks(links, unnamed, producers)
  for (const agent of unnamed) adoptProducer(toolOf(agent) as ChainStep, agent, producers)
  guessProducers(steps, open, producers)
  for (const agent of run) adoptProducer(agent, toolOf(agent) as ChainStep, producers)
  pairLeftOver(links, open.filter(isHandoff), producers)
  pairLeftOver(links, open.filter(isAgent), producers)
  pairLeftOver(links, open.filter(isNamedByClass), producers)
  return { links, producers }
}

/**
 * Gives calls that nothing has run to the first steps that may have run them.
 *
 * @returns the steps that no call explains
 */
function matchLinks(
  links: readonly OpenLink[],
  steps: readonly ChainStep[],
  producers: Producers,
): readonly ChainStep[] {
  let open = steps
  let unmatched = links.reduce((count, link) => (link.execution === null ? count + 1 : count), 0)
  for (const key of keys) {
    if (unmatched === 0 || open.length === 0) break
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
  return open
}

/** LangChain hands on the class of a tool in the place of its name, as `DynamicStructuredTool`. */
function isNamedByClass({ record }: ChainStep): boolean {
  return record.kind === 'tool' && /^[A-Z]\w*Tool$/u.test(record.toolName ?? '')
}

function adoptProducer(step: ChainStep, other: ChainStep, producers: Producers): void {
  const producer = producers[other.index] ?? null
  if (producers[step.index] !== null || producer === null || !mayAsk(producer, step)) return
  producers[step.index] = producer
}

/** By where they stand. Agents that run one after the other in a workflow did not ask for each other. */
function guessProducers(steps: readonly ChainStep[], open: readonly ChainStep[], producers: Producers): void {
  const modelsBeside = new ModelsBeside(steps)
  const agents = open.some(isAgent) ? nearestAbove(steps, isAgent, () => true) : null
  for (const step of open) {
    if (producers[step.index] !== null) continue
    if (!isAgent(step)) producers[step.index] = modelsBeside.lastBefore(step)
    else if (agents?.[step.index]) producers[step.index] = modelsBeside.directlyBefore(step)
  }
}

/** Pairs the calls of a model that nothing ran with as many steps that came of the model under other names. */
function pairLeftOver(
  links: readonly OpenLink[],
  steps: readonly ChainStep[],
  producers: ByStep<ChainStep | null>,
): void {
  const byModel = new Map<ChainStep, ChainStep[]>()
  for (const step of steps) {
    const producer = producers[step.index] ?? null
    if (producer !== null) append(byModel, producer, step)
  }
  if (byModel.size === 0) return
  const left = new Map<ChainStep, OpenLink[]>()
  for (const link of links) {
    const isLeft = link.execution === null && !requested(link).providerExecuted
    if (isLeft && byModel.has(link.model)) append(left, link.model, link)
  }
  for (const [model, open] of left) {
    const came = byModel.get(model) ?? []
    if (came.length !== open.length || open.some((link, at) => isOtherCall(link, came[at] as ChainStep)))
      continue
    for (const [at, link] of open.entries()) link.execution = came[at] ?? null
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
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
    ofStep: (step) => join(toCalledName(step), step.record.signature),
  },
  { ofLink: (link) => requested(link).name, ofStep: toCalledName },
  { ofLink: (link) => toHandoffTarget(requested(link).name), ofStep: toHandoffRun },
]

function join(name: string, signature: string | null): string | null {
  return signature === null ? null : `${name}\n${signature}`
}

/** Calls that wait for their execution, in the order in which their models started; the first is at `from`. */
interface LinkQueue {
  readonly links: OpenLink[]
  from: number
}

/** Queues of calls by key. */
class LinkQueues {
  readonly #queues = new Map<string, LinkQueue>()

  constructor(links: readonly OpenLink[], keyOf: (link: OpenLink) => string | null) {
    for (const link of links) {
      const key = link.execution === null ? keyOf(link) : null
      if (key === null) continue
      const queue = this.#queues.get(key)
      if (queue === undefined) this.#queues.set(key, { links: [link], from: 0 })
      else queue.links.push(link)
    }
  }

  /** Takes the first call that may have led to this step; a call with another id than the step's may not. */
  take(key: string | null, step: ChainStep): OpenLink | null {
    const queue = key === null ? undefined : this.#queues.get(key)
    if (queue === undefined) return null
    const { links, from } = queue
    for (let at = from; at < links.length; at++) {
      const link = links[at] as OpenLink
      if (!startsBefore(link.model, step)) return null
      if (isOtherCall(link, step)) {
        if (at - from >= SEARCH_LIMIT) return null
        continue
      }
      // The few that were passed over move up: to take one out of a long list moves all that come after it.
      links.copyWithin(from + 1, from, at)
      queue.from++
      return link
    }
    return null
  }
}

/** How many calls that cannot have led to a step are passed over before the search gives up. */
const SEARCH_LIMIT = 100

function isOtherCall(link: OpenLink, step: ChainStep): boolean {
  const { id } = requested(link)
  const { callId } = step.record
  return (id !== null && callId !== null && id !== callId) || !mayAsk(link.model, step)
}

/** What a model's tool call may have run: a tool, or an agent or retrieval that is offered as one. */
function isCallable(step: ChainStep): boolean {
  const { kind } = step.record
  return kind === 'tool' || kind === 'retrieval' || (kind === 'agent' && step.parent !== null)
}

function isAgent({ record }: ChainStep): boolean {
  return record.kind === 'agent'
}

function isTool({ record }: ChainStep): boolean {
  return record.kind === 'tool'
}

function isWorkflow({ record }: ChainStep): boolean {
  return record.kind === 'workflow'
}

function requested(link: OpenLink): ChainStep['record']['requestedCalls'][number] {
  return link.model.record.requestedCalls[link.position] as ChainStep['record']['requestedCalls'][number]
}

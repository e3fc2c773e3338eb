import type { Chain, ChainStep } from '../../chain/chain.ts'
import type { StepRecord } from '../../chain/step-record.ts'
import { listUnexecuted } from '../unexecuted-calls.ts'
import type { ObservedCall } from './run-check.ts'

/**
 * The calls of a chain as guards see them, in fold order: what tools, retrievals and sub-agents ran, and after each
 * model call what it asked for and nothing ran, so that a call that is refused again and again is seen as well. Code in
 * the answer of a model is a call where no step came of it.
 */
export function observeCalls(chain: Chain): readonly ObservedCall[] {
  const unexecuted = groupUnexecuted(chain)
  const producing = listProducing(chain)
  const lastOfNode = new Map<string, ChainStep>()
  const observed: ObservedCall[] = []
  for (const step of chain.steps) {
    const { record } = step
    for (const call of unexecuted.get(step) ?? NONE) observed.push({ ...call, index: observed.length })
    if (chain.usage.repeated.has(step) || !(isCall(step) || isCodeCall(step, producing))) continue
    const previous = lastOfNode.get(record.nodeName)
    lastOfNode.set(record.nodeName, step)
    observed.push({
      ...observeRecord(record, observed.length),
      producerSpanId: chain.producers[step.index]?.record.spanId ?? null,
      orderUndecided: previous !== undefined && chain.isOrderUndecided(previous, step),
    })
  }
  return observed
}

const NONE: readonly never[] = []

/** A call as its record tells it; what the chain around it tells is left open. */
export function observeRecord(record: StepRecord, index: number): ObservedCall {
  const { repeatable } = record
  return {
    index,
    nodeName: record.nodeName,
    spanId: record.spanId,
    producerSpanId: null,
    signature: repeatable === null ? record.signature : repeatable.signature,
    resultDigest: record.resultDigest,
    isCode: record.kind === 'model',
    sketch: repeatable?.sketch ?? null,
    failure: repeatable?.failure ?? null,
    hasTellingResult: repeatable?.hasTellingResult ?? false,
    startNs: record.startNs,
    endNs: record.endNs,
    orderUndecided: false,
  }
}

/** The models that led to a step: what these wrote is seen by what it ran. */
function listProducing(chain: Chain): ReadonlySet<ChainStep> {
  return new Set(chain.producers.flatMap((producer) => (producer === null ? [] : [producer])))
}

/** A model that wrote code as its action, which left no step. */
function isCodeCall(step: ChainStep, producing: ReadonlySet<ChainStep>): boolean {
  return step.record.kind === 'model' && step.record.repeatable !== null && !producing.has(step)
}

function isCall(step: ChainStep): boolean {
  const { kind } = step.record
  return kind === 'tool' || kind === 'retrieval' || (kind === 'agent' && step.parent !== null)
}

function groupUnexecuted(chain: Chain): ReadonlyMap<ChainStep, readonly ObservedCall[]> {
  const groups = new Map<ChainStep, ObservedCall[]>()
  for (const { link, call } of listUnexecuted(chain)) {
    const { spanId, startNs, endNs } = link.model.record
    const observed = {
      index: 0,
      nodeName: call.name,
      spanId,
      producerSpanId: null,
      signature: call.signature,
      resultDigest: null,
      isCode: false,
      sketch: null,
      failure: null,
      hasTellingResult: false,
      startNs,
      endNs,
      orderUndecided: false,
    }
    const known = groups.get(link.model)
    if (known === undefined) groups.set(link.model, [observed])
    else known.push(observed)
  }
  return groups
}

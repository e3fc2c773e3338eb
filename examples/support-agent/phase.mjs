import { context } from '@opentelemetry/api'
import { setChainContext } from 'agent-reach'

/**
 * Runs a part of the agent in a phase: agent-reach writes it on every span that is started inside, also on those that
 * the AI SDK makes.
 * @template T
 * @param {'planning' | 'executing' | 'reflecting' | 'summarizing'} phase
 * @param {() => T} work
 * @returns {T}
 */
export function withPhase(phase, work) {
  return context.with(setChainContext(context.active(), { phase }), work)
}

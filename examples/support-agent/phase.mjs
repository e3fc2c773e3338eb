import { context, createContextKey } from '@opentelemetry/api'

/** @typedef {import('@opentelemetry/sdk-trace-node').SpanProcessor} SpanProcessor */

const phaseKey = createContextKey('agent_reach.phase')

/**
 * Runs a part of the agent in a phase; spans started inside belong to it.
 * @template T
 * @param {'planning' | 'executing' | 'reflecting' | 'summarizing'} phase
 * @param {() => T} work
 * @returns {T}
 */
export function withPhase(phase, work) {
  return context.with(context.active().setValue(phaseKey, phase), work)
}

/**
 * Writes the phase of the context onto each span at its start, also onto the spans the AI SDK makes.
 * @implements {SpanProcessor}
 */
export class PhaseSpanProcessor {
  /**
   * @param {import('@opentelemetry/sdk-trace-node').Span} span
   * @param {import('@opentelemetry/api').Context} parentContext
   */
  onStart(span, parentContext) {
    const phase = parentContext.getValue(phaseKey)
    if (typeof phase === 'string') span.setAttribute('agent_reach.phase', phase)
  }

  onEnd() {}

  async forceFlush() {}

  async shutdown() {}
}

import { readStep } from '../../src/steps/read-step.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import type { ModelStep, Step, ToolStep } from '../../src/steps/step.ts'
import { createSpan, type SpanParts } from './span.ts'

/** Reads a span with the given attributes; its other parts as `createSpan` has them. */
export function readSpan(attributes: Attributes, parts: SpanParts = {}): Step {
  return readStep(createSpan({ ...parts, attributes: { ...attributes, ...parts.attributes } }))
}

/** Reads a span that must be a call of a model. */
export function readModel(attributes: Attributes, parts: SpanParts = {}): ModelStep {
  const step = readSpan(attributes, parts)
  if (step.kind !== 'model') throw new TypeError(`Expected a model step, found ${step.kind}`)
  return step
}

/** Reads a span that must be a call of a tool. */
export function readTool(attributes: Attributes, parts: SpanParts = {}): ToolStep {
  const step = readSpan(attributes, parts)
  if (step.kind !== 'tool') throw new TypeError(`Expected a tool step, found ${step.kind}`)
  return step
}

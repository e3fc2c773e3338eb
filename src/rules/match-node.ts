import type { Step } from '../steps/step.ts'
import { matchesGlob } from './matches-glob.ts'
import type { NodeRules } from './rules.ts'

/** Reads an attribute of the span that a step was read from; `undefined` where it is not recorded. */
export type ReadAttribute = (key: string) => unknown

/** True where the rules of a node are meant for a step. What is not recorded matches no glob. */
export function matchesNode({ name, match }: NodeRules, step: Step, readAttribute: ReadAttribute): boolean {
  if (match === null) return step.nodeName === name
  const { kind, name: nodeName, agent, model, span, attributes = {} } = match
  if (kind !== undefined && kind !== step.kind) return false
  const models = step.kind === 'model' ? [step.requestModel, step.responseModel] : []
  return (
    isMet(nodeName, [step.nodeName]) &&
    isMet(agent, [step.agentName]) &&
    isMet(model, models) &&
    isMet(span, [step.spanName]) &&
    Object.entries(attributes).every(([key, glob]) => isMet(glob, [toText(readAttribute(key))]))
  )
}

function isMet(glob: string | undefined, texts: readonly (string | null)[]): boolean {
  return glob === undefined || texts.some((text) => text !== null && matchesGlob(glob, text))
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

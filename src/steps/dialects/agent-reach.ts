import {
  ATTR_AGENT_REACH_CHECKPOINT_ID,
  ATTR_AGENT_REACH_NODE_NAME,
  ATTR_AGENT_REACH_REFLECTION_STATUS,
  ATTR_AGENT_REACH_SUBTASK_STATUS,
  inputAliases,
} from '../../semconv/agent-reach.ts'
import type { FieldReader } from '../field-reader.ts'
import type { StepKind } from '../step.ts'
import type { Dialect } from './dialect.ts'

const telltales: readonly (readonly [string, StepKind])[] = [
  [ATTR_AGENT_REACH_REFLECTION_STATUS, 'reflection'],
  ...aliasesOf(ATTR_AGENT_REACH_REFLECTION_STATUS).map((key) => [key, 'reflection'] as const),
  [ATTR_AGENT_REACH_NODE_NAME, 'workflow'],
  [ATTR_AGENT_REACH_CHECKPOINT_ID, 'workflow'],
  [ATTR_AGENT_REACH_SUBTASK_STATUS, 'workflow'],
]

/**
 * Our own keys say of a span what no convention says. They give a kind only to spans that carry no other dialect,
 * so this dialect is asked last. Keys that the processor may stamp on any span below a task (chain, task, phase,
 * subtask) make no step; their aliases, which only a person writes, do.
 */
export const agentReach: Dialect = {
  name: 'agent-reach',
  kindKeys: [...telltales.map(([key]) => key), ...Object.keys(inputAliases)],
  readKind(reader) {
    for (const [key, kind] of telltales) {
      if (reader.attributes[key] !== undefined) return { kind, key }
    }
    for (const key of Object.keys(inputAliases)) {
      if (reader.attributes[key] !== undefined) return { kind: kindByPhase(reader), key }
    }
    return null
  },
}

function kindByPhase(reader: FieldReader): StepKind {
  const phase = reader.text('phase')
  if (phase === 'planning') return 'plan'
  return phase === 'reflecting' ? 'reflection' : 'workflow'
}

function aliasesOf(canonical: string): readonly string[] {
  return Object.keys(inputAliases).filter((alias) => inputAliases[alias] === canonical)
}

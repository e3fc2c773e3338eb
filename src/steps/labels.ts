import type { Field } from '../semconv/field-key.ts'
import type { FieldReader } from './field-reader.ts'
import type { Phase, ReflectionStatus, SpanFacts, StopAction, SubtaskStatus } from './step.ts'

/** What a program says of a span by our own keys. */
export type Labels = Pick<
  SpanFacts,
  | 'sequence'
  | 'chainId'
  | 'taskId'
  | 'phase'
  | 'subtaskId'
  | 'subtaskStatus'
  | 'reflectionStatus'
  | 'attempt'
  | 'skippedReason'
  | 'requires'
  | 'stopAction'
>

/** Reads the labels of a span. Most spans have none, and share one empty set of them. */
export function readLabels(reader: FieldReader): Labels {
  if (!reader.carriesAny(FIELDS)) return NO_LABELS
  return {
    sequence: reader.count('sequence'),
    chainId: reader.text('chain.id'),
    taskId: reader.text('task.id'),
    phase: oneOf(PHASES, reader.text('phase')),
    subtaskId: reader.text('subtask.id'),
    subtaskStatus: oneOf(SUBTASK_STATUSES, reader.text('subtask.status')),
    reflectionStatus: oneOf(REFLECTION_STATUSES, reader.text('reflection.status')),
    attempt: reader.count('node.attempt'),
    skippedReason: reader.text('node.skipped_reason'),
    requires: reader.texts('node.requires'),
    stopAction: oneOf(STOP_ACTIONS, reader.text('stop.action')),
  }
}

const FIELDS: ReadonlySet<Field> = new Set([
  'sequence',
  'chain.id',
  'task.id',
  'phase',
  'subtask.id',
  'subtask.status',
  'reflection.status',
  'node.attempt',
  'node.skipped_reason',
  'node.requires',
  'stop.action',
])

const NO_LABELS: Labels = {
  sequence: null,
  chainId: null,
  taskId: null,
  phase: null,
  subtaskId: null,
  subtaskStatus: null,
  reflectionStatus: null,
  attempt: null,
  skippedReason: null,
  requires: [],
  stopAction: null,
}

const PHASES: readonly Phase[] = ['planning', 'executing', 'reflecting', 'summarizing']
const SUBTASK_STATUSES: readonly SubtaskStatus[] = ['pending', 'success', 'failed', 'skipped']
const REFLECTION_STATUSES: readonly ReflectionStatus[] = ['continue', 'replan', 'done']
const STOP_ACTIONS: readonly StopAction[] = ['node', 'chain', 'handoff']

function oneOf<T extends string>(members: readonly T[], value: string | null): T | null {
  return value === null ? null : (members.find((member) => member === value) ?? null)
}

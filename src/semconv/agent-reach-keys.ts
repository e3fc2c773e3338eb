import {
  ATTR_AGENT_REACH_CHAIN_ID,
  ATTR_AGENT_REACH_CHECKPOINT_ID,
  ATTR_AGENT_REACH_NODE_ATTEMPT,
  ATTR_AGENT_REACH_NODE_EVIDENCE,
  ATTR_AGENT_REACH_NODE_FINDINGS,
  ATTR_AGENT_REACH_NODE_NAME,
  ATTR_AGENT_REACH_NODE_REQUIRES,
  ATTR_AGENT_REACH_NODE_SKIPPED_REASON,
  ATTR_AGENT_REACH_PHASE,
  ATTR_AGENT_REACH_REFLECTION_STATUS,
  ATTR_AGENT_REACH_STATUS_SET,
  ATTR_AGENT_REACH_STEP_RESULT_DIGEST,
  ATTR_AGENT_REACH_STEP_RETRY_KEY,
  ATTR_AGENT_REACH_STEP_SEQUENCE,
  ATTR_AGENT_REACH_STEP_SIGNATURE,
  ATTR_AGENT_REACH_STOP_ACTION,
  ATTR_AGENT_REACH_SUBTASK_ID,
  ATTR_AGENT_REACH_SUBTASK_STATUS,
  ATTR_AGENT_REACH_TASK_ID,
  ATTR_AGENT_REACH_TOKEN_COUNT,
  inputAliases,
} from './agent-reach.ts'
import type { Field, FieldKey } from './field-key.ts'

const VERSION = '1'

const ownKeys: readonly (readonly [Field, string])[] = [
  ['chain.id', ATTR_AGENT_REACH_CHAIN_ID],
  ['task.id', ATTR_AGENT_REACH_TASK_ID],
  ['node.name', ATTR_AGENT_REACH_NODE_NAME],
  ['node.requires', ATTR_AGENT_REACH_NODE_REQUIRES],
  ['node.attempt', ATTR_AGENT_REACH_NODE_ATTEMPT],
  ['node.skipped_reason', ATTR_AGENT_REACH_NODE_SKIPPED_REASON],
  ['sequence', ATTR_AGENT_REACH_STEP_SEQUENCE],
  ['phase', ATTR_AGENT_REACH_PHASE],
  ['subtask.id', ATTR_AGENT_REACH_SUBTASK_ID],
  ['subtask.status', ATTR_AGENT_REACH_SUBTASK_STATUS],
  ['checkpoint.id', ATTR_AGENT_REACH_CHECKPOINT_ID],
  ['reflection.status', ATTR_AGENT_REACH_REFLECTION_STATUS],
  ['stop.action', ATTR_AGENT_REACH_STOP_ACTION],
  ['digest.arguments', ATTR_AGENT_REACH_STEP_SIGNATURE],
  ['digest.retry_key', ATTR_AGENT_REACH_STEP_RETRY_KEY],
  ['digest.result', ATTR_AGENT_REACH_STEP_RESULT_DIGEST],
  ['status.set', ATTR_AGENT_REACH_STATUS_SET],
  ['marks.findings', ATTR_AGENT_REACH_NODE_FINDINGS],
  ['marks.evidence', ATTR_AGENT_REACH_NODE_EVIDENCE],
]

/** The field behind each canonical key that an input alias stands for. */
const aliasedFields: Readonly<Record<string, Field>> = {
  [ATTR_AGENT_REACH_PHASE]: 'phase',
  [ATTR_AGENT_REACH_SUBTASK_ID]: 'subtask.id',
  [ATTR_AGENT_REACH_CHECKPOINT_ID]: 'checkpoint.id',
  [ATTR_AGENT_REACH_REFLECTION_STATUS]: 'reflection.status',
  [ATTR_AGENT_REACH_TOKEN_COUNT]: 'tokens.total',
}

/**
 * Our own input keys, then their aliases. Output keys are not here: they are never read as evidence. The two mark
 * keys are read only where the content itself is absent and was checked in process.
 */
export const agentReachKeys: readonly FieldKey[] = [
  ...ownKeys.map(([field, key]) => ({ field, key, dialect: 'agent-reach' as const, version: VERSION })),
  ...Object.entries(inputAliases).flatMap(([key, canonical]) => {
    const field = aliasedFields[canonical]
    return field === undefined ? [] : [{ field, key, dialect: 'agent-reach' as const, version: VERSION }]
  }),
]

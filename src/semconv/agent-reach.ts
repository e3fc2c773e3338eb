// Generated from src/semconv/registry by `npm run generate`. Do not edit.

/** What was done about the alert. */
export const ATTR_AGENT_REACH_ALERT_ACTION = 'agent_reach.alert.action' as const

/** Nobody acted on the alert. */
export const AGENT_REACH_ALERT_ACTION_VALUE_NONE = 'none' as const

/** The call was stopped and the run went on. */
export const AGENT_REACH_ALERT_ACTION_VALUE_STOP_NODE = 'stop_node' as const

/** The run was stopped. */
export const AGENT_REACH_ALERT_ACTION_VALUE_STOP_CHAIN = 'stop_chain' as const

/** The run was stopped and handed to a human. */
export const AGENT_REACH_ALERT_ACTION_VALUE_HANDOFF = 'handoff' as const

/** One line that says what happened. */
export const ATTR_AGENT_REACH_ALERT_MESSAGE = 'agent_reach.alert.message' as const

/** How grave the alert is. */
export const ATTR_AGENT_REACH_ALERT_SEVERITY = 'agent_reach.alert.severity' as const

/** The chain can still succeed. */
export const AGENT_REACH_ALERT_SEVERITY_VALUE_WARN = 'warn' as const

/** The chain is at best `partial_failed`. */
export const AGENT_REACH_ALERT_SEVERITY_VALUE_ERROR = 'error' as const

/** Kind of the alert. */
export const ATTR_AGENT_REACH_ALERT_TYPE = 'agent_reach.alert.type' as const

/** A node was called again and again without progress. */
export const AGENT_REACH_ALERT_TYPE_VALUE_LOOP = 'loop' as const

/** A call was retried as often as it may be and is still invalid. */
export const AGENT_REACH_ALERT_TYPE_VALUE_RETRY = 'retry' as const

/** A budget of the chain is nearly or wholly used up. */
export const AGENT_REACH_ALERT_TYPE_VALUE_BUDGET = 'budget' as const

/** A node was about to use, or used, the result of a node that failed. */
export const AGENT_REACH_ALERT_TYPE_VALUE_DOWNSTREAM = 'downstream' as const

/** An expected checkpoint is missing or failed. */
export const AGENT_REACH_ALERT_TYPE_VALUE_CHECKPOINT = 'checkpoint' as const

/** A setting that was to be held still has drifted. */
export const AGENT_REACH_ALERT_TYPE_VALUE_DETERMINISM = 'determinism' as const

/** US dollars that the chain may cost. */
export const ATTR_AGENT_REACH_BUDGET_COST_LIMIT = 'agent_reach.budget.cost.limit' as const

/** US dollars that the chain has cost so far. */
export const ATTR_AGENT_REACH_BUDGET_COST_USAGE = 'agent_reach.budget.cost.usage' as const

/** Share of the cost budget that is used, 1 when it is used up. */
export const ATTR_AGENT_REACH_BUDGET_COST_UTILIZATION = 'agent_reach.budget.cost.utilization' as const

/** Seconds that the chain may take. */
export const ATTR_AGENT_REACH_BUDGET_DURATION_LIMIT = 'agent_reach.budget.duration.limit' as const

/** Seconds that the chain has taken so far. */
export const ATTR_AGENT_REACH_BUDGET_DURATION_USAGE = 'agent_reach.budget.duration.usage' as const

/** Share of the duration budget that is used, 1 when it is used up. */
export const ATTR_AGENT_REACH_BUDGET_DURATION_UTILIZATION = 'agent_reach.budget.duration.utilization' as const

/** Model calls that the chain may make. */
export const ATTR_AGENT_REACH_BUDGET_MODEL_CALL_LIMIT = 'agent_reach.budget.model_call.limit' as const

/** Model calls that the chain has made so far. */
export const ATTR_AGENT_REACH_BUDGET_MODEL_CALL_USAGE = 'agent_reach.budget.model_call.usage' as const

/** Share of the model call budget that is used, 1 when it is used up. */
export const ATTR_AGENT_REACH_BUDGET_MODEL_CALL_UTILIZATION =
  'agent_reach.budget.model_call.utilization' as const

/** Tokens that the chain may use. */
export const ATTR_AGENT_REACH_BUDGET_TOKEN_LIMIT = 'agent_reach.budget.token.limit' as const

/** Tokens that the chain has used so far. */
export const ATTR_AGENT_REACH_BUDGET_TOKEN_USAGE = 'agent_reach.budget.token.usage' as const

/** Share of the token budget that is used, 1 when it is used up. */
export const ATTR_AGENT_REACH_BUDGET_TOKEN_UTILIZATION = 'agent_reach.budget.token.utilization' as const

/** Tool calls that the chain may make. */
export const ATTR_AGENT_REACH_BUDGET_TOOL_CALL_LIMIT = 'agent_reach.budget.tool_call.limit' as const

/** Tool calls that the chain has made so far. */
export const ATTR_AGENT_REACH_BUDGET_TOOL_CALL_USAGE = 'agent_reach.budget.tool_call.usage' as const

/** Share of the tool call budget that is used, 1 when it is used up. */
export const ATTR_AGENT_REACH_BUDGET_TOOL_CALL_UTILIZATION =
  'agent_reach.budget.tool_call.utilization' as const

/** Number of alerts that fired in the chain. */
export const ATTR_AGENT_REACH_CHAIN_ALERT_COUNT = 'agent_reach.chain.alert.count' as const

/** Estimated cost of the whole chain in US dollars, each token priced once. */
export const ATTR_AGENT_REACH_CHAIN_COST_USD = 'agent_reach.chain.cost.usd' as const

/** Chain that the span belongs to. */
export const ATTR_AGENT_REACH_CHAIN_ID = 'agent_reach.chain.id' as const

/** Number of loops found in the chain. */
export const ATTR_AGENT_REACH_CHAIN_LOOP_COUNT = 'agent_reach.chain.loop.count' as const

/** Whether something below the root was still open when the root's marks were written. */
export const ATTR_AGENT_REACH_CHAIN_PROVISIONAL = 'agent_reach.chain.provisional' as const

/** Name of the first failing node. */
export const ATTR_AGENT_REACH_CHAIN_ROOT_CAUSE = 'agent_reach.chain.root_cause' as const

/** Verdict on the whole chain. */
export const ATTR_AGENT_REACH_CHAIN_STATUS = 'agent_reach.chain.status' as const

/** Every node was reached and no error alert fired. */
export const AGENT_REACH_CHAIN_STATUS_VALUE_SUCCESS = 'success' as const

/** A node was not reached or an error alert fired, while no root failed. */
export const AGENT_REACH_CHAIN_STATUS_VALUE_PARTIAL_FAILED = 'partial_failed' as const

/** A root failed, the run was stopped, or the root's recorded output is empty. */
export const AGENT_REACH_CHAIN_STATUS_VALUE_FAILED = 'failed' as const

/** Tokens of the whole chain, each counted once. */
export const ATTR_AGENT_REACH_CHAIN_TOKEN_COUNT = 'agent_reach.chain.token.count' as const

/** What the checkpoint recorded, as short JSON text. */
export const ATTR_AGENT_REACH_CHECKPOINT_DATA = 'agent_reach.checkpoint.data' as const

/** Checkpoint that was passed. */
export const ATTR_AGENT_REACH_CHECKPOINT_ID = 'agent_reach.checkpoint.id' as const

/** Name of the checkpoint for people. */
export const ATTR_AGENT_REACH_CHECKPOINT_NAME = 'agent_reach.checkpoint.name' as const

/** Whether the rules of the checkpoint hold. */
export const ATTR_AGENT_REACH_CHECKPOINT_STATUS = 'agent_reach.checkpoint.status' as const

/** The checkpoint's rules hold. */
export const AGENT_REACH_CHECKPOINT_STATUS_VALUE_PASSED = 'passed' as const

/** At least one of the checkpoint's rules does not hold. */
export const AGENT_REACH_CHECKPOINT_STATUS_VALUE_FAILED = 'failed' as const

/** Estimated cost in US dollars that the step adds to the chain, counted once. */
export const ATTR_AGENT_REACH_COST_USD = 'agent_reach.cost.usd' as const

/** How many repetitions the loop had when the alert fired. */
export const ATTR_AGENT_REACH_LOOP_COUNT = 'agent_reach.loop.count' as const

/** What was repeated in the loop. */
export const ATTR_AGENT_REACH_LOOP_KIND = 'agent_reach.loop.kind' as const

/** The same node was called with equal arguments. */
export const AGENT_REACH_LOOP_KIND_VALUE_EXACT = 'exact' as const

/** The same node was called with nearly equal arguments. */
export const AGENT_REACH_LOOP_KIND_VALUE_SIMILAR = 'similar' as const

/** The same sequence of nodes came again. */
export const AGENT_REACH_LOOP_KIND_VALUE_CYCLE = 'cycle' as const

/** The same node failed with the same error. */
export const AGENT_REACH_LOOP_KIND_VALUE_ERROR = 'error' as const

/** The same node gave the same result. */
export const AGENT_REACH_LOOP_KIND_VALUE_RESULT = 'result' as const

/** Digest of what was repeated. */
export const ATTR_AGENT_REACH_LOOP_SIGNATURE = 'agent_reach.loop.signature' as const

/** Number of the attempt within its call, from 1. */
export const ATTR_AGENT_REACH_NODE_ATTEMPT = 'agent_reach.node.attempt' as const

/** How much of the result could be checked. */
export const ATTR_AGENT_REACH_NODE_EVIDENCE = 'agent_reach.node.evidence' as const

/** All of the result could be checked. */
export const AGENT_REACH_NODE_EVIDENCE_VALUE_FULL = 'full' as const

/** Only part of the result could be checked, for example because it was truncated. */
export const AGENT_REACH_NODE_EVIDENCE_VALUE_PARTIAL = 'partial' as const

/** Nothing of the result could be checked. */
export const AGENT_REACH_NODE_EVIDENCE_VALUE_NONE = 'none' as const

/** The result was checked in process and not recorded. */
export const AGENT_REACH_NODE_EVIDENCE_VALUE_CAPTURED = 'captured' as const

/** Codes of the findings on the step. */
export const ATTR_AGENT_REACH_NODE_FINDINGS = 'agent_reach.node.findings' as const

/** Name of the node, a named place in the chain. */
export const ATTR_AGENT_REACH_NODE_NAME = 'agent_reach.node.name' as const

/** One line that says why the node has its state, at most 256 bytes. */
export const ATTR_AGENT_REACH_NODE_REASON = 'agent_reach.node.reason' as const

/** Names of the upstream nodes whose results the node needs. */
export const ATTR_AGENT_REACH_NODE_REQUIRES = 'agent_reach.node.requires' as const

/** Why the runtime did not run the node. */
export const ATTR_AGENT_REACH_NODE_SKIPPED_REASON = 'agent_reach.node.skipped_reason' as const

/** State of the node as known when its span ended. */
export const ATTR_AGENT_REACH_NODE_STATUS = 'agent_reach.node.status' as const

/** Ended without an error finding. */
export const AGENT_REACH_NODE_STATUS_VALUE_REACHED = 'reached' as const

/** Ended normally, with at least one error finding on its result or its call. */
export const AGENT_REACH_NODE_STATUS_VALUE_REACHED_INVALID = 'reached_invalid' as const

/** Threw or has status ERROR that no failed descendant explains, or was expected and never called. */
export const AGENT_REACH_NODE_STATUS_VALUE_UNREACHABLE = 'unreachable' as const

/** Took longer than its limit, or started and never ended. */
export const AGENT_REACH_NODE_STATUS_VALUE_TIMED_OUT = 'timed_out' as const

/** Not executed because something upstream failed or the run was stopped. */
export const AGENT_REACH_NODE_STATUS_VALUE_SKIPPED = 'skipped' as const

/** Span id of the open span, as 16 hexadecimal digits. */
export const ATTR_AGENT_REACH_OPEN_SPAN_ID = 'agent_reach.open_span.id' as const

/** Name of the open span. */
export const ATTR_AGENT_REACH_OPEN_SPAN_NAME = 'agent_reach.open_span.name' as const

/** Span id of the open span's parent, as 16 hexadecimal digits. */
export const ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID = 'agent_reach.open_span.parent_id' as const

/** Start of the open span in nanoseconds since the Unix epoch, as a decimal string. */
export const ATTR_AGENT_REACH_OPEN_SPAN_START_TIME = 'agent_reach.open_span.start_time' as const

/** Phase of the agent's work that the span belongs to. */
export const ATTR_AGENT_REACH_PHASE = 'agent_reach.phase' as const

/** The agent decides what to do. */
export const AGENT_REACH_PHASE_VALUE_PLANNING = 'planning' as const

/** The agent carries out a subtask. */
export const AGENT_REACH_PHASE_VALUE_EXECUTING = 'executing' as const

/** The agent looks at what it has done and decides whether to go on. */
export const AGENT_REACH_PHASE_VALUE_REFLECTING = 'reflecting' as const

/** The agent writes its answer. */
export const AGENT_REACH_PHASE_VALUE_SUMMARIZING = 'summarizing' as const

/** What the agent concluded from its reflection. */
export const ATTR_AGENT_REACH_REFLECTION_STATUS = 'agent_reach.reflection.status' as const

/** The plan stands and the agent goes on. */
export const AGENT_REACH_REFLECTION_STATUS_VALUE_CONTINUE = 'continue' as const

/** The agent makes a new plan. */
export const AGENT_REACH_REFLECTION_STATUS_VALUE_REPLAN = 'replan' as const

/** The agent considers the task finished. */
export const AGENT_REACH_REFLECTION_STATUS_VALUE_DONE = 'done' as const

/** Link to the chain report, where a URL template is configured. */
export const ATTR_AGENT_REACH_REPORT_URL = 'agent_reach.report.url' as const

/** Whether the processor raised the status of the span. */
export const ATTR_AGENT_REACH_STATUS_SET = 'agent_reach.status.set' as const

/** Digest of the result, where it was checked in process and not recorded. */
export const ATTR_AGENT_REACH_STEP_RESULT_DIGEST = 'agent_reach.step.result_digest' as const

/**
 * Digest of the arguments that say what the call is about, where these were checked in process and not
 * recorded.
 */
export const ATTR_AGENT_REACH_STEP_RETRY_KEY = 'agent_reach.step.retry_key' as const

/** Position of the span's start among the spans started in its process. */
export const ATTR_AGENT_REACH_STEP_SEQUENCE = 'agent_reach.step.sequence' as const

/**
 * Digest of the node's name and the arguments of the call, where these were checked in process and not
 * recorded.
 */
export const ATTR_AGENT_REACH_STEP_SIGNATURE = 'agent_reach.step.signature' as const

/** What was stopped, written by whoever stopped it. */
export const ATTR_AGENT_REACH_STOP_ACTION = 'agent_reach.stop.action' as const

/** The call was stopped and the run went on. */
export const AGENT_REACH_STOP_ACTION_VALUE_NODE = 'node' as const

/** The run was stopped. */
export const AGENT_REACH_STOP_ACTION_VALUE_CHAIN = 'chain' as const

/** The run was stopped and handed to a human. */
export const AGENT_REACH_STOP_ACTION_VALUE_HANDOFF = 'handoff' as const

/** Subtask that the span works for. */
export const ATTR_AGENT_REACH_SUBTASK_ID = 'agent_reach.subtask.id' as const

/** State of the subtask, as the agent itself sees it. */
export const ATTR_AGENT_REACH_SUBTASK_STATUS = 'agent_reach.subtask.status' as const

/** Not finished yet. */
export const AGENT_REACH_SUBTASK_STATUS_VALUE_PENDING = 'pending' as const

/** Finished as planned. */
export const AGENT_REACH_SUBTASK_STATUS_VALUE_SUCCESS = 'success' as const

/** Finished without its result. */
export const AGENT_REACH_SUBTASK_STATUS_VALUE_FAILED = 'failed' as const

/** Not executed. */
export const AGENT_REACH_SUBTASK_STATUS_VALUE_SKIPPED = 'skipped' as const

/** The caller's id of the task that the chain works on. */
export const ATTR_AGENT_REACH_TASK_ID = 'agent_reach.task.id' as const

/** Tokens that the step adds to the chain, counted once. */
export const ATTR_AGENT_REACH_TOKEN_COUNT = 'agent_reach.token.count' as const

/** A guard or a rule about the whole chain fired. */
export const EVENT_AGENT_REACH_ALERT = 'agent_reach.alert' as const

/** A span below the root was still open when the root ended; written on the root. */
export const EVENT_AGENT_REACH_OPEN_SPAN = 'agent_reach.open_span' as const

/** A checkpoint was passed. */
export const EVENT_AGENT_REACH_CHECKPOINT = 'agent_reach.checkpoint' as const

/** Duration of a chain. */
export const METRIC_AGENT_REACH_CHAIN_DURATION = 'agent_reach.chain.duration' as const

/** Number of chains. */
export const METRIC_AGENT_REACH_CHAINS = 'agent_reach.chains' as const

/** Number of nodes. */
export const METRIC_AGENT_REACH_NODES = 'agent_reach.nodes' as const

/** Number of alerts. */
export const METRIC_AGENT_REACH_ALERTS = 'agent_reach.alerts' as const

/** Estimated cost of chains in US dollars. */
export const METRIC_AGENT_REACH_CHAIN_COST = 'agent_reach.chain.cost' as const

/** Number of tokens that chains used. */
export const METRIC_AGENT_REACH_CHAIN_TOKENS = 'agent_reach.chain.tokens' as const

/** Keys of the span attributes that a reader takes as evidence. */
export const inputKeys: readonly string[] = [
  ATTR_AGENT_REACH_CHAIN_ID,
  ATTR_AGENT_REACH_CHECKPOINT_ID,
  ATTR_AGENT_REACH_NODE_ATTEMPT,
  ATTR_AGENT_REACH_NODE_NAME,
  ATTR_AGENT_REACH_NODE_REQUIRES,
  ATTR_AGENT_REACH_NODE_SKIPPED_REASON,
  ATTR_AGENT_REACH_PHASE,
  ATTR_AGENT_REACH_REFLECTION_STATUS,
  ATTR_AGENT_REACH_STEP_RESULT_DIGEST,
  ATTR_AGENT_REACH_STEP_RETRY_KEY,
  ATTR_AGENT_REACH_STEP_SEQUENCE,
  ATTR_AGENT_REACH_STEP_SIGNATURE,
  ATTR_AGENT_REACH_STOP_ACTION,
  ATTR_AGENT_REACH_SUBTASK_ID,
  ATTR_AGENT_REACH_SUBTASK_STATUS,
  ATTR_AGENT_REACH_TASK_ID,
]

/**
 * Keys of the span attributes that are our own marks. A reader drops them, since a mark is never evidence.
 */
export const outputKeys: readonly string[] = [
  ATTR_AGENT_REACH_BUDGET_COST_LIMIT,
  ATTR_AGENT_REACH_BUDGET_COST_USAGE,
  ATTR_AGENT_REACH_BUDGET_COST_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_DURATION_LIMIT,
  ATTR_AGENT_REACH_BUDGET_DURATION_USAGE,
  ATTR_AGENT_REACH_BUDGET_DURATION_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_LIMIT,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_USAGE,
  ATTR_AGENT_REACH_BUDGET_MODEL_CALL_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_TOKEN_LIMIT,
  ATTR_AGENT_REACH_BUDGET_TOKEN_USAGE,
  ATTR_AGENT_REACH_BUDGET_TOKEN_UTILIZATION,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_LIMIT,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_USAGE,
  ATTR_AGENT_REACH_BUDGET_TOOL_CALL_UTILIZATION,
  ATTR_AGENT_REACH_CHAIN_ALERT_COUNT,
  ATTR_AGENT_REACH_CHAIN_COST_USD,
  ATTR_AGENT_REACH_CHAIN_LOOP_COUNT,
  ATTR_AGENT_REACH_CHAIN_PROVISIONAL,
  ATTR_AGENT_REACH_CHAIN_ROOT_CAUSE,
  ATTR_AGENT_REACH_CHAIN_STATUS,
  ATTR_AGENT_REACH_CHAIN_TOKEN_COUNT,
  ATTR_AGENT_REACH_COST_USD,
  ATTR_AGENT_REACH_NODE_EVIDENCE,
  ATTR_AGENT_REACH_NODE_FINDINGS,
  ATTR_AGENT_REACH_NODE_REASON,
  ATTR_AGENT_REACH_NODE_STATUS,
  ATTR_AGENT_REACH_REPORT_URL,
  ATTR_AGENT_REACH_STATUS_SET,
  ATTR_AGENT_REACH_TOKEN_COUNT,
]

/**
 * Shorter names that a reader takes as evidence, each with the key it stands for. A token count under an
 * alias is an input although the key itself is an output, since the user's own agent wrote it.
 */
export const inputAliases: Readonly<Record<string, string>> = {
  phase: ATTR_AGENT_REACH_PHASE,
  'agent.phase': ATTR_AGENT_REACH_PHASE,
  subtask_id: ATTR_AGENT_REACH_SUBTASK_ID,
  'agent.subtask_id': ATTR_AGENT_REACH_SUBTASK_ID,
  checkpoint_id: ATTR_AGENT_REACH_CHECKPOINT_ID,
  'agent.checkpoint_id': ATTR_AGENT_REACH_CHECKPOINT_ID,
  reflection_status: ATTR_AGENT_REACH_REFLECTION_STATUS,
  'agent.reflection_status': ATTR_AGENT_REACH_REFLECTION_STATUS,
  token_count: ATTR_AGENT_REACH_TOKEN_COUNT,
  'agent.token_count': ATTR_AGENT_REACH_TOKEN_COUNT,
}

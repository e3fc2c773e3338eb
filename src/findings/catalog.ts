import type { Severity } from './severity.ts'

/** What a code is about; the first three decide the state of a step, the last is about the run. */
export type FindingGroup = 'step' | 'result' | 'call' | 'run'

/** One row of the catalogue of finding codes. */
export interface CatalogRow {
  readonly group: FindingGroup
  /** What has happened, in one sentence. */
  readonly meaning: string
  /** Severity where neither the check nor a rule says otherwise. */
  readonly severity: Severity
  /** What must be recorded for the check to be able to speak. */
  readonly needs: string
  /** What to do about it. */
  readonly suggestion: string
}

/** The stable codes of findings. */
export type FindingCode =
  | 'exception'
  | 'timeout'
  | 'never_ended'
  | 'never_called'
  | 'rate_limited'
  | 'auth_failed'
  | 'service_error'
  | 'not_found'
  | 'context_overflow'
  | 'schema_violation'
  | 'assertion_failed'
  | 'contract_violation'
  | 'empty_result'
  | 'error_in_result'
  | 'malformed_json'
  | 'truncated_output'
  | 'filtered_output'
  | 'sensitive_data'
  | 'judge_rejected'
  | 'malformed_arguments'
  | 'invalid_arguments'
  | 'unknown_tool'
  | 'call_never_executed'
  | 'loop'
  | 'retry_exhausted'
  | 'budget_exceeded'
  | 'downstream_of_invalid'
  | 'checkpoint_missing'
  | 'checkpoint_failed'
  | 'unverified_answer'
  | 'premature_end'
  | 'step_limit'
  | 'determinism_drift'
  | 'usage_mismatch'
  | 'failed_below'
  | 'rule_error'

/**
 * Every finding code, its meaning and its advice. Adding a code is adding a row; none is ever removed or changes its
 * meaning within report version 1.
 */
export const findingCatalog: Readonly<Record<FindingCode, CatalogRow>> = {
  exception: {
    group: 'step',
    meaning: 'The step threw, or its span has status ERROR',
    severity: 'error',
    needs: 'span status',
    suggestion: 'handle the error inside the step, or return it to the model as a result it can act on',
  },
  timeout: {
    group: 'step',
    meaning: 'The step took longer than its limit',
    severity: 'error',
    needs: 'exception type or message, or a limit in the rules',
    suggestion: 'raise the limit, make the step faster, or let the chain go on without it',
  },
  never_ended: {
    group: 'step',
    meaning: 'The step started and never ended',
    severity: 'error',
    needs: 'the open-span event on the root',
    suggestion: 'end the span in a finally block; look for an aborted stream or a promise nobody awaits',
  },
  never_called: {
    group: 'step',
    meaning: 'A node that the rules expect was never called',
    severity: 'error',
    needs: 'a rule',
    suggestion: 'check the plan and the routing that should lead to the node',
  },
  rate_limited: {
    group: 'step',
    meaning: 'A provider refused the call because of its rate limit',
    severity: 'error',
    needs: 'exception type or message',
    suggestion: 'retry with back-off, lower the parallelism, or raise the quota',
  },
  auth_failed: {
    group: 'step',
    meaning: 'The call was refused for its credentials or permissions',
    severity: 'error',
    needs: 'exception type or message',
    suggestion: 'check the key, its scope and its expiry; a retry does not help',
  },
  service_error: {
    group: 'step',
    meaning: 'The service behind the step failed',
    severity: 'error',
    needs: 'exception type or message',
    suggestion: 'retry with back-off and give the chain a fallback',
  },
  not_found: {
    group: 'step',
    meaning: 'What the step asked for does not exist',
    severity: 'error',
    needs: 'exception type or message',
    suggestion: 'check the id or path that the model passed, and tell the model which ones exist',
  },
  context_overflow: {
    group: 'step',
    meaning: 'The prompt was longer than the context window of the model',
    severity: 'error',
    needs: 'exception type or message',
    suggestion: 'shorten or summarise the history, or cut large tool results before they enter the prompt',
  },
  schema_violation: {
    group: 'result',
    meaning: 'The result does not fit its declared schema',
    severity: 'error',
    needs: 'result, and a schema in the span or the rules',
    suggestion: 'make the field required in the tool, or return an error instead of an incomplete result',
  },
  assertion_failed: {
    group: 'result',
    meaning: 'The result breaks an assertion of the rules',
    severity: 'error',
    needs: 'a rule, result',
    suggestion: 'look at the actual value beside the expected range',
  },
  contract_violation: {
    group: 'result',
    meaning: 'The output breaks its declared contract',
    severity: 'error',
    needs: 'a rule, output',
    suggestion: 'state the contract in the prompt and end generation with a stop sequence',
  },
  empty_result: {
    group: 'result',
    meaning: 'The result was recorded and is empty',
    severity: 'error',
    needs: 'result',
    suggestion: 'let the tool say why there is nothing, so that the model does not make it up',
  },
  error_in_result: {
    group: 'result',
    meaning: 'The span is fine, but the result is an error',
    severity: 'error',
    needs: 'result',
    suggestion: 'mark the span as failed in the tool, and tell the model what it can do instead',
  },
  malformed_json: {
    group: 'result',
    meaning: 'The output had to be JSON and is not',
    severity: 'error',
    needs: 'output',
    suggestion: 'use structured output of the provider, or repair and validate before use',
  },
  truncated_output: {
    group: 'result',
    meaning: 'The model stopped at its token limit',
    severity: 'error',
    needs: 'finish reason',
    suggestion: 'raise the output token limit or ask for a shorter answer',
  },
  filtered_output: {
    group: 'result',
    meaning: 'A content filter stopped the model',
    severity: 'error',
    needs: 'finish reason',
    suggestion: 'look at the prompt that was filtered, and give the chain an answer for this case',
  },
  sensitive_data: {
    group: 'result',
    meaning: 'The output holds sensitive data',
    severity: 'error',
    needs: 'a rule, output',
    suggestion: 'mask it before it leaves the chain',
  },
  judge_rejected: {
    group: 'result',
    meaning: 'The judge found the result wrong',
    severity: 'error',
    needs: 'a judge, result',
    suggestion: "read the judge's reason beside the result",
  },
  malformed_arguments: {
    group: 'call',
    meaning: 'The arguments that the model wrote are not JSON',
    severity: 'error',
    needs: 'tool calls in the model output',
    suggestion: 'use strict tool calling of the provider, or repair the arguments before the call',
  },
  invalid_arguments: {
    group: 'call',
    meaning: 'The arguments that the model wrote do not fit the schema of the tool',
    severity: 'error',
    needs: 'tool calls and tool definitions in the model span, or arguments and a rule',
    suggestion: 'make the parameter description clearer, or use strict tool calling of the provider',
  },
  unknown_tool: {
    group: 'call',
    meaning: 'The model called a tool that it was not offered',
    severity: 'error',
    needs: 'tool calls and tool definitions in the model span',
    suggestion: 'name the tools in the prompt as they are declared, and offer the one it looked for',
  },
  call_never_executed: {
    group: 'call',
    meaning: 'The model asked for a tool call that never ran',
    severity: 'warn',
    needs: 'tool calls in the model output, tool spans',
    suggestion: 'check whether the tool has an execute function and whether its arguments were refused',
  },
  loop: {
    group: 'run',
    meaning: 'The same or nearly the same calls were made again and again without progress',
    severity: 'warn',
    needs: 'arguments',
    suggestion: 'give the model the earlier result and a reason to stop, or cap the calls of this node',
  },
  retry_exhausted: {
    group: 'run',
    meaning: 'All retries of the call failed',
    severity: 'error',
    needs: 'attempts',
    suggestion: 'fix the cause of the first attempt; further retries only cost time',
  },
  budget_exceeded: {
    group: 'run',
    meaning: 'The run used more than its budget',
    severity: 'error',
    needs: 'a rule',
    suggestion: 'find the node that used most, and cap it',
  },
  downstream_of_invalid: {
    group: 'run',
    meaning: 'The node ran on the result of a node that failed',
    severity: 'warn',
    needs: 'a rule',
    suggestion: 'block the node until its upstream is reached',
  },
  checkpoint_missing: {
    group: 'run',
    meaning: 'An expected checkpoint was never passed',
    severity: 'error',
    needs: 'a rule',
    suggestion: 'see which phase ended early',
  },
  checkpoint_failed: {
    group: 'run',
    meaning: 'A checkpoint was recorded as failed',
    severity: 'error',
    needs: 'checkpoint events',
    suggestion: 'see the data of the checkpoint',
  },
  unverified_answer: {
    group: 'run',
    meaning: 'The agent gave its answer without having called any of its tools or sub-agents',
    severity: 'error',
    needs: 'an answer tool, the tools of the agent, tool spans',
    suggestion: 'require a tool or sub-agent call before the answer',
  },
  premature_end: {
    group: 'run',
    meaning: 'The run ended before its plan was done',
    severity: 'warn',
    needs: 'subtasks',
    suggestion: 'see the subtasks that are still pending',
  },
  step_limit: {
    group: 'run',
    meaning: 'The run was ended by its step limit',
    severity: 'error',
    needs: 'finish reason or exception',
    suggestion: 'find what the steps were spent on before raising the limit',
  },
  determinism_drift: {
    group: 'run',
    meaning: 'The run differs from its determinism policy',
    severity: 'warn',
    needs: 'a policy',
    suggestion: 'pin the model version, temperature and prompt',
  },
  usage_mismatch: {
    group: 'run',
    meaning: 'A total that a span reports disagrees with the tokens of the steps below it',
    severity: 'warn',
    needs: 'token counts',
    suggestion: 'trust the steps; check which version of the instrumentation writes the total',
  },
  failed_below: {
    group: 'run',
    meaning: 'The error of this step is that of a step below it',
    severity: 'info',
    needs: 'span status',
    suggestion: 'see the step below',
  },
  rule_error: {
    group: 'run',
    meaning: 'A rule could not be evaluated',
    severity: 'warn',
    needs: 'a rule',
    suggestion: 'correct the rule',
  },
}

/** True for text that is a code of the catalogue. */
export function isFindingCode(text: string): text is FindingCode {
  return Object.hasOwn(findingCatalog, text)
}

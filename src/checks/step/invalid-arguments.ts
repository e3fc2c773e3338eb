import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { Finding } from '../../findings/finding.ts'
import type { RequestedCall } from '../../steps/model-output.ts'
import type { ModelStep } from '../../steps/step.ts'
import type { ToolDefinition } from '../../steps/tool-definition.ts'
import { validateAgainst } from './json-schema.ts'
import { toSchemaEvidence } from './schema-violation.ts'
import type { StepCheck } from './step-check.ts'

/** A model that wrote arguments which do not fit the schema of the tool as it was offered. */
export const invalidArguments: StepCheck = {
  name: 'invalid-arguments',
  check(step) {
    if (step.kind !== 'model') return []
    const calls = step.readOutput().calls.filter(isJudged)
    if (calls.length === 0) return []
    const tools = new Map(step.readTools().map((tool) => [tool.name, tool]))
    return calls.flatMap((call) => judgeCall(step, call, tools.get(call.name)))
  },
}

function isJudged(call: RequestedCall): boolean {
  return !call.malformed && !call.unseen && call.arguments !== undefined
}

/** An argument nobody declared is dropped or ignored by most tools, so alone it is a warning. */
function judgeCall(
  step: ModelStep,
  call: RequestedCall,
  tool: ToolDefinition | undefined,
): readonly Finding[] {
  const violations = tool?.parameters ? (validateAgainst(tool.parameters, call.arguments) ?? []) : []
  if (violations.length === 0) return []
  return [
    createFinding({
      code: 'invalid_arguments',
      severity: violations.every(({ minor }) => minor) ? 'warn' : 'error',
      spanId: step.spanId,
      detail: toExcerpt(call.name),
      evidence: toSchemaEvidence(violations),
    }),
  ]
}

import { argumentsByRule } from './arguments-by-rule.ts'
import { declaredSchema } from './declared-schema.ts'
import { emptyResult } from './empty-result.ts'
import { errorInResult } from './error-in-result.ts'
import { exception } from './exception.ts'
import { filteredOutput } from './filtered-output.ts'
import { invalidArguments } from './invalid-arguments.ts'
import { malformedArguments } from './malformed-arguments.ts'
import { malformedJson } from './malformed-json.ts'
import { requiredResult } from './required-result.ts'
import { resultByRule } from './result-by-rule.ts'
import type { RuleCheck } from './rule-check.ts'
import type { StepCheck } from './step-check.ts'
import { timeLimit } from './time-limit.ts'
import { truncatedOutput } from './truncated-output.ts'
import { unknownTool } from './unknown-tool.ts'

/** The step checks that need no configuration, in the order in which their findings are told. */
export const stepChecks: readonly StepCheck[] = [
  exception,
  emptyResult,
  errorInResult,
  malformedJson,
  truncatedOutput,
  filteredOutput,
  declaredSchema,
  malformedArguments,
  unknownTool,
  invalidArguments,
]

/** The checks of what the rules ask of a node, in the order in which their findings are told. */
export const ruleChecks: readonly RuleCheck[] = [timeLimit, requiredResult, resultByRule, argumentsByRule]

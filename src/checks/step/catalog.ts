import { declaredSchema } from './declared-schema.ts'
import { emptyResult } from './empty-result.ts'
import { errorInResult } from './error-in-result.ts'
import { exception } from './exception.ts'
import { filteredOutput } from './filtered-output.ts'
import { invalidArguments } from './invalid-arguments.ts'
import { malformedArguments } from './malformed-arguments.ts'
import { malformedJson } from './malformed-json.ts'
import type { StepCheck } from './step-check.ts'
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

import { callNeverExecuted } from './call-never-executed.ts'
import type { ChainCheck } from './chain-check.ts'
import { checkpointFailed } from './checkpoint-failed.ts'
import { emptyRootOutput } from './empty-root-output.ts'
import { idleCode } from './idle-code.ts'
import { neverEnded } from './never-ended.ts'
import { unverifiedAnswer } from './unverified-answer.ts'
import { usageMismatch } from './usage-mismatch.ts'

/** The chain checks that need no configuration. */
export const chainChecks: readonly ChainCheck[] = [
  neverEnded,
  callNeverExecuted,
  idleCode,
  unverifiedAnswer,
  usageMismatch,
  checkpointFailed,
  emptyRootOutput,
]

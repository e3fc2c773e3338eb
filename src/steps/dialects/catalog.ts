import { agentReach } from './agent-reach.ts'
import { aiSdk } from './ai-sdk.ts'
import type { Dialect } from './dialect.ts'
import { genAi } from './gen-ai.ts'
import { laminar } from './laminar.ts'
import { langfuse } from './langfuse.ts'
import { langsmith } from './langsmith.ts'
import { logfire } from './logfire.ts'
import { mastra } from './mastra.ts'
import { openinference } from './openinference.ts'
import { traceloop } from './traceloop.ts'

/** The dialects in the order in which they are asked: native keys of a host first, vendor copies after. */
export const dialects: readonly Dialect[] = [
  logfire,
  aiSdk,
  mastra,
  laminar,
  traceloop,
  langfuse,
  langsmith,
  genAi,
  openinference,
  agentReach,
]

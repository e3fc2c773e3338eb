import { a365 } from './a365.ts'
import { agentReach } from './agent-reach.ts'
import { aiSdk } from './ai-sdk.ts'
import { anyAgent } from './any-agent.ts'
import { braintrust } from './braintrust.ts'
import type { Dialect } from './dialect.ts'
import { framework } from './framework.ts'
import { genAi } from './gen-ai.ts'
import { laminar } from './laminar.ts'
import { langfuse } from './langfuse.ts'
import { langsmith } from './langsmith.ts'
import { logfire } from './logfire.ts'
import { mastra } from './mastra.ts'
import { openaiAgents } from './openai-agents.ts'
import { openinference } from './openinference.ts'
import { pydanticAi } from './pydantic-ai.ts'
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
  openaiAgents,
  pydanticAi,
  a365,
  genAi,
  anyAgent,
  openinference,
  braintrust,
  framework,
  agentReach,
]

/** Those of them that read what a model answers. */
export const answeringDialects: readonly Dialect[] = dialects.filter(
  (dialect) => dialect.readModelOutput !== undefined,
)

/** Those of them that read which tools there are. */
export const declaringDialects: readonly Dialect[] = dialects.filter(
  (dialect) => dialect.readToolDefinitions !== undefined,
)

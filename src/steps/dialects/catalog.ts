import { agentReach } from './agent-reach.ts'
import { aiSdk } from './ai-sdk.ts'
import type { Dialect } from './dialect.ts'
import { genAi } from './gen-ai.ts'
import { openinference } from './openinference.ts'

/** The dialects in the order in which they are asked: native keys of a host first, vendor copies after. */
export const dialects: readonly Dialect[] = [aiSdk, genAi, openinference, agentReach]

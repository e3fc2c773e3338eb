import { a365Keys } from './a365-keys.ts'
import { agentReachKeys } from './agent-reach-keys.ts'
import { aiSdkKeys } from './ai-sdk-keys.ts'
import { anyAgentKeys } from './any-agent-keys.ts'
import { braintrustKeys } from './braintrust-keys.ts'
import type { Field, FieldKey } from './field-key.ts'
import { frameworkKeys } from './framework-keys.ts'
import { genAiKeys } from './gen-ai-keys.ts'
import { laminarKeys } from './laminar-keys.ts'
import { langfuseKeys } from './langfuse-keys.ts'
import { langsmithKeys } from './langsmith-keys.ts'
import { logfireKeys } from './logfire-keys.ts'
import { mastraKeys } from './mastra-keys.ts'
import { openaiAgentsKeys } from './openai-agents-keys.ts'
import { openinferenceKeys } from './openinference-keys.ts'
import { pydanticAiKeys } from './pydantic-ai-keys.ts'
import { traceloopKeys } from './traceloop-keys.ts'

/**
 * All key tables by priority: our own keys, then the native keys of a host, then the OpenTelemetry conventions,
 * then the copies that other processors add. Detection is per key: the fields of one span may come from several.
 */
const tables: readonly (readonly FieldKey[])[] = [
  agentReachKeys,
  aiSdkKeys,
  mastraKeys,
  langsmithKeys,
  a365Keys,
  openaiAgentsKeys,
  genAiKeys,
  logfireKeys,
  anyAgentKeys,
  openinferenceKeys,
  traceloopKeys,
  langfuseKeys,
  laminarKeys,
  braintrustKeys,
  pydanticAiKeys,
  frameworkKeys,
]

/** A row with its place in the order of priority; of the keys of one field the least rank wins. */
export interface RankedKey extends FieldKey {
  readonly rank: number
}

/** Rows are looked at for each key of each span, which is dear unless all of them have one shape. */
function toRanked(row: FieldKey, rank: number): RankedKey {
  return {
    field: row.field,
    rank,
    member: row.member,
    beside: row.beside,
    key: row.key,
    dialect: row.dialect,
    version: row.version,
    json: row.json,
    wrappers: row.wrappers,
    wrappedText: row.wrappedText,
    callArguments: row.callArguments,
    langchainMessage: row.langchainMessage,
  }
}

const ranked: readonly RankedKey[] = tables.flat().map(toRanked)

/** For each key what it may hold: some keys hold one field for tools and another for the rest. */
export const fieldsByKey: ReadonlyMap<string, readonly RankedKey[]> = groupBy(ranked, (row) => row.key)

/** For each canonical field the keys that may hold it, the first that a span carries wins. */
export const keyTable: ReadonlyMap<Field, readonly RankedKey[]> = groupBy(ranked, (row) => row.field)

function groupBy<K>(rows: readonly RankedKey[], keyOf: (row: RankedKey) => K): Map<K, RankedKey[]> {
  const groups = new Map<K, RankedKey[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}

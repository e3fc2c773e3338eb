import { agentReachKeys } from './agent-reach-keys.ts'
import { aiSdkKeys } from './ai-sdk-keys.ts'
import type { Field, FieldKey } from './field-key.ts'
import { genAiKeys } from './gen-ai-keys.ts'
import { openinferenceKeys } from './openinference-keys.ts'

/**
 * All key tables by priority: our own keys, then the native keys of a host, then the OpenTelemetry conventions,
 * then the copies that other processors add. Detection is per key: the fields of one span may come from several.
 */
const tables: readonly (readonly FieldKey[])[] = [agentReachKeys, aiSdkKeys, genAiKeys, openinferenceKeys]

/** For each canonical field the keys that may hold it, the first that a span carries wins. */
export const keyTable: ReadonlyMap<Field, readonly FieldKey[]> = byField(tables.flat())

function byField(all: readonly FieldKey[]): Map<Field, FieldKey[]> {
  const table = new Map<Field, FieldKey[]>()
  for (const row of all) table.set(row.field, [...(table.get(row.field) ?? []), row])
  return table
}

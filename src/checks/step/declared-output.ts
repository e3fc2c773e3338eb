import type { Content } from '../../steps/content.ts'
import type { ToolStep } from '../../steps/step.ts'
import { isRecord, readContentParts } from './content-parts.ts'
import { validateAgainst } from './json-schema.ts'
import type { SchemaViolation } from './schema-violation.ts'

/**
 * Judges the output of a tool by the output schema that its own span declares.
 *
 * @returns what does not fit, empty where all does; `null` where nothing is declared, seen or checkable
 */
export function judgeDeclaredOutput(step: ToolStep): readonly SchemaViolation[] | null {
  if (!step.output.seen) return null
  const schema = step.readTools().find(({ name }) => name === step.toolName)?.outputSchema ?? null
  return schema === null ? null : judgeOutput(step.output, schema)
}

/**
 * Judges an output by a schema. It may speak of the structured part of a result or of its wrapping, and one that names
 * another type may speak of the recorded text: the output fits if any of these does.
 *
 * @returns what does not fit, empty where all does; `null` where the output is not seen or not checkable
 */
export function judgeOutput(
  output: Content,
  schema: Readonly<Record<string, unknown>>,
): readonly SchemaViolation[] | null {
  if (!output.seen || output.turnsOutCut) return null
  const value = structuredPart(output.value)
  const violations = validateAgainst(schema, value)
  if (violations === null || violations.length === 0) return violations
  const wrongType = violations.some(({ path, keyword }) => path === '' && keyword === 'type')
  const otherReadings = [output.value, ...(wrongType ? [output.text, parseScalar(output.text)] : [])]
  return otherReadings.some((reading) => validateAgainst(schema, reading)?.length === 0) ? [] : violations
}

function structuredPart(value: unknown): unknown {
  if (isRecord(value) && isRecord(value['structuredContent'])) return value['structuredContent']
  const parts = readContentParts(value)
  const [only, ...others] = parts?.texts ?? []
  if (parts === null || only === undefined || others.length > 0 || parts.hasOtherParts) return value
  return parseJson(only.text) ?? value
}

/** `42` and `true` are recorded as texts, and are content of their own only where JSON is asked for. */
function parseScalar(text: string): unknown {
  return text.length > 64 ? undefined : parseJson(text)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

import type { StepKind } from '../step.ts'

/** The kind that a table of operations gives to a recorded value; `null` for a value that the table does not hold. */
export function lookUpKind(table: Readonly<Record<string, string>>, recorded: unknown): StepKind | null {
  if (typeof recorded !== 'string' || !Object.hasOwn(table, recorded)) return null
  return table[recorded] as StepKind
}

import type { Rules } from '../../rules/rules.ts'
import { RulesError } from '../../rules/rules-error.ts'
import { isStandardSchema } from '../../rules/standard-schema.ts'
import { isWhollyCheckable } from './json-schema.ts'

/**
 * Refuses rules with a JSON Schema that could not be held against a result as it is written.
 *
 * @throws {RulesError} with every such schema
 */
export function refuseUncheckable({ nodes }: Rules): void {
  const problems = nodes
    .flatMap(({ resultSchema, argumentsSchema }) => [resultSchema, argumentsSchema])
    .filter((placed) => placed !== null)
    .filter(({ schema }) => !isStandardSchema(schema) && !isWhollyCheckable(schema))
    .map(({ place }) => ({
      ...place,
      expected: 'a JSON Schema within the limits',
      found: 'a pattern that may take exponential time, a reference out of it, or more than can be checked',
    }))
  if (problems.length > 0) throw new RulesError(problems)
}

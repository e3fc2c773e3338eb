import { copyByShape } from './copy-by-shape.ts'
import { findShapeProblems, type RulesPath } from './find-shape-problems.ts'
import { parseRulesText, type RulesText } from './parse-rules-text.ts'
import { readRulesFile } from './read-rules-file.ts'
import type { Rules } from './rules.ts'
import { RulesError } from './rules-error.ts'
import type { RulesFile } from './rules-file.ts'
import { rulesShape } from './rules-shape.ts'
import { toRules } from './to-rules.ts'

/** How a rules file is called where something is wrong with it. */
export interface LoadRulesOptions {
  /**
   * The name of the file in errors.
   *
   * @default its path
   */
  readonly name?: string
}

/**
 * Loads rules: from a file in YAML or JSON, with the schemas that lie beside it, or from an object, whose schemas may
 * also be Standard Schemas.
 *
 * @param rules the path of the file, or what would stand in it
 * @throws {RulesError} where anything in them cannot be used: with every problem, its file and its line
 */
export function loadRules(rules: string | RulesFile, options: LoadRulesOptions = {}): Rules {
  if (typeof rules !== 'string') return judgeRules(copyObject(rules), { file: null, rulesPath: null })
  const file = options.name ?? rules
  const text = readRulesFile(rules, (found) => ({
    file,
    line: null,
    path: '',
    expected: 'a file that can be read',
    found,
  }))
  return judgeRules(parseRulesText(text, file), { file, rulesPath: rules })
}

function judgeRules(
  { value, lineOf }: Pick<RulesText, 'value'> & { readonly lineOf: (path: RulesPath) => number | null },
  { file, rulesPath }: { readonly file: string | null; readonly rulesPath: string | null },
): Rules {
  const placeOf = (path: RulesPath): { file: string | null; line: number | null; path: string } => ({
    file,
    line: lineOf(path),
    path: path.join('.'),
  })
  const problems = findShapeProblems(value, rulesShape)
  if (problems.length > 0) {
    throw new RulesError(problems.map(({ path, expected, found }) => ({ ...placeOf(path), expected, found })))
  }
  return toRules(value as RulesFile, { placeOf, rulesPath })
}

/** What the caller changes later must not change the rules. */
function copyObject(rules: RulesFile): { readonly value: unknown; readonly lineOf: () => null } {
  const problems = findShapeProblems(rules, rulesShape)
  return { value: problems.length > 0 ? rules : copyByShape(rules, rulesShape), lineOf: () => null }
}

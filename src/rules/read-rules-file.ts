import { readFileSync } from 'node:fs'
import { RulesError, type RulesProblem } from './rules-error.ts'

/**
 * Reads a file that rules are made of.
 *
 * @param toProblem what is to be told where it cannot be read, from the reason
 * @throws {RulesError} where it cannot be read
 */
export function readRulesFile(path: string, toProblem: (found: string) => RulesProblem): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new RulesError([toProblem(describeError(error))])
  }
}

function describeError(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code
  if (code === 'ENOENT') return 'no such file'
  if (code === 'EISDIR') return 'a directory'
  return typeof code === 'string' ? code : String(error)
}

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { RulesPath } from './find-shape-problems.ts'
import { RulesError } from './rules-error.ts'

/** How many nodes the aliases of a file may stand for. */
const ALIAS_LIMIT = 100

/** What a file says, and on which lines. */
export interface RulesText {
  readonly value: unknown
  /** The line of a place, from 1; that of the nearest place above it where there is no such place. */
  readonly lineOf: (path: RulesPath) => number
}

/**
 * Parses YAML 1.2, of which JSON is a part.
 *
 * @param file the name that errors are told with
 * @throws {RulesError} where the text cannot be parsed, with every error in it
 */
export function parseRulesText(text: string, file: string): RulesText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const problems = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    file,
    line: lineAt(pos[0]),
    path: '',
    expected: 'YAML or JSON',
    found: lowerFirst(message.split('\n', 1).join('')),
  }))
  if (problems.length > 0) throw new RulesError(problems)
  return { value: toValue(document, file), lineOf: (path) => lineAt(offsetOf(document, path)) }
}

function toValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIAS_LIMIT }) as unknown
  } catch (error) {
    const found = lowerFirst(error instanceof Error ? error.message : String(error))
    throw new RulesError([{ file, line: null, path: '', expected: 'YAML or JSON', found }])
  }
}

/** Where the key or the entry at the end of a path begins. */
function offsetOf(document: Document, path: RulesPath): number {
  let node = document.contents as Node | null | undefined
  let offset = node?.range?.[0] ?? 0
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === key)
      offset = (pair?.key as Node | undefined)?.range?.[0] ?? offset
      node = pair?.value as Node | null | undefined
    } else if (isSeq(node)) {
      node = node.items[Number(key)] as Node | undefined
      offset = node?.range?.[0] ?? offset
    } else {
      break
    }
  }
  return offset
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

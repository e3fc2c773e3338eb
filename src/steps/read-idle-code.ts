import { findCode } from './find-code.ts'

/** Literals and comments of Python and JavaScript. Each ends at the latest with its line, or with the code. */
const LITERALS =
  /("""|''')[\s\S]*?(?:\1|$)|`[^`]*(?:`|$)|"(?:[^"\\\n]|\\.)*(?:"|(?=\\?\n)|\\?$)|'(?:[^'\\\n]|\\.)*(?:'|(?=\\?\n)|\\?$)|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/gu

/** What a format string computes. */
const COMPUTED = /\{[^{}]*\}/gu

/** What does something: a statement that repeats, defines or imports, arithmetic, indexing, a call of anything but print. */
const WORK =
  /\b(?:await|class|def|del|for|from|function|import|lambda|raise|require|return|while|with|yield)\b|[*/%@<>]|[\w)\]]\s*-\s*[\w(]|[\w)\]]\s*\[|(?!(?:console\.log|print)\s*\()(?<![\w.])[\p{L}_$][\w$.]*\s*\(/u

/** A name of several words, as those of tools are: `search_agent`, `webSearch`. */
const COMPOUND = /\b[A-Za-z][a-z\d]*(?:_[A-Za-z\d]+|[A-Z][a-z\d]+)[A-Za-z\d_]*/gu

/** How many names are kept of one answer: 32, each of at most 64 characters. */
const MOST_NAMES = 32
const LONGEST_NAME = 64

/** How much of an answer is searched for names, in UTF-16 code units: 16,384. */
const SEARCHED = 16_384

/**
 * Looks whether the code in an answer does nothing but print what it holds as text.
 *
 * @returns the names of several words that the answer mentions, at most 32; `null` where there is no code, or it does
 *   something
 */
export function readIdleCode(answer: string): readonly string[] | null {
  const code = findCode(answer)
  if (code === null) return null
  const bare = code.replaceAll(LITERALS, (literal: string, _quotes: unknown, at: number) =>
    isFormatted(code, at) ? (literal.match(COMPUTED) ?? []).join(' ') : ' ',
  )
  if (WORK.test(bare) || !/\w/u.test(bare)) return null
  const names = new Set<string>()
  for (const [name] of answer.slice(0, SEARCHED).matchAll(COMPOUND)) {
    if (name.length > LONGEST_NAME) continue
    names.add(name)
    if (names.size === MOST_NAMES) break
  }
  return [...names]
}

/** Strings of Python that begin with `f`, and templates of JavaScript. */
function isFormatted(code: string, at: number): boolean {
  return code[at] === '`' || /f/iu.test(code[at - 1] ?? '')
}

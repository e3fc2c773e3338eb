/** A file of `src`, by its path from the root of the repository. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** One import of a file: `import`, `export … from`, `import()` or `require()`. */
export interface ImportUse {
  readonly specifier: string
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean
  readonly reExport: boolean
}

/**
 * The tokens in which a quote, a slash or a word may mean something else: comments, strings, templates, and regular
 * expressions, which stand where no value can have ended.
 */
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
    '(?<template>`(?:\\\\[\\s\\S]|[^`\\\\])*`)',
    String.raw`(?<regex>(?<=(?:^|[(,=:[!&|?{};\n]|=>|return)[ \t]*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)`,
  ].join('|'),
  'gu',
)

type Kind = 'comment' | 'string' | 'template' | 'regex'

/** Puts something else in the place of the tokens of some kinds. */
function replaceTokens(text: string, kinds: readonly Kind[], toText: (token: string) => string): string {
  return text.replace(TOKENS, (token, ...rest) => {
    const groups = rest.at(-1) as Readonly<Record<Kind, string | undefined>>
    return kinds.some((kind) => groups[kind] !== undefined) ? toText(token) : token
  })
}

/** The text without comments. */
export function withoutComments(text: string): string {
  return replaceTokens(text, ['comment'], () => ' ')
}

/** The text without comments, strings and regular expressions, and of templates only the code in them. */
export function codeOf(text: string): string {
  return replaceTokens(text, ['comment', 'string', 'template', 'regex'], (token) =>
    token.startsWith('`') ? [...token.matchAll(/\$\{([^}]*)\}/gu)].map(([, code]) => code).join('; ') : ' ',
  )
}

const STATEMENT =
  /(?:^|[;\n}])\s*(?<keyword>import|export)\s+(?<type>type\s+(?!from\b))?(?:(?<clause>[\w$*{][^'";]*?)\s*from\s*)?['"](?<specifier>[^'"\n]+)['"]/gu
const CALL = /\b(?:import|require)\s*\(\s*['"](?<specifier>[^'"\n]+)['"]/gu

/** Every import of a text, in the order of the text, calls last. */
export function readImports(text: string): readonly ImportUse[] {
  const code = withoutComments(text)
  const statements = [...code.matchAll(STATEMENT)].map(({ groups = {} }) => ({
    specifier: groups['specifier'] as string,
    typeOnly: groups['type'] !== undefined || bringsTypesOnly(groups['clause']),
    reExport: groups['keyword'] === 'export',
  }))
  const calls = [...code.matchAll(CALL)].map(({ groups = {} }) => ({
    specifier: groups['specifier'] as string,
    typeOnly: false,
    reExport: false,
  }))
  return [...statements, ...calls]
}

/** `{ type A, type B }`; an import without a clause runs the module and is none. */
function bringsTypesOnly(clause: string | undefined): boolean {
  const names = clause?.match(/^\{(?<names>[^}]*)\}$/u)?.groups?.['names']
  if (names === undefined) return false
  const parts = names
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length > 0 && parts.every((part) => part.startsWith('type '))
}

/** What a node or a chain is marked with. */
export type Mark = 'reached' | 'failed' | 'looping' | 'warned' | 'skipped'

/** The signs of a text form. */
export interface Glyphs {
  readonly marks: Readonly<Record<Mark, string>>
  /** Stands for what was cut. */
  readonly more: string
  /** Stands between a status and a code. */
  readonly dot: string
  readonly rootCause: string
}

/** Signs of one column each, for terminals and Markdown. */
export const unicodeGlyphs: Glyphs = {
  marks: { reached: '✓', failed: '✗', looping: '↻', warned: '⚠', skipped: '–' },
  more: '…',
  dot: '·',
  rootCause: '← root cause',
}

/** The same in ASCII. */
export const asciiGlyphs: Glyphs = {
  marks: { reached: '[ok]', failed: '[x]', looping: '[~]', warned: '[!]', skipped: '[-]' },
  more: '...',
  dot: '-',
  rootCause: '<- root cause',
}

/** What decides whether text is coloured. */
export interface ColorChoice {
  /** What the user asked for; `always` and `never` outweigh everything. */
  readonly color: 'auto' | 'always' | 'never'
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the text goes to a terminal. */
  readonly isTerminal: boolean
}

/**
 * Whether text is coloured. With `auto`, `FORCE_COLOR` decides if it is set (`0` and `false` are off), else
 * `NO_COLOR` if it is set and not empty, else whether there is a terminal that is not `dumb`.
 */
export function choosesColor({ color, env, isTerminal }: ColorChoice): boolean {
  if (color !== 'auto') return color === 'always'
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '') return false
  return isTerminal && env['TERM'] !== 'dumb'
}

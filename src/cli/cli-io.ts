import type { Readable, Writable } from 'node:stream'

/** A stream that text is written to, and what is known of the terminal behind it, if it is one. */
export type TerminalStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Everything outside that a command touches; tests give their own. */
export interface CliIo {
  readonly stdin: Readable
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Relative paths start here. */
  readonly cwd: string
}

import { Readable, Writable } from 'node:stream'
import type { CliIo, TerminalStream } from '../../src/cli/cli-io.ts'
import { run } from '../../src/cli/run.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'

/** What a test gives to the command line beside its arguments. */
export interface CliSurroundings {
  readonly cwd?: string
  readonly env?: CliIo['env']
  readonly stdin?: string | Uint8Array
  /** Whether standard output and standard error are terminals. */
  readonly isTTY?: boolean
  readonly columns?: number
  /** After so many bytes the reader of standard output goes away. */
  readonly stdoutEndsAfter?: number
}

/** What came of a run of the command line. */
export interface CliOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line in this process. */
export async function runCli(
  argv: readonly string[],
  surroundings: CliSurroundings = {},
): Promise<CliOutcome> {
  const { cwd = process.cwd(), env = {}, stdin = '', stdoutEndsAfter = Infinity } = surroundings
  const stdout = new CapturedStream(surroundings, stdoutEndsAfter)
  const stderr = new CapturedStream(surroundings, Infinity)
  const code = await run(argv, { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, env, cwd })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** The reports that `--format json` has written. */
export function readReportLines(stdout: string): readonly ChainReport[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChainReport)
}

class CapturedStream extends Writable implements TerminalStream {
  readonly isTTY: boolean
  readonly columns: number
  text = ''
  readonly #endsAfter: number

  constructor({ isTTY = false, columns = 100 }: CliSurroundings, endsAfter: number) {
    super({ decodeStrings: false })
    this.isTTY = isTTY
    this.columns = columns
    this.#endsAfter = endsAfter
  }

  override _write(chunk: unknown, _: BufferEncoding, callback: (error?: Error) => void): void {
    if (this.text.length >= this.#endsAfter) {
      callback(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }))
      return
    }
    this.text += String(chunk)
    callback()
  }
}

import { VERSION } from '../pipeline/version.ts'
import { RulesError } from '../rules/rules-error.ts'
import { runCheckCommand } from './check-command.ts'
import type { CliIo } from './cli-io.ts'
import { type CommandTable, parseArguments } from './command-options.ts'
import { runDoctorCommand } from './doctor-command.ts'
import { renderHelp } from './help-text.ts'
import { runReportCommand } from './report-command.ts'
import { runServeCommand } from './serve-command.ts'
import { runStoreCommand } from './store-command.ts'
import { describeSystemError, isSystemError } from './system-error.ts'
import { TextOutput } from './text-output.ts'
import { UsageError } from './usage-error.ts'

const commands: ReadonlyMap<string, (argv: readonly string[], io: CliIo) => Promise<number>> = new Map([
  ['report', runReportCommand],
  ['check', runCheckCommand],
  ['doctor', runDoctorCommand],
  ['serve', runServeCommand],
  ['store', runStoreCommand],
])

const table: CommandTable<'help' | 'version'> = {
  name: 'agent-reach',
  usage: '<command> [options]',
  summary: [
    'Tells from OpenTelemetry spans whether an agent got where it planned to go, and which step broke first.',
    '',
    'Commands:',
    '  report  judge the chains in files, directories or standard input, and report',
    '  check   the same, and exit 1 unless all are a success',
    '  doctor  tell whether the set-up of a program works',
    '  serve   take spans by OTLP/HTTP, keep one report per chain and answer over HTTP',
    '  store   look at the file in which serve keeps them',
  ],
  options: [
    {
      name: 'help',
      short: 'h',
      help: 'show this text; agent-reach <command> --help shows that of a command',
    },
    { name: 'version', help: 'show the version' },
  ],
  remarks: [],
}

/**
 * Runs the command line. Never throws: an error is told on standard error in one line, rules that cannot be used in
 * one for each problem; with its stack where `AGENT_REACH_DEBUG` is `1`.
 *
 * @param argv what stands behind the name of the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], io: CliIo): Promise<number> {
  const [name = '', ...rest] = argv
  const command = commands.get(name)
  try {
    return command === undefined ? await runBare(argv, io) : await command(rest, io)
  } catch (error) {
    await tellError(error, { io, command: command === undefined ? table.name : `${table.name} ${name}` })
    return 2
  }
}

async function runBare(argv: readonly string[], { stdout }: CliIo): Promise<number> {
  const output = new TextOutput(stdout)
  const { flags, operands } = parseArguments(argv, table)
  if (operands.length === 0 && flags.has('help')) await output.write(renderHelp(table))
  else if (operands.length === 0 && flags.has('version')) await output.write(`${VERSION}\n`)
  else {
    const expected = [...commands.keys()].join(', ').replace(/, (?=\w+$)/u, ' or ')
    throw new UsageError(`Cannot run a command: expected ${expected}, found ${operands[0] ?? 'nothing'}`)
  }
  return 0
}

async function tellError(
  error: unknown,
  { io, command }: { readonly io: CliIo; readonly command: string },
): Promise<void> {
  const texts = error instanceof RulesError ? error.message.split('\n') : [describeError(error)]
  const lines = texts.map((text) => `agent-reach: ${text}`)
  if (error instanceof UsageError) lines.push(`Try ${command} --help`)
  if (io.env['AGENT_REACH_DEBUG'] === '1' && error instanceof Error) lines.push(error.stack ?? '')
  try {
    await new TextOutput(io.stderr).write(lines.map((line) => `${line}\n`).join(''))
  } catch {
    // Nobody is left to tell; the exit code says it.
  }
}

/** One line, whatever was thrown. */
function describeError(error: unknown): string {
  if (isSystemError(error)) {
    const what = [error.syscall, error.path].filter((part) => part !== undefined).join(' ')
    return `Cannot ${what}: expected that to be possible, found ${describeSystemError(error)}`
  }
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n', 1).join('')
}

import { neutralizeText } from '../report/neutralize-text.ts'
import type { CliIo } from './cli-io.ts'
import { type CommandTable, parseArguments } from './command-options.ts'
import { type DoctorCheck, renderCheck } from './doctor-check.ts'
import { type Preloads, type ProbeOutcome, runProbe } from './doctor-child.ts'
import { checkReports, checkRules } from './doctor-files.ts'
import { checkInstalled } from './doctor-installed.ts'
import { checkSetup } from './doctor-setup.ts'
import { renderHelp } from './help-text.ts'
import { TextOutput } from './text-output.ts'
import { UsageError } from './usage-error.ts'

type DoctorOptionName = 'import' | 'require' | 'rules' | 'reports' | 'format' | 'help'

/** `agent-reach doctor`: whether the set-up of a program works. */
export const doctorTable: CommandTable<DoctorOptionName> = {
  name: 'agent-reach doctor',
  usage: '[options]',
  summary: [
    'Tells whether the set-up of a program works: whether spans are recorded, judged and exported, and what to do',
    'where they are not. Run it in the folder of the program, with the file that node is started with.',
  ],
  options: [
    { name: 'import', value: 'FILE', help: 'the set-up, as in node --import ./instrumentation.mjs' },
    { name: 'require', value: 'FILE', help: 'the set-up, as in node --require ./instrumentation.cjs' },
    { name: 'rules', value: 'FILE', help: 'also check this rules file' },
    { name: 'reports', value: 'DIR', help: 'also check that reports can be written into DIR' },
    {
      name: 'format',
      short: 'f',
      value: 'FORMAT',
      choices: ['text', 'json'],
      help: 'what stdout gets; json is one check a line',
    },
    { name: 'help', short: 'h', help: 'show this text' },
  ],
  remarks: [
    'The set-up is loaded in a process of its own, in which one span named agent-reach doctor is made. Without a',
    'set-up only what is installed is looked at.',
    '',
    'Exit codes: 0 nothing fails; 1 something does; 2 wrong use, or a set-up that cannot be loaded.',
  ],
}

/**
 * Runs `doctor`.
 *
 * @returns the exit code
 * @throws {UsageError} where the arguments make no sense
 */
export async function runDoctorCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const { flags, values, operands } = parseArguments(argv, doctorTable)
  const output = new TextOutput(io.stdout)
  if (flags.has('help')) {
    await output.write(renderHelp(doctorTable))
    return 0
  }
  if (operands.length > 0) {
    throw new UsageError(`Cannot run ${doctorTable.name}: expected options only, found ${operands[0]}`)
  }
  const preloads = { import: values.get('import') ?? null, require: values.get('require') ?? null }
  const isProbed = preloads.import !== null || preloads.require !== null
  const probe = isProbed ? await runProbe(preloads, io) : null
  const facts = probe?.facts ?? null
  const { node } = process.versions
  const checks = [
    // What is loaded outweighs what is installed.
    ...(facts === null ? checkInstalled(io.cwd, node) : checkSetup(facts, node)),
    ...(await checkFiles(values, io)),
  ]
  const render = values.get('format') === 'json' ? toJsonLine : renderCheck
  await output.write(checks.map(render).join(''))
  if (probe !== null) await tellProbe(probe, { preloads, io, checks })
  if (isProbed && facts === null) return 2
  return checks.some(({ status }) => status === 'fail') ? 1 : 0
}

async function checkFiles(
  values: ReadonlyMap<DoctorOptionName, string>,
  { cwd }: CliIo,
): Promise<readonly DoctorCheck[]> {
  const rules = values.get('rules')
  const reports = values.get('reports')
  return [
    ...(rules === undefined ? [] : checkRules(rules, cwd)),
    ...(reports === undefined ? [] : [await checkReports(reports, cwd)]),
  ]
}

/** Says why a probe could not be made, and passes on what a set-up that does not work has said itself. */
async function tellProbe(
  { facts, ending, stderr }: ProbeOutcome,
  { preloads, io, checks }: { preloads: Preloads; io: CliIo; checks: readonly DoctorCheck[] },
): Promise<void> {
  const name = [preloads.require, preloads.import].filter((file) => file !== null).join(' and ')
  const lines: string[] = []
  if (facts === null) lines.push(`agent-reach: Cannot look at ${name}: expected it to load, found ${ending}`)
  const isBad = facts === null || checks.some(({ status }) => status === 'fail')
  const said = stderr.split('\n').filter((line) => line.trim() !== '')
  if (isBad && said.length > 0) lines.push(`${name} wrote to standard error:`, ...said.map(indentLine))
  await new TextOutput(io.stderr).write(lines.map((line) => `${line}\n`).join(''))
}

/** Keeps the indentation of a stack, and nothing that could steer a terminal. */
function indentLine(line: string): string {
  const text = line.trimStart()
  return `  ${' '.repeat(line.length - text.length)}${neutralizeText(text)}`
}

function toJsonLine(check: DoctorCheck): string {
  return `${JSON.stringify(check)}\n`
}

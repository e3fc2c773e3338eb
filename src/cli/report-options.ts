import { type CommandTable, type GivenArguments, type OptionRow, parseArguments } from './command-options.ts'
import { UsageError } from './usage-error.ts'

/** What a chain must not be; each includes the ones before it. */
export type Bar = 'failed' | 'partial_failed' | 'alert'

type ReportFormat = 'text' | 'json' | 'markdown' | 'junit'

/** What a user asked of `report` or `check`. */
export interface ReportOptions {
  readonly help: boolean
  /** Files, directories, globs and `-`. */
  readonly inputs: readonly string[]
  /** The rules file, or `null`. */
  readonly rules: string | null
  /** The directory that reports are written into, or `null`. */
  readonly out: string | null
  /** Markdown beside each JSON file in `out`. */
  readonly markdown: boolean
  readonly format: ReportFormat
  readonly failOn: Bar | null
  readonly allowPartial: boolean
  /** 32 hex digits in lower case, or `null` for all traces. */
  readonly traceId: string | null
  readonly nodeName: string | null
  /** The id of the span to explain, 16 hex digits in lower case, or `null`. */
  readonly explain: string | null
  readonly strict: boolean
  readonly quiet: boolean
  readonly ascii: boolean
  readonly color: 'auto' | 'always' | 'never'
}

/** A command that reads spans and judges chains: `report`, or the same with a bar from the start. */
export interface ReportCommand {
  readonly table: CommandTable<ReportOptionName>
  /** The bar where the user gives none. */
  readonly defaultBar: Bar | null
}

/** The long names of the options of `report` and `check`. */
export type ReportOptionName =
  | 'rules'
  | 'out'
  | 'markdown'
  | 'format'
  | 'fail-on'
  | 'allow-partial'
  | 'trace'
  | 'node'
  | 'explain'
  | 'strict'
  | 'quiet'
  | 'ascii'
  | 'color'
  | 'help'

/** The options of `report` and `check`. */
export const reportOptionRows: readonly OptionRow<ReportOptionName>[] = [
  { name: 'rules', value: 'FILE', help: 'what is asked of the runs beside the built-in checks' },
  { name: 'out', short: 'o', value: 'DIR', help: 'write one JSON report per chain into DIR' },
  { name: 'markdown', help: 'with --out: write Markdown beside each JSON report' },
  {
    name: 'format',
    short: 'f',
    value: 'FORMAT',
    choices: ['text', 'json', 'markdown', 'junit'],
    help: 'what stdout gets; json is one report a line',
  },
  {
    name: 'fail-on',
    value: 'BAR',
    choices: ['failed', 'partial_failed', 'alert'],
    help: 'exit 1 if a chain is that bad or worse',
  },
  { name: 'allow-partial', help: 'do not fail a chain because part of its evidence is missing' },
  { name: 'trace', value: 'ID', help: 'only this trace' },
  { name: 'node', value: 'NAME', help: 'only chains with this node; text shows that node alone' },
  { name: 'explain', value: 'SPAN_ID', help: 'show how this span is read, key by key' },
  { name: 'strict', help: 'exit 2 if anything in the input cannot be read' },
  { name: 'quiet', short: 'q', help: 'only a line for each chain that is not well, no notes' },
  { name: 'ascii', help: 'no characters beyond ASCII in tables and marks' },
  {
    name: 'color',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    help: 'colours; auto also heeds NO_COLOR and FORCE_COLOR',
  },
  { name: 'help', short: 'h', help: 'show this text' },
]

/**
 * Reads the arguments of `report` and `check`.
 *
 * @throws {UsageError} where they make no sense, alone or together
 */
export function readReportOptions(argv: readonly string[], command: ReportCommand): ReportOptions {
  const given = parseArguments(argv, command.table)
  const { flags, values, operands } = given
  const options: ReportOptions = {
    help: flags.has('help'),
    inputs: operands,
    rules: values.get('rules') ?? null,
    out: values.get('out') ?? null,
    markdown: flags.has('markdown'),
    format: (values.get('format') ?? 'text') as ReportFormat,
    failOn: (values.get('fail-on') as Bar | undefined) ?? command.defaultBar,
    allowPartial: flags.has('allow-partial'),
    traceId: readHexId(given, 'trace', 32),
    nodeName: values.get('node') ?? null,
    explain: readHexId(given, 'explain', 16),
    strict: flags.has('strict'),
    quiet: flags.has('quiet'),
    ascii: flags.has('ascii'),
    color: (values.get('color') ?? 'auto') as ReportOptions['color'],
  }
  if (!options.help) checkTogether(options, command)
  return options
}

function readHexId(
  { values }: GivenArguments<ReportOptionName>,
  name: ReportOptionName,
  digits: number,
): string | null {
  const value = values.get(name)
  if (value === undefined) return null
  if (value.length === digits && /^[0-9a-f]+$/iu.test(value)) return value.toLowerCase()
  throw new UsageError(`Cannot read --${name}: expected ${digits} hex digits, found '${value}'`)
}

function checkTogether(options: ReportOptions, { table }: ReportCommand): void {
  const { inputs, markdown, out, explain, nodeName, format } = options
  if (inputs.length === 0) {
    throw new UsageError(
      `Cannot run ${table.name}: expected files, directories, globs or - for standard input, found nothing`,
    )
  }
  if (markdown && out === null) {
    throw new UsageError('Cannot use --markdown: expected --out DIR beside it, found none')
  }
  if (explain === null) return
  const clash = [
    out === null ? null : '--out',
    nodeName === null ? null : '--node',
    format === 'markdown' || format === 'junit' ? `--format ${format}` : null,
  ].find((option) => option !== null)
  if (clash !== undefined) throw new UsageError(`Cannot use --explain: expected it alone, found ${clash}`)
}

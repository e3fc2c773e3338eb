import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/** One option of a command: what parsing and the help text are made from. */
export interface OptionRow<Name extends string> {
  /** Without the dashes. */
  readonly name: Name
  /** A single letter that stands for it, if any. */
  readonly short?: string
  /** What its value is called in the help text; absent for a flag. */
  readonly value?: string
  /** The values that it can have, if they are few. */
  readonly choices?: readonly string[]
  /** What it does, in a few words. */
  readonly help: string
}

/** A command as its user sees it. */
export interface CommandTable<Name extends string> {
  /** Such as `agent-reach report`. */
  readonly name: string
  /** What stands behind the name: `<input…> [options]`. */
  readonly usage: string
  /** Sentences, one a line. */
  readonly summary: readonly string[]
  readonly options: readonly OptionRow<Name>[]
  /** Sentences behind the options, one a line. */
  readonly remarks: readonly string[]
}

/** What a user gave to a command. */
export interface GivenArguments<Name extends string> {
  readonly flags: ReadonlySet<Name>
  /** Of an option that was given twice the last value. */
  readonly values: ReadonlyMap<Name, string>
  /** What is no option, in order. */
  readonly operands: readonly string[]
}

/**
 * Reads the arguments of a command by its table.
 *
 * @throws {UsageError} for an option that is not in the table, and for a value that is missing, not among the
 *   choices, or given to a flag
 */
export function parseArguments<Name extends string>(
  argv: readonly string[],
  table: CommandTable<Name>,
): GivenArguments<Name> {
  const { tokens } = parseArgs({
    args: [...argv],
    options: toParserOptions(table),
    // Its own messages do not say what was expected and what was found.
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags = new Set<Name>()
  const values = new Map<Name, string>()
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const row = findRow(token, table)
    if (row.value === undefined) flags.add(checkFlag(row, token).name)
    else values.set(row.name, readValue(row, token))
  }
  return { flags, values, operands }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

type ParserOptions = Record<string, { type: 'string' | 'boolean'; short?: string }>

function toParserOptions<Name extends string>(table: CommandTable<Name>): ParserOptions {
  return Object.fromEntries(
    table.options.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  )
}

function findRow<Name extends string>(
  { name, rawName }: OptionToken,
  table: CommandTable<Name>,
): OptionRow<Name> {
  const row = table.options.find((candidate) => candidate.name === name)
  if (row !== undefined) return row
  throw new UsageError(
    `Cannot read the options of ${table.name}: expected one of those that ${table.name} --help lists, found ${rawName}`,
  )
}

function checkFlag<Row extends OptionRow<string>>(row: Row, { value }: OptionToken): Row {
  if (value === undefined) return row
  throw new UsageError(`Cannot read --${row.name}: expected no value, found '${value}'`)
}

function readValue(row: OptionRow<string>, { value, inlineValue }: OptionToken): string {
  const { name, choices } = row
  const expected = choices === undefined ? `a value (${row.value})` : listChoices(choices)
  // `--out --quiet` is a forgotten value, not a directory of that name; `--out=--quiet` is one.
  const isForgotten = value === undefined || value === '' || (inlineValue !== true && /^-./u.test(value))
  if (isForgotten) {
    throw new UsageError(`Cannot read --${name}: expected ${expected}, found ${value || 'nothing'}`)
  }
  if (choices === undefined || choices.includes(value)) return value
  throw new UsageError(`Cannot read --${name}: expected ${expected}, found '${value}'`)
}

function listChoices(choices: readonly string[]): string {
  return choices.length === 1 ? `${choices[0]}` : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

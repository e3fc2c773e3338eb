import type { CommandTable, OptionRow } from './command-options.ts'

/** The help text of a command, made from its table; ends in a newline. */
export function renderHelp(table: CommandTable<string>): string {
  const rows = table.options.map((row) => ({ left: describeOption(row), help: describeHelp(row) }))
  const width = Math.max(...rows.map(({ left }) => left.length))
  const lines = [
    `Usage: ${table.name} ${table.usage}`,
    '',
    ...table.summary,
    '',
    'Options:',
    ...rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`),
    ...(table.remarks.length === 0 ? [] : ['', ...table.remarks]),
  ]
  return `${lines.join('\n')}\n`
}

function describeOption({ name, short, value }: OptionRow<string>): string {
  const letter = short === undefined ? '    ' : `-${short}, `
  return `${letter}--${name}${value === undefined ? '' : ` ${value}`}`
}

function describeHelp({ help, choices }: OptionRow<string>): string {
  return choices === undefined ? help : `${help} (${choices.join(', ')})`
}

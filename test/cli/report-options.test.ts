import { describe, expect, it } from 'vitest'
import { checkCommand } from '../../src/cli/check-command.ts'
import { renderHelp } from '../../src/cli/help-text.ts'
import { reportCommand } from '../../src/cli/report-command.ts'
import { readReportOptions, reportOptionRows } from '../../src/cli/report-options.ts'
import { UsageError } from '../../src/cli/usage-error.ts'

function read(...argv: readonly string[]): ReturnType<typeof readReportOptions> {
  return readReportOptions(argv, reportCommand)
}

const HEX = '0123456789abcdef'

describe('readReportOptions()', () => {
  it('has defaults for everything but the inputs', () => {
    expect(read('a.jsonl')).toEqual({
      help: false,
      inputs: ['a.jsonl'],
      rules: null,
      out: null,
      markdown: false,
      format: 'text',
      failOn: null,
      allowPartial: false,
      traceId: null,
      nodeName: null,
      explain: null,
      strict: false,
      quiet: false,
      ascii: false,
      color: 'auto',
    })
  })

  it('reads every option, before and behind inputs, with = and without', () => {
    const argv = ['--out=reports', '--markdown', 'a', '--format', 'json', '--fail-on', 'alert', '-']
    const more = [
      '--allow-partial',
      '--trace',
      HEX.repeat(2).toUpperCase(),
      '--node',
      'order_query',
      '--rules',
      'r.yaml',
    ]
    expect(read(...argv, ...more, '--strict', '--quiet', '--ascii', '--color', 'never')).toMatchObject({
      inputs: ['a', '-'],
      rules: 'r.yaml',
      out: 'reports',
      markdown: true,
      format: 'json',
      failOn: 'alert',
      allowPartial: true,
      traceId: HEX.repeat(2),
      nodeName: 'order_query',
      strict: true,
      quiet: true,
      ascii: true,
      color: 'never',
    })
    expect(read('a', '--explain', HEX.toUpperCase()).explain).toBe(HEX)
    expect(read('a', '-q', '-o', 'reports', '-f', 'markdown')).toMatchObject({
      quiet: true,
      out: 'reports',
      format: 'markdown',
    })
  })

  it('takes what stands behind -- for an input, and of an option that comes twice the last', () => {
    expect(read('--', '--out')).toMatchObject({ inputs: ['--out'], out: null })
    expect(read('a', '--out', 'first', '--out', 'second').out).toBe('second')
    expect(read('a', '--out=-odd').out).toBe('-odd')
  })

  it('needs no input to show the help', () => {
    expect(read('--help').help).toBe(true)
    expect(read('-h', '--explain', HEX, '--out', 'x').help).toBe(true)
  })

  it('gives check a bar, which can be another', () => {
    expect(readReportOptions(['a'], checkCommand).failOn).toBe('partial_failed')
    expect(readReportOptions(['a', '--fail-on', 'failed'], checkCommand).failOn).toBe('failed')
  })

  it.each([
    [
      [],
      'Cannot run agent-reach report: expected files, directories, globs or - for standard input, found nothing',
    ],
    [
      ['a', '--speed'],
      'Cannot read the options of agent-reach report: expected one of those that agent-reach report --help lists, found --speed',
    ],
    [['a', '-z'], /found -z$/u],
    [['a', '--quiet=yes'], "Cannot read --quiet: expected no value, found 'yes'"],
    [['a', '--out'], 'Cannot read --out: expected a value (DIR), found nothing'],
    [['a', '--out', '--quiet'], 'Cannot read --out: expected a value (DIR), found --quiet'],
    [['a', '--out='], 'Cannot read --out: expected a value (DIR), found nothing'],
    [['a', '--format', 'xml'], "Cannot read --format: expected text, json, markdown or junit, found 'xml'"],
    [['a', '--fail-on'], 'Cannot read --fail-on: expected failed, partial_failed or alert, found nothing'],
    [['a', '--fail-on', 'success'], /expected failed, partial_failed or alert, found 'success'/u],
    [['a', '--color', 'blue'], /expected auto, always or never/u],
    [['a', '--trace', '12'], "Cannot read --trace: expected 32 hex digits, found '12'"],
    [['a', '--explain', 'g'.repeat(16)], /expected 16 hex digits/u],
    [['a', '--markdown'], 'Cannot use --markdown: expected --out DIR beside it, found none'],
    [['a', '--explain', HEX, '--out', 'x'], 'Cannot use --explain: expected it alone, found --out'],
    [['a', '--explain', HEX, '--node', 'x'], /found --node/u],
    [['a', '--explain', HEX, '--format', 'markdown'], /found --format markdown/u],
  ])('refuses %j', (argv, message) => {
    expect(() => read(...argv)).toThrow(UsageError)
    expect(() => read(...argv)).toThrow(message)
  })
})

describe('renderHelp()', () => {
  const text = renderHelp(reportCommand.table)

  it('lists every option with its value, its choices and what it does', () => {
    for (const { name, help, choices = [] } of reportOptionRows) {
      expect(text).toContain(`--${name}`)
      expect(text).toContain(help)
      for (const choice of choices) expect(text).toContain(choice)
    }
  })

  it('fits a terminal of 110 columns, and ends in a line feed', () => {
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
    expect(text).toMatch(/[^\n]\n$/u)
  })
})

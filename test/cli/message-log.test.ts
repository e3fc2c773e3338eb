import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { MessageLog, type MessageOptions } from '../../src/cli/message-log.ts'
import { describeProblem, type ReadProblem } from '../../src/cli/read-problem.ts'
import { TextOutput } from '../../src/cli/text-output.ts'

const problem: ReadProblem = {
  kind: 'unread_line',
  input: 'a.jsonl',
  line: 3,
  path: null,
  expected: 'A JSON document',
  found: 'oops',
}

function createLog(options: MessageOptions): { readonly log: MessageLog; readonly read: () => string } {
  const stream = new PassThrough()
  const read = (): string => String(stream.read() ?? '')
  return { log: new MessageLog(new TextOutput(stream), options), read }
}

describe('MessageLog', () => {
  it('tells problems, notes and what was done', async () => {
    const { log, read } = createLog({ quiet: false })
    await log.problem(problem)
    await log.problem({ ...problem, kind: 'torn_end' })
    await log.note('nothing to see')
    await log.summary('1 input')
    expect(read()).toBe(
      'Cannot read a.jsonl:3: expected a JSON document, found oops\n' +
        'note: Cannot read a.jsonl:3: expected a JSON document, found oops\n' +
        'note: nothing to see\n' +
        '1 input\n',
    )
  })

  it('tells problems only where it is to be quiet', async () => {
    const { log, read } = createLog({ quiet: true })
    await log.note('nothing to see')
    await log.summary('1 input')
    await log.problem(problem)
    await log.error('Cannot go on')
    expect(read()).toMatch(/^Cannot read [^\n]*\nagent-reach: Cannot go on\n$/u)
  })

  it('tells 20 problems and then how many more there were', async () => {
    const { log, read } = createLog({ quiet: false })
    for (let line = 1; line <= 25; line++) await log.problem({ ...problem, line })
    await log.endOfProblems()
    const lines = read().trimEnd().split('\n')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('… and 5 more')
    expect(log.count('unread_line')).toBe(25)
    expect(log.count('torn_end')).toBe(0)
  })

  it('holds everything back while a progress bar is drawn', async () => {
    const { log, read } = createLog({ quiet: false, held: true })
    await log.problem(problem)
    expect(read()).toBe('')
    await log.release()
    await log.note('more')
    expect(read()).toMatch(/^Cannot [^\n]*\nnote: more\n$/u)
  })

  it('does not let a file name steer the terminal', async () => {
    const { log, read } = createLog({ quiet: false })
    await log.problem({ ...problem, input: 'a\u001b[2Jb' })
    expect(read()).not.toContain('\u001b')
  })
})

describe('describeProblem()', () => {
  it('names the place as far as it is known', () => {
    const found = 'a nonsense'
    expect(describeProblem({ ...problem, line: null, expected: 'OTLP/JSON, plain or gzip', found })).toBe(
      'Cannot read a.jsonl: expected OTLP/JSON, plain or gzip, found a nonsense',
    )
    expect(describeProblem({ ...problem, path: 'spans[0].spanId', expected: '16 hex digits', found })).toBe(
      'Cannot read a.jsonl:3 at spans[0].spanId: expected 16 hex digits, found a nonsense',
    )
  })
})

import { describe, expect, it } from 'vitest'
import { readIdleCode } from '../../src/steps/read-idle-code.ts'

const fenced = (code: string): string => `\`\`\`py\n${code}\n\`\`\``

describe('code that only prints', () => {
  it.each([
    'print("call(search)")',
    "task = ('a ' 'b')\nprint(task)",
    '# search(1)\nprint("x")',
    'print("""\nfor x in y: run(x)\n""")',
    'const task = "find it"\nconsole.log(task) // search()',
    'print(f"task: {task}")',
    'a = "x" + "y"\nprint(a)',
    'print("it\\"s (here)")',
  ])('is idle: %j', (code) => {
    expect(readIdleCode(fenced(code))).toEqual([])
  })

  it.each([
    'print(search("x"))',
    'import os',
    'for i in x:\n  print(i)',
    'x = 2 * 3',
    'x = a - b',
    'print(rows[0])',
    'print(f"{search(1)}")',
    'console.log(`${search(1)}`)',
  ])('does something: %j', (code) => {
    expect(readIdleCode(fenced(code))).toBeNull()
  })

  it('an answer without code is not idle code', () => {
    expect(readIdleCode('I print nothing.')).toBeNull()
    expect(readIdleCode(fenced('# only a comment'))).toBeNull()
  })

  it('names of several words that the answer mentions are given, at most 32', () => {
    expect(readIdleCode(`I ask search_agent and webSearch.\n${fenced('print("ask_me")')}`)).toEqual([
      'search_agent',
      'webSearch',
      'ask_me',
    ])
    const many = Array.from({ length: 100 }, (_, n) => `tool_${n}`).join(' ')
    expect(readIdleCode(`${many}\n${fenced('print("x")')}`)).toHaveLength(32)
  })

  it.each([
    ['"\\"'.repeat(8_000)],
    ["f'{".repeat(5_000)],
    ['a '.repeat(8_000)],
    ['a_'.repeat(8_000)],
    ['`'.repeat(9)],
  ])('code made to be searched for long is not: %#', (code) => {
    const started = performance.now()
    readIdleCode(fenced(code))
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

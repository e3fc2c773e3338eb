import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findInputs, type FoundInputs } from '../../src/cli/find-inputs.ts'

const cwd = mkdtempSync(join(tmpdir(), 'find-inputs-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const FILES = [
  'a.jsonl',
  'b.json',
  'c.jsonl.gz',
  'd.JSON.GZ',
  'notes.txt',
  'deep/er/e.jsonl',
  'deep/f.json',
  'deep/node_modules/g.json',
  'deep/.hidden/h.json',
  'deep/reports/i.json',
  'week[1].jsonl',
  'week1.jsonl',
]

beforeAll(() => {
  for (const directory of ['deep/er', 'deep/node_modules', 'deep/.hidden', 'deep/reports', 'empty']) {
    mkdirSync(join(cwd, directory), { recursive: true })
  }
  for (const name of FILES) writeFileSync(join(cwd, name), '{}\n')
  symlinkSync(join(cwd, 'a.jsonl'), join(cwd, 'link.jsonl'))
  symlinkSync(join(cwd, 'nowhere'), join(cwd, 'dangling.jsonl'))
})

function find(args: readonly string[], exclude: string | null = null): Promise<FoundInputs> {
  return findInputs(args, { cwd, stdin: Readable.from([]), exclude })
}

async function namesOf(args: readonly string[], exclude: string | null = null): Promise<readonly string[]> {
  const { inputs, problems } = await find(args, exclude)
  expect(problems).toEqual([])
  return inputs.map(({ name }) => name)
}

describe('findInputs()', () => {
  it('takes files in the order in which they are named, whatever their endings', async () => {
    expect(await namesOf(['notes.txt', 'b.json', 'a.jsonl'])).toEqual(['notes.txt', 'b.json', 'a.jsonl'])
  })

  it('reads a glob, also where a shell did not', async () => {
    expect(await namesOf(['*.json*'])).toEqual([
      'a.jsonl',
      'b.json',
      'c.jsonl.gz',
      'week1.jsonl',
      'week[1].jsonl',
    ])
    expect(await namesOf(['deep/**/*.jsonl'])).toEqual(['deep/er/e.jsonl'])
    expect(await namesOf([`${cwd}/b.{json,jsonl}`])).toEqual([join(cwd, 'b.json')])
  })

  it('takes a name that exists for that file, even where it would be a glob', async () => {
    expect(await namesOf(['week[1].jsonl'])).toEqual(['week[1].jsonl'])
  })

  it('searches a directory at any depth, by name, but not hidden directories and node_modules', async () => {
    expect(await namesOf(['deep'])).toEqual(['deep/er/e.jsonl', 'deep/f.json', 'deep/reports/i.json'])
    expect(await namesOf(['.'])).toEqual([
      'a.jsonl',
      'b.json',
      'c.jsonl.gz',
      'd.JSON.GZ',
      'deep/er/e.jsonl',
      'deep/f.json',
      'deep/reports/i.json',
      'week1.jsonl',
      'week[1].jsonl',
    ])
  })

  it('does not take for an input what it has written into a directory inside', async () => {
    expect(await namesOf(['deep'], 'deep/reports')).toEqual(['deep/er/e.jsonl', 'deep/f.json'])
    expect(await namesOf(['deep/reports'], 'deep/rep')).toEqual(['deep/reports/i.json'])
    expect(await namesOf(['deep/reports'], 'deep/reports')).toEqual(['deep/reports/i.json'])
    expect(await namesOf(['deep/reports'], '/')).toEqual(['deep/reports/i.json'])
    expect(await namesOf(['deep/reports/i.json'], 'deep/reports')).toEqual(['deep/reports/i.json'])
  })

  it('takes a file once, by whatever names', async () => {
    expect(await namesOf(['a.jsonl', './a.jsonl', `${cwd}/a.jsonl`, 'link.jsonl', 'a.*', '.'])).toHaveLength(
      9,
    )
    expect(await namesOf(['-', '-'])).toEqual(['standard input'])
  })

  it('comes to an end where directories lie in a circle', async () => {
    mkdirSync(join(cwd, 'ring/inner'), { recursive: true })
    writeFileSync(join(cwd, 'ring/inner/a.jsonl'), '{}')
    symlinkSync(join(cwd, 'ring'), join(cwd, 'ring/inner/ring'))
    expect(await namesOf(['ring'])).toHaveLength(1)
    rmSync(join(cwd, 'ring'), { recursive: true })
  })

  it('knows what can be read twice: files, but not standard input and devices', async () => {
    const { inputs } = await find(['a.jsonl', '-', '/dev/null', 'c.jsonl.gz'])
    expect(inputs.map(({ bytes, packed }) => [bytes, packed])).toEqual([
      [3, false],
      [null, false],
      [null, false],
      [3, true],
    ])
  })

  it.each([
    ['missing.jsonl', 'A file, a directory or a glob', 'no such file'],
    ['a.jsonl/b', 'A file, a directory or a glob', 'no such file (a part of the path is no directory)'],
    ['missing-*.jsonl', 'A file, a directory or a glob that matches files', 'nothing'],
    ['dangling.jsonl', 'A file, a directory or a glob', 'no such file'],
  ])('tells that %s names nothing, and goes on', async (name, expected, found) => {
    const { inputs, problems } = await find([name, 'a.jsonl'])
    expect(inputs).toHaveLength(1)
    expect(problems).toEqual([
      { kind: 'unreadable_input', input: name, line: null, path: null, expected, found },
    ])
  })

  it('notes a directory without anything to read', async () => {
    const { inputs, problems, emptyDirectories } = await find(['empty'])
    expect([inputs, problems, emptyDirectories]).toEqual([[], [], ['empty']])
  })
})

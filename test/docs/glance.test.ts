import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDist, command } from '../build-dist.ts'
import { readSnippets, root } from './snippets.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-reach-glance-'))

beforeAll(buildDist)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

/** What stays the same from run to run: no ids, no times, no dates, no widths of columns, no places of line breaks. */
function toPattern(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{32}-[0-9a-f]{8}|[0-9a-f]{16}/gu, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}/gu, 'DATE')
    .replaceAll(/\d[\d.,]* (?:ms|s)\b/gu, 'TIME')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

describe('the first block of README.md', () => {
  it('is what the command shows of the support agent with one fault', () => {
    run([
      join(root, 'examples/support-agent/main.mjs'),
      '--fault',
      'missing-status',
      '--file',
      'traces.jsonl',
    ])
    const shown = run([command, 'report', 'traces.jsonl', '--out', 'chain-reports'])
    const block = readSnippets('README.md')[0]?.text ?? ''
    expect(toPattern(shown)).toBe(toPattern(block))
  })

  it('has no line of more than 100 columns', () => {
    const long = readFileSync(join(root, 'README.md'), 'utf8')
      .split('```')[1]
      ?.split('\n')
      .filter((line) => Array.from(line).length > 100)
    expect(long).toEqual([])
  })
})

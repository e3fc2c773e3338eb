import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctorTable } from '../../src/cli/doctor-command.ts'
import { reportOptionRows } from '../../src/cli/report-options.ts'
import { serveTable } from '../../src/cli/serve-options.ts'
import { openStore } from '../../src/server/open-store.ts'
import { buildDist, command as agentReach } from '../build-dist.ts'
import { goodSetup, installProgram, silencedSetup } from '../cli/doctor-program.ts'
import { toRequest } from '../cli/write-binary.ts'
import { chainSpans, toLine, writeChains, writeLines } from '../cli/write-traces.ts'
import { toRecords } from '../otlp/sdk-span.ts'
import { readSnippets, root } from './snippets.ts'

const page = readFileSync(join(root, 'docs/cli.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'cli-doc-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const optionRows = [...reportOptionRows, ...doctorTable.options]

/** The lines of all shell snippets, each with the exit code that its comment tells. */
const lines = readSnippets('docs/cli.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, command = line, code] = /^(.*?)\s*#(?:.*# )? ?exit (\d)$/u.exec(line) ?? []
    return { line, command, code: code === undefined ? null : Number(code) }
  })

function at(name: string): string {
  return join(folder, name)
}

/** The files that the page names. */
function writeFiles(): void {
  writeChains(at('traces.jsonl'), [
    chainSpans(1),
    chainSpans(2, 'error_result'),
    chainSpans(3, 'root_failed'),
  ])
  writeChains(at('good.jsonl'), [chainSpans(4)])
  writeChains(at('unsure.jsonl'), [chainSpans(5, 'warned_loop')])
  writeChains(at('cut.jsonl'), [chainSpans(6, 'missing_parent')])
  writeChains(at('plain.jsonl'), [chainSpans(7, 'plain')])
  writeLines(at('damaged.jsonl'), [toLine(chainSpans(8)), '{"resourceSpans":[{', toLine(chainSpans(9))])
  writeFileSync(at('torn.jsonl'), `${toLine(chainSpans(8))}\n{"resourceSpans":[{`)
  writeFileSync(at('agent-reach.yaml'), 'version: 1\nnodes: { order_query: { timeout: 1ms } }\n')
  writeFileSync(at('wrong.yaml'), 'version: 1\nnode: {}\n')
  installProgram(folder)
  writeFileSync(at('instrumentation.mjs'), goodSetup)
  writeFileSync(at('silenced.mjs'), silencedSetup)
  mkdirSync(at('traces/week'), { recursive: true })
  writeChains(at('traces/a.jsonl'), [chainSpans(1)])
  writeChains(at('traces/week/b.jsonl.gz'), [chainSpans(2, 'error_result')])
  writeFileSync(at('traces.binpb'), toRecords(toRequest(chainSpans(1)), toRequest(chainSpans(2))))
  mkdirSync(at('rotated'))
  writeChains(at('rotated/traces.jsonl'), [chainSpans(1)])
  writeChains(at('rotated/traces-2026-11-30T10-00-00.000.jsonl'), [chainSpans(2)])
}

/** Stands in for `npx`, so that the page can name the command as its readers have it. */
function writeRunner(): string {
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${agentReach}' "$@"\n`)
  chmodSync(join(bin, 'npx'), 0o755)
  return bin
}

function runLine(command: string, bin: string): { readonly code: number | null; readonly stderr: string } {
  const env = { PATH: `${bin}${delimiter}${process.env['PATH']}` }
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env })
  return { code: status, stderr }
}

describe('docs/cli.md', () => {
  let bin = ''
  beforeAll(async () => {
    await buildDist()
    writeFiles()
    const store = await openStore({ path: at('reports.db'), now: Date.now })
    await store.close()
    bin = writeRunner()
  })

  it('tells the exit code of every command', () => {
    expect(lines.length).toBeGreaterThan(30)
    expect(lines.filter(({ code }) => code === null).map(({ line }) => line)).toEqual([])
  })

  it.each(lines.map(({ command, code }) => [command, code] as const))('%s ends with %d', (command, code) => {
    expect(command).toMatch(/\bnpx agent-reach /u)
    const outcome = runLine(command, bin)
    expect(outcome.stderr).not.toMatch(/\n {4}at /u)
    expect(outcome.code, outcome.stderr).toBe(code)
  })

  it('shows a problem as it is told', () => {
    const { stderr } = runLine('npx agent-reach report damaged.jsonl', bin)
    expect(page).toContain(stderr.split('\n')[0])
  })

  it('shows a failure of JUnit XML as it is written', () => {
    const args = [agentReach, 'check', 'traces.jsonl', '--format', 'junit']
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const [failure] = /^ *<failure type="partial_failed".*?<\/failure>$/msu.exec(stdout) ?? ['no failure']
    expect(page).toContain(failure)
  })

  it('shows what the doctor says of a set-up whose exporter gets nothing', () => {
    const { stdout } = spawnSync(process.execPath, [agentReach, 'doctor', '--import', './silenced.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const anyVersion = (text: string): string => text.replaceAll(/\d+\.\d+\.\d+/gu, 'x.y.z')
    expect(anyVersion(page)).toContain(anyVersion(stdout))
  })

  it('has every option with its letter and its choices, and an example of it', () => {
    const commands = lines.map(({ command }) => command).join('\n')
    for (const { name, short, choices = [] } of optionRows) {
      expect(page).toContain(short === undefined ? `\`--${name}\`` : `\`--${name}\`, \`-${short}\``)
      for (const choice of choices) expect(page).toContain(`\`${choice}\``)
      const example = short === undefined ? `--${name}` : `(?:--${name}|-${short})`
      expect(commands).toMatch(new RegExp(` ${example}(?: |$)`, 'mu'))
    }
  })

  it('shows what the store says of itself, with every field', () => {
    const args = [agentReach, 'store', 'info', '--store', 'reports.db']
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const shown = readSnippets('docs/cli.md').find(({ language }) => language === 'json')
    const keysOf = (text: string): readonly string[] => Object.keys(JSON.parse(text) as object)
    expect(keysOf(shown?.text ?? '{}')).toEqual(keysOf(stdout))
  })

  it('names no option that is not there', () => {
    const known = new Set(['version', ...[...optionRows, ...serveTable.options].map(({ name }) => name)])
    const named = [...page.matchAll(/--([a-z][a-z-]+)/gu)].map(([, name = '']) => name)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})

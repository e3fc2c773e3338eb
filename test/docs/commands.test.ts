import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { RulesFile } from '../../src/rules/rules-file.ts'
import { buildDist, command as agentReach } from '../build-dist.ts'
import {
  type CommandLine,
  listPages,
  needsService,
  readCommandLines,
  readSnippets,
  root,
  type Snippet,
} from './snippets.ts'
import { createTraces } from './traces.ts'

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts,
)
const snippets = listPages().flatMap(readSnippets)
const folders: string[] = []

function ofLanguage(...languages: readonly string[]): readonly (readonly [string, Snippet])[] {
  return snippets
    .filter(({ language }) => languages.includes(language))
    .map((snippet) => [`${snippet.page}, line ${snippet.line}`, snippet])
}

/** A folder in which the files lie that the pages name. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-docs-'))
  folders.push(folder)
  writeFileSync(join(folder, 'traces.jsonl'), createTraces())
  writeFileSync(join(folder, 'agent-reach.yaml'), 'version: 1\nguards: { budget: { tokens: 50000 } }\n')
  return folder
}

/** Runs the command itself; of commands that would start the gate or a tool only the name is checked. */
function runCommand([program, ...args]: readonly string[], folder: string): number | null {
  const text = [program, ...args].join(' ')
  if (text === 'npm ci') return 0
  if (text === 'npm test') return scripts.includes('test') ? 0 : 127
  if (program === 'npm' && args[0] === 'run') return scripts.includes(args[1] ?? '') ? 0 : 127
  if (program === 'node') return existsSync(join(root, args[0] ?? '')) ? 0 : 127
  expect(text).toMatch(/^npx agent-reach(?: |$)/u)
  const { status, stderr } = spawnSync(process.execPath, [agentReach, ...args.slice(1)], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr, text).not.toMatch(/Cannot|\n {4}at /u)
  return status
}

function runLine({ commands, exitCode }: CommandLine, folder: string): void {
  for (const [at, command] of commands.entries()) {
    const expected = at === commands.length - 1 ? exitCode : 0
    expect(runCommand(command, folder), command.join(' ')).toBe(expected)
  }
}

beforeAll(buildDist)

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('the commands of the pages', () => {
  it.each(ofLanguage('sh').filter(([, snippet]) => !needsService(snippet)))('of %s run', (_, snippet) => {
    const folder = createFolder()
    for (const line of readCommandLines(snippet)) runLine(line, folder)
  })
})

describe('the programs of the pages', () => {
  // Those of the set-ups are run by `scripts/test-fixtures.mjs`, each beside the packages that it is for.
  const programs = ofLanguage('js').filter(
    ([, snippet]) => snippet.page !== 'docs/setup.md' && !needsService(snippet),
  )

  it.each(programs)('of %s run', (_, { text }) => {
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})

interface CollectorConfig {
  readonly service: {
    readonly pipelines: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
  readonly [section: string]: Readonly<Record<string, unknown>>
}

/** The examples of rules; those of their own page have a test of their own. */
const rulesExamples = ofLanguage('yaml').filter(
  ([, { page, text }]) => page !== 'docs/rules.md' && text.startsWith('version: 1'),
)

describe('the rules of the pages', () => {
  it.each(rulesExamples)('of %s can be used', (_, { text }) => {
    expect(() => loadRules(parse(text) as RulesFile)).not.toThrow()
  })
})

describe('the collector configurations of the pages', () => {
  const examples = ofLanguage('yaml').filter(
    ([, { page, text }]) => page !== 'docs/rules.md' && !text.startsWith('version: 1'),
  )

  it.each(examples)('of %s declare what their pipelines name', (_, { text }) => {
    const config = parse(text) as CollectorConfig
    for (const pipeline of Object.values(config.service.pipelines)) {
      for (const [section, names] of Object.entries(pipeline)) {
        for (const name of names) expect(Object.keys(config[section] ?? {})).toContain(name)
      }
    }
  })
})

describe('the other snippets of the pages', () => {
  it.each(ofLanguage('json'))('of %s are JSON', (_, { text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  })

  it('are in a language that is checked here, or plain text', () => {
    const known = ['sh', 'js', 'ts', 'yaml', 'json', '', 'text']
    expect(snippets.filter(({ language }) => !known.includes(language))).toEqual([])
    const typed = snippets.filter(({ language }) => language === 'ts')
    expect(typed.filter(({ page }) => page !== 'docs/setup.md')).toEqual([])
  })
})

describe('the links of the pages', () => {
  it.each(listPages())('of %s lead to files that are there', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const targets = [...text.matchAll(/\]\((?<target>[^)#:]+)(?:#[^)]*)?\)/gu)].map(
      ({ groups = {} }) => groups['target'] ?? '',
    )
    const missing = targets.filter((target) => !existsSync(join(root, page, '..', target)))
    expect(missing).toEqual([])
  })
})

/** The anchors that the headings of a page have where it is shown. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gmu, '')
  return [...text.matchAll(/^#{1,6} (?<heading>.+)$/gmu)].map(({ groups = {} }) =>
    (groups['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('the anchors of the pages', () => {
  it.each([...listPages(), 'docs/cli.md'])('that %s links to are headings', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const links = [...text.matchAll(/\]\((?<target>[^)#:\s]*\.md)?#(?<anchor>[^)]+)\)/gu)].map(
      ({ groups = {} }) => {
        const { target, anchor = '' } = groups as { target?: string; anchor?: string }
        return { path: target === undefined ? page : relative(root, join(root, page, '..', target)), anchor }
      },
    )
    expect(links.filter(({ path, anchor }) => !anchorsOf(path).includes(anchor))).toEqual([])
  })
})

describe('the files that the pages name', () => {
  it.each(listPages())('in %s are there', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const named = [...text.matchAll(/`(?<path>(?:src|test|docs|scripts|examples)\/[^`]+)`/gu)].map(
      ({ groups = {} }) => groups['path'] ?? '',
    )
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

function createSnippet(text: string): Snippet {
  return { page: 'page.md', line: 1, language: 'sh', text }
}

describe('readCommandLines()', () => {
  it('reads commands, comments and exit codes', () => {
    const text = '# first\n\nnpm ci && npm run ok   # all of it\nnpx agent-reach check a.jsonl  # exit 1'
    expect(readCommandLines(createSnippet(text))).toEqual([
      {
        commands: [
          ['npm', 'ci'],
          ['npm', 'run', 'ok'],
        ],
        exitCode: 0,
      },
      { commands: [['npx', 'agent-reach', 'check', 'a.jsonl']], exitCode: 1 },
    ])
  })

  it('refuses what it cannot run', () => {
    expect(() => readCommandLines(createSnippet('cat a | npx agent-reach report -'))).toThrow('Cannot run')
  })
})

describe('runCommand()', () => {
  it('knows the scripts of the manifest, and no others', () => {
    expect(runCommand(['npm', 'run', 'ok'], root)).toBe(0)
    expect(runCommand(['npm', 'run', 'absent'], root)).toBe(127)
  })

  it('refuses any other program', () => {
    expect(() => runCommand(['curl', 'host'], root)).toThrow()
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSettings, serveTable } from '../../src/cli/serve-options.ts'
import { buildDist } from '../build-dist.ts'
import { type PageOutcome, readPageLines, ServicePage } from './service-page.ts'
import { expectShownJson, expectShownText } from './shown-answer.ts'
import { listPages, needsService, readSnippets, root, type Snippet } from './snippets.ts'

/** A block of commands or a program, and what the page shows right behind it as what comes out. */
interface Example {
  readonly snippet: Snippet
  readonly shown: Snippet | undefined
}

const snippets = listPages().flatMap(readSnippets)

function examplesOf(page: string): readonly (readonly [string, Example])[] {
  const ofPage = snippets.filter((snippet) => snippet.page === page)
  return ofPage.flatMap((snippet, at) => {
    if (!needsService(snippet)) return []
    const next = ofPage[at + 1]
    const endLine = snippet.line + snippet.text.split('\n').length
    const isShown = next !== undefined && next.line - endLine <= 2 && ['json', 'text'].includes(next.language)
    return [[`line ${snippet.line}`, { snippet, shown: isShown ? next : undefined }] as const]
  })
}

async function runExample(page: ServicePage, { language, text }: Snippet): Promise<string> {
  if (language === 'js') {
    const { code, output, stderr } = page.runProgram(text)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    return output
  }
  let last: PageOutcome | undefined
  for (const line of readPageLines(text)) {
    last = await page.run(line.command)
    expect(last.code, `${line.command}: ${last.stderr}`).toBe(line.code)
    expect(last.stderr, line.command).not.toMatch(/\n {4}at /u)
    if (line.status !== null) expect(last.status, line.command).toBe(line.status)
    else expect(last.status ?? 200, line.command).toBeLessThan(300)
  }
  return last?.output ?? ''
}

function expectShown({ language, text }: Snippet, output: string): void {
  if (language === 'json') expectShownJson(JSON.parse(text), JSON.parse(output), 'answer')
  else expectShownText(text, output)
}

beforeAll(buildDist)

const pages = [...new Set(snippets.filter(needsService).map(({ page }) => page))]

describe.each(pages)('the examples of %s', (name) => {
  let page: ServicePage
  beforeAll(() => {
    page = new ServicePage()
  })

  it.each(examplesOf(name))('in %s run, and give what is shown', async (_, { snippet, shown }) => {
    const output = await runExample(page, snippet)
    if (shown !== undefined) expectShown(shown, output)
  })

  it('leave no service behind, and all of them end well', async () => {
    const codes = await page.stop()
    expect(codes.length).toBeGreaterThan(0)
    expect(codes.filter((code) => code !== 0 && code !== 2)).toEqual([])
  })

  afterAll(async () => {
    await page.stop()
  })
})

describe('readPageLines()', () => {
  it('reads commands with the exit code or the status that their comments promise', () => {
    const text = "# first\n\ncurl 'http://a/?b=1&c=2'   # 404\nnpx a b   # exit 2\nnpx a   # the 3rd"
    expect(readPageLines(text)).toEqual([
      { command: "curl 'http://a/?b=1&c=2'", code: 0, status: 404 },
      { command: 'npx a b', code: 2, status: null },
      { command: 'npx a', code: 0, status: null },
    ])
  })
})

describe('expectShownJson()', () => {
  const real = { items: [{ name: 'a', at: '2026-12-01T09:00:00.000Z' }, { name: 'b' }], next: null, pid: 7 }

  it.each([
    [{ items: [{ name: 'a' }] }],
    [{ items: [{ at: '2025-01-01T00:00:00Z' }], next: null, pid: 4_711 }],
    [{ items: [{ name: '…' }, { name: 'b' }] }],
  ])('takes %j', (shown) => {
    expect(() => expectShownJson(shown, real, 'answer')).not.toThrow()
  })

  it.each([
    [{ items: [{ name: 'b' }] }],
    [{ items: [{ nam: 'a' }] }],
    [{ items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }],
    [{ items: { name: 'a' } }],
    [{ items: [{ name: '2026-12-01T09:00:00.000Z' }] }],
    [{ next: 0 }],
    [{ pid: '7' }],
  ])('refuses %j', (shown) => {
    expect(() => expectShownJson(shown, real, 'answer')).toThrow()
  })
})

describe('expectShownText()', () => {
  it('wants all parts, in their order', () => {
    expect(() => expectShownText('a…c\n', 'x a b c\n')).not.toThrow()
    expect(() => expectShownText('c…a', 'a b c')).toThrow()
    expect(() => expectShownText('a…d', 'a b c')).toThrow()
  })
})

const servicePage = readFileSync(join(root, 'docs/service.md'), 'utf8')

/** The cells of the table rows of a page that begin with code, without the marks of code. */
function readRows(page: string, first: RegExp): readonly (readonly string[])[] {
  return page
    .split('\n')
    .filter((line) => first.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

describe('the settings of docs/service.md', () => {
  const rows = readRows(servicePage, /^\| `--/u)
  const noArguments = { values: new Map(), flags: new Set<never>(), operands: [] }

  it('are those of the command, with their variables and defaults', () => {
    const defaults = findSettings(noArguments, {})
    const expected = serveTable.options.flatMap(({ name, value }) => {
      if (name === 'print-config' || name === 'help') return []
      const fallback = defaults.get(name)?.value ?? null
      const variable = `AGENT_REACH_${name.toUpperCase().replaceAll('-', '_')}`
      return [[`\`--${name} ${value}\``, `\`${variable}\``, fallback === null ? '–' : `\`${fallback}\``]]
    })
    expect(rows.map((row) => row.slice(0, 3))).toEqual(expected)
  })

  it('are read from the variables that the page names', () => {
    for (const [option = '', variable = ''] of rows) {
      const name = /--(\S+)/u.exec(option)?.[1]
      const choices = serveTable.options.find((row) => row.name === name)?.choices
      const value = choices?.[0] ?? 'given'
      const found = findSettings(noArguments, { [variable.replaceAll('`', '')]: value })
      const row = [...found.values()].find((setting) => setting.name === name)
      expect(row).toMatchObject({ value, source: variable.replaceAll('`', '') })
    }
  })

  it('have every value that can be chosen', () => {
    for (const { name, choices = [] } of serveTable.options) {
      const text = rows.find(([option]) => option?.includes(`--${name} `))?.at(-1) ?? ''
      for (const choice of choices) expect(text).toContain(`\`${choice}\``)
    }
  })
})

describe('what docs/service.md says of a service', () => {
  let page: ServicePage
  const token = { authorization: 'Bearer s3cret' }

  beforeAll(async () => {
    page = new ServicePage()
    const line =
      'AGENT_REACH_TOKEN=s3cret npx agent-reach serve --max-body 1KiB --forward http://127.0.0.1:1 --store s.db'
    const { code, stderr } = await page.run(line)
    expect(code, stderr).toBe(0)
  })

  afterAll(async () => {
    await page.stop()
  })

  it('has every metric that it counts, with its type, and no other', async () => {
    const text = await (await fetch(`${page.url}/metrics`, { headers: token })).text()
    const counted = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].map(([, name, type]) => `${name} ${type}`)
    const rows = readRows(servicePage, /^\| `agent_reach_/u)
    const told = rows.map(([name = '', type]) => `${name.replaceAll('`', '')} ${type}`)
    expect(told.toSorted()).toEqual(counted.toSorted())
    const outcomes = [...text.matchAll(/outcome="(\w+)"/gu)].map(([, outcome]) => outcome)
    for (const outcome of outcomes) expect(servicePage).toContain(`\`${outcome}\``)
  })

  const json = { ...token, 'content-type': 'application/json' }
  it.each([
    [200, '/v1/traces', { method: 'POST', headers: json, body: '{}' }],
    [400, '/v1/traces', { method: 'POST', headers: json, body: '{' }],
    [401, '/v1/traces', { method: 'POST', body: '{}' }],
    [404, '/v1/metrics', { method: 'POST', headers: json, body: '{}' }],
    [405, '/v1/traces', { method: 'PUT', headers: json, body: '{}' }],
    [413, '/v1/traces', { method: 'POST', headers: json, body: ' '.repeat(1025) }],
    [415, '/v1/traces', { method: 'POST', headers: { ...token, 'content-type': 'text/plain' }, body: '{}' }],
    [415, '/v1/traces', { method: 'POST', headers: { ...json, 'content-encoding': 'br' }, body: '{}' }],
    [431, '/v1/traces', { method: 'POST', headers: { ...json, 'x-long': 'x'.repeat(17_000) }, body: '{}' }],
  ])('has a row for the answer %d', async (status, path, request) => {
    const answer = await fetch(`${page.url}${path}`, request)
    expect(answer.status).toBe(status)
    expect(servicePage).toMatch(new RegExp(`^\\| ${status} \\|`, 'mu'))
  })

  it.each(['/healthz', '/readyz'])('leaves %s open where there is a token', async (path) => {
    expect((await fetch(`${page.url}${path}`)).status).toBe(200)
  })

  it('asks for the token and not for the name where there is a token', async () => {
    const command = `curl -H 'host: elsewhere' -H 'authorization: Bearer s3cret' ${page.url}/api/v1/chains`
    expect(await page.run(command)).toMatchObject({ code: 0, status: 200 })
  })

  it('sends no header that lets pages of other origins read', async () => {
    const answer = await fetch(`${page.url}/api/v1/chains`, {
      headers: { ...token, origin: 'http://elsewhere' },
    })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as agentReach from '../src/index.ts'
import * as semconv from '../src/semconv/index.ts'
import { buildDist, command } from './build-dist.ts'

const root = join(import.meta.dirname, '..')

/** What a user writes by hand: a span of a tool whose result is an error that nobody noticed. */
const span = `{
  name: 'execute_tool order_query',
  spanContext: () => ({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }),
  startTime: [1764460800, 0],
  endTime: [1764460801, 500000000],
  status: { code: 0 },
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'order_query',
    'gen_ai.tool.call.arguments': '{"order_id":"ORD-1"}',
    'gen_ai.tool.call.result': '{"error":"no such order"}',
  },
  events: [],
  resource: { attributes: { 'service.name': 'shop' } },
}`

const program = `
  const collector = new agentReach.TraceCollector()
  collector.add(${span})
  const [report] = [...collector.closeAll()]
  console.log(JSON.stringify({
    names: Object.keys(agentReach).sort(),
    semconv: Object.keys(semconv).sort(),
    status: report.overall_status,
    node: report.nodes[0],
    digest: report.digest,
    redigested: agentReach.digestReport(report),
  }))
`

interface Outcome {
  readonly names: readonly string[]
  readonly semconv: readonly string[]
  readonly status: string
  readonly node: { readonly node_name: string; readonly status: string; readonly latency_ms: number }
  readonly digest: string
  readonly redigested: string
}

/** Runs a program as a user of the package does: by the package's own name, in a process of its own. */
function runProgram(type: 'module' | 'commonjs', imports: string): Outcome {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [`--input-type=${type}`, '--eval', `${imports}\n${program}`],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as Outcome
}

function runModule(): Outcome {
  const imports = `import * as agentReach from 'agent-reach'\nimport * as semconv from 'agent-reach/semconv'`
  return runProgram('module', imports)
}

function runCommonJs(): Outcome {
  const imports = `const agentReach = require('agent-reach')\nconst semconv = require('agent-reach/semconv')`
  return runProgram('commonjs', imports)
}

/** What a program tells as JSON in its last line. */
function runText(type: 'module' | 'commonjs', text: string): unknown {
  const { stdout, stderr, status } = spawnSync(process.execPath, [`--input-type=${type}`, '--eval', text], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Tells every file that has been loaded since `before`, as CommonJS counts them. */
const tellLoaded = `
  const { cache } = process.getBuiltinModule('node:module').createRequire(process.cwd() + '/')
  console.log(JSON.stringify(Object.keys(cache)))
`

const imports = {
  module: `import * as agentReach from 'agent-reach'`,
  commonjs: `const agentReach = require('agent-reach')`,
}

/** The parts of the package that are loaded, and the names of other packages. */
function loadedBy(type: 'module' | 'commonjs', text: string): readonly string[] {
  const paths = runText(type, `${imports[type]}\n${text}\n${tellLoaded}`) as readonly string[]
  const names = paths.map((path) => {
    const [, name] = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(path) ?? []
    return name ?? relative(join(root, 'dist/cjs'), path).replaceAll('\\', '/')
  })
  return [...new Set(names)].toSorted()
}

/** Rules in YAML, a schema with a pattern and a format, a priced call and a wide name: each needs a package. */
const thoroughProgram = `
  import { writeFileSync } from 'node:fs'
  import * as agentReach from 'agent-reach'
  const schema = "{ required: [id], properties: { id: { pattern: '^[A-Z]+$' }, at: { format: date } } }"
  writeFileSync('rules.yaml', 'version: 1\\nnodes: { order_query: { result: { schema: ' + schema + ' } } }')
  const collector = new agentReach.TraceCollector({ rules: agentReach.loadRules('rules.yaml') })
  const tool = ${span}
  const usage = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 1000 }
  const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.provider.name': 'openai' }
  const toSpan = (spanId, name, attributes) =>
    ({ ...tool, name, attributes, spanContext: () => ({ ...tool.spanContext(), spanId }) })
  collector.add(toSpan('b7ad6b7169203331', 'a', { ...tool.attributes, 'gen_ai.tool.call.result': '{"id":"ORD-1"}' }))
  collector.add(toSpan('b7ad6b7169203332', 'chat gpt-4o', { ...model, ...usage }))
  collector.add(toSpan('b7ad6b7169203333', 'b', { ...tool.attributes, 'gen_ai.tool.name': '\u{1f469}\u200d\u{1f467}' }))
  const [report] = [...collector.closeAll()]
  console.log(JSON.stringify({
    codes: report.findings.filter(({ node_name }) => node_name === 'order_query').map(({ code }) => code),
    cost: report.estimated_cost_usd,
    isShown: agentReach.renderText(report, {}).includes('\u{1f469}\u200d\u{1f467}'),
  }))
`

describe('the built package', () => {
  beforeAll(buildDist)

  it.each([
    ['imported', runModule],
    ['required', runCommonJs],
  ])('makes a report when it is %s', (_, runAs) => {
    const outcome = runAs()
    expect(outcome.names).toEqual(Object.keys(agentReach).toSorted())
    expect(outcome.semconv).toEqual(Object.keys(semconv).toSorted())
    expect(outcome.status).toBe('partial_failed')
    expect(outcome.node).toMatchObject({
      node_name: 'order_query',
      status: 'reached_invalid',
      latency_ms: 1_500,
    })
    expect(outcome.digest).toBe(outcome.redigested)
  })

  it('gives the same report both ways', () => {
    expect(runModule().digest).toBe(runCommonJs().digest)
  })

  it('is there once for a program that imports and requires it', () => {
    const text = `
      const required = require('agent-reach')
      import('agent-reach').then((imported) => {
        const shared = Object.keys(imported).filter((name) => name !== 'default' && name !== 'module.exports')
        console.log(JSON.stringify(shared.filter((name) => imported[name] !== required[name])))
      })
    `
    expect(runText('commonjs', text)).toEqual([])
  })

  it.each([
    ['module', `import { startReportService } from 'agent-reach/server'`],
    ['commonjs', `const { startReportService } = require('agent-reach/server')`],
  ] as const)('starts a report service in a program as %s', (type, line) => {
    const text = `
      ${line}
      startReportService({ store: ':memory:', port: 0 }).then(async ({ url, stop }) => {
        const { status } = await fetch(url + '/readyz')
        await stop()
        console.log(JSON.stringify(status))
      })
    `
    expect(runText(type, text)).toBe(200)
  })

  it.each(['module', 'commonjs'] as const)('loads next to nothing at its start as %s', (type) => {
    expect(loadedBy(type, '')).toEqual(['@opentelemetry/api', 'index.js', 'parts/start.js'])
  })

  it.each(['module', 'commonjs'] as const)(
    'makes a processor as %s without what judges, reports and depends on packages',
    (type) => {
      const loaded = loadedBy(type, 'new agentReach.AgentReachProcessor()')
      const late = ['chain', 'checks', 'findings', 'pricing', 'report', 'semconv', 'steps']
      expect(loaded.filter((name) => late.some((part) => name === `parts/${part}.js`))).toEqual([])
      const packages = loaded.filter((name) => !name.endsWith('.js'))
      expect(packages).toEqual(['@opentelemetry/api'])
    },
  )

  describe('with every package it depends on', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-reach-dist-'))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const expectThorough = (...args: readonly string[]): void => {
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toEqual({
        codes: ['schema_violation'],
        // 1,000 tokens at 2.50 USD and 1,000 at 10 USD per million
        cost: 0.0125,
        isShown: true,
      })
    }

    it('judges and shows', () => {
      const entry = pathToFileURL(join(root, 'dist/esm/index.js')).href
      expectThorough('--input-type=module', '--eval', thoroughProgram.replace(`'agent-reach'`, `'${entry}'`))
    })

    it.each([
      ['esm', 'mjs'],
      ['cjs', 'cjs'],
    ] as const)('judges and shows in one file that a bundler made of all, as %s', async (format, ending) => {
      const input = join(root, 'thorough-program.mjs')
      const bundle = await rolldown({
        input,
        cwd: root,
        platform: 'node',
        plugins: [
          {
            name: 'program',
            resolveId: (id) => (id === input ? id : null),
            load: (id) => (id === input ? thoroughProgram : null),
          },
        ],
      })
      const file = join(folder, `program.${ending}`)
      await bundle.write({ file, format })
      await bundle.close()
      expectThorough(file)
    })
  })

  it.each([
    ['the report', 'chain-report.schema.json', 'src/report/chain-report.schema.json'],
    ['the rules file', 'rules.schema.json', 'src/rules/rules.schema.json'],
  ])('ships the JSON Schema of %s', (_, name, source) => {
    const read = `console.log(require.resolve('agent-reach/${name}'))`
    const { stdout } = spawnSync(process.execPath, ['--eval', read], { cwd: root, encoding: 'utf8' })
    const shipped = readFileSync(stdout.trim(), 'utf8')
    expect(shipped).toBe(readFileSync(join(root, source), 'utf8'))
  })

  it('starts as a command', () => {
    const { stdout, status } = spawnSync(process.execPath, [command, '--version'], { encoding: 'utf8' })
    expect(stdout.trim()).toBe(agentReach.VERSION)
    expect(status).toBe(0)
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/u)
  })
})

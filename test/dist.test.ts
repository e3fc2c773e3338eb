import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
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

import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest'
import { runProbe } from '../../src/cli/doctor-child.ts'
import { VERSION } from '../../src/pipeline/version.ts'
import { buildDist, command } from '../build-dist.ts'
import { DoctorProgram, goodSetup, imports } from './doctor-program.ts'
import { type CliOutcome, runCli } from './run-cli.ts'

const { node } = process.versions

beforeAll(buildDist)

let program: DoctorProgram
beforeEach(() => {
  program = new DoctorProgram()
})
afterEach(() => program.remove())

function runDoctor(...argv: readonly string[]): Promise<CliOutcome> {
  return runCli(['doctor', ...argv], { cwd: program.folder })
}

/** Runs the doctor with a set-up that is an ES module. */
function examine(setup: string, ...argv: readonly string[]): Promise<CliOutcome> {
  return runDoctor('--import', program.write('instrumentation.mjs', setup), ...argv)
}

/** The lines that are not `ok`. */
function complaints({ stdout }: CliOutcome): readonly string[] {
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))
}

describe('agent-reach doctor with a set-up that works', () => {
  const good = [
    `ok    Node ${node}`,
    'ok    a tracer provider is registered: NodeTracerProvider (SDK 2.12.1, api 1.9.1)',
    'ok    spans are recorded and sampled',
    'ok    agent-reach is registered: AgentReachProcessor, BatchSpanProcessor (ConsoleSpanExporter)',
    'ok    spans are exported by ConsoleSpanExporter',
    'ok    marks are written before the span is exported',
    'ok    a context manager is registered',
    `ok    loaded in one version: @opentelemetry/api 1.9.1, agent-reach ${VERSION}`,
    '',
  ]

  it('says so of each part, and ends with 0', async () => {
    expect(await examine(goodSetup)).toEqual({ code: 0, stdout: good.join('\n'), stderr: '' })
  })

  it('takes a set-up that is required', async () => {
    const setup = program.write(
      'instrumentation.cjs',
      `const sdk = require('@opentelemetry/sdk-trace-node')
      const { AgentReachProcessor } = require('agent-reach')
      const exporter = new sdk.ConsoleSpanExporter()
      const spanProcessors = [new AgentReachProcessor(), new sdk.BatchSpanProcessor(exporter)]
      new sdk.NodeTracerProvider({ spanProcessors }).register()`,
    )
    expect(await runDoctor('--require', setup)).toEqual({ code: 0, stdout: good.join('\n'), stderr: '' })
  })

  it('waits for one that registers its provider a little later', async () => {
    const { code } = await examine(
      goodSetup.replace(/^new /mu, 'await 0; setTimeout(() => new ').concat(', 300)'),
    )
    expect(code).toBe(0)
  })

  it('sees through a processor that holds others', async () => {
    const outcome = await examine(`${imports}
      const none = async () => {}
      class Both {
        parts = [new AgentReachProcessor(), new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())]
        onStart(...args) { for (const part of this.parts) part.onStart(...args) }
        onEnd(...args) { for (const part of this.parts) part.onEnd(...args) }
        forceFlush = none
        shutdown = none
      }
      new sdk.NodeTracerProvider({ spanProcessors: [new Both()] }).register()`)
    expect(outcome.stdout).toContain('ok    agent-reach is registered: Both (ConsoleSpanExporter)\n')
    expect(outcome.code).toBe(0)
  })

  it('takes ChainReportExporter for ours, and not for one that exports elsewhere', async () => {
    const outcome = await examine(`${imports}
      const spanProcessors = [new sdk.SimpleSpanProcessor(new ChainReportExporter())]
      new sdk.NodeTracerProvider({ spanProcessors }).register()`)
    expect(outcome.stdout).toContain(
      'ok    agent-reach is registered: SimpleSpanProcessor (ChainReportExporter)\n',
    )
    expect(outcome.stdout).toContain('fail  spans are exported nowhere: ')
  })

  it('does not mind what the set-up prints or sends', async () => {
    const outcome = await examine(`console.log('hello'); console.error('there'); process.send?.('ready')
      ${goodSetup}`)
    expect(outcome).toEqual({ code: 0, stdout: good.join('\n'), stderr: '' })
  })

  it('gives each check as a line of JSON on demand', async () => {
    const { stdout } = await examine(goodSetup, '--format', 'json')
    const checks = stdout
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { readonly check: string; readonly status: string; readonly text: string },
      )
    expect(checks[0]).toEqual({ check: 'node', status: 'ok', text: `Node ${node}` })
    expect(checks.map(({ check }) => check)).toEqual([
      'node',
      'provider',
      'sampler',
      'processor',
      'export',
      'marks',
      'context',
      'copies',
    ])
  })

  it('makes one span, which a batch does not send', async () => {
    const log = JSON.stringify(program.at('exported.txt'))
    const exporter = `{
      export: (spans, done) => {
        for (const { name } of spans) writeFileSync(${log}, name + '\\n', { flag: 'a' })
        done({ code: 0 })
      },
      shutdown: async () => {},
    }`
    const setup = (processor: string): string => `${imports}
      new sdk.NodeTracerProvider({ spanProcessors: [new AgentReachProcessor(), new sdk.${processor}(${exporter})] })
        .register()`
    expect((await examine(setup('BatchSpanProcessor'))).code).toBe(0)
    expect(existsSync(program.at('exported.txt'))).toBe(false)
    expect((await examine(setup('SimpleSpanProcessor'))).code).toBe(0)
    expect(readFileSync(program.at('exported.txt'), 'utf8')).toBe('agent-reach doctor\n')
  })
})

describe('agent-reach doctor with a set-up that does not work', () => {
  it('fails where nothing exports, and says what to add', async () => {
    const outcome = await examine(`${imports}
      trace.setGlobalTracerProvider(new sdk.BasicTracerProvider({ spanProcessors: [new AgentReachProcessor()] }))`)
    expect(complaints(outcome)).toEqual([
      'fail  spans are exported nowhere: NodeSDK ignores traceExporter and OTEL_TRACES_EXPORTER when spanProcessors ' +
        'is given. Add new BatchSpanProcessor(<your exporter>) to spanProcessors, see docs/setup.md',
      'warn  no context manager is registered, so no span finds its parent and each is a run of its own: call ' +
        'context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()), or register() in SDK 2.x',
    ])
    expect(outcome.code).toBe(1)
  })

  it('fails where AgentReachProcessor is not registered', async () => {
    const outcome = await examine(`${imports}
      const spanProcessors = [new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())]
      new sdk.NodeTracerProvider({ spanProcessors }).register()`)
    expect(complaints(outcome)).toEqual([
      'fail  AgentReachProcessor is not among the span processors (BatchSpanProcessor (ConsoleSpanExporter)): add ' +
        'new AgentReachProcessor() to spanProcessors, see docs/setup.md',
    ])
    expect(outcome.code).toBe(1)
  })

  it('fails where nothing is registered, and passes on what the set-up says', async () => {
    const outcome = await examine(`console.error('tracing is off:\\n  no \\u001b[31mkey')`)
    expect(complaints(outcome)).toEqual([
      'fail  no tracer provider is registered 2 s after the set-up was loaded: start the SDK in it, and do not set ' +
        'OTEL_SDK_DISABLED, see docs/setup.md',
    ])
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toBe(
      './instrumentation.mjs wrote to standard error:\n  tracing is off:\n    no \\x1b[31mkey\n',
    )
  })

  it('fails where the api of the program does not see what is registered', async () => {
    program.replaceApi('1.10.0')
    const outcome = await examine(`import * as sdk from '@opentelemetry/sdk-trace-node'
      import { AgentReachProcessor } from 'agent-reach'
      import '@opentelemetry/api'
      const spanProcessors = [new AgentReachProcessor(), new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())]
      new sdk.NodeTracerProvider({ spanProcessors }).register()`)
    const [provider, copies, ...rest] = complaints(outcome)
    expect(provider).toBe(
      'fail  a tracer provider is registered with @opentelemetry/api 1.9.1, but a program in this folder has a ' +
        'version that does not see it, so none of its spans is recorded: keep one version, see npm ls ' +
        '@opentelemetry/api',
    )
    expect(copies).toMatch(/^warn {2}several versions are loaded, keep one: /u)
    expect(copies).toContain(`@opentelemetry/api 1.10.0 in ${program.at('node_modules/@opentelemetry/api')}`)
    expect(copies).toContain('@opentelemetry/api 1.9.1 in ')
    expect(rest).toEqual([])
    expect(outcome.code).toBe(1)
  })

  it.each([
    ['new sdk.AlwaysOffSampler()', 'fail  the sampler (AlwaysOffSampler) drops the span: ', 1],
    ['new sdk.TraceIdRatioBasedSampler(0)', 'warn  the sampler (TraceIdRatioBased{0}) drops the span: ', 0],
    [
      `{ shouldSample: () => ({ decision: 1 }), toString: () => 'Some' }`,
      'warn  the sampler (Some) has the span recorded but not sampled: ',
      0,
    ],
  ])('tells what the sampler %s does', async (sampler, beginning, code) => {
    const setup = goodSetup.replace('spanProcessors', `sampler: ${sampler}, spanProcessors`)
    const outcome = await examine(setup)
    expect(complaints(outcome)).toEqual([expect.stringContaining(beginning)])
    expect(outcome.code).toBe(code)
  })

  it('warns of a processor in which no exporter can be seen', async () => {
    const outcome = await examine(`${imports}
      const none = async () => {}
      class Secret { onStart() {} onEnd() {} forceFlush = none; shutdown = none }
      new sdk.NodeTracerProvider({ spanProcessors: [new AgentReachProcessor(), new Secret()] }).register()`)
    expect(complaints(outcome)).toEqual(['warn  no exporter can be seen in Secret: make sure there is one'])
    expect(outcome.code).toBe(0)
  })

  it('fails where a processor throws into the program', async () => {
    const outcome = await examine(`${imports}
      const none = async () => {}
      class Fragile { onStart() {} onEnd() { throw new Error('no queue') } forceFlush = none; shutdown = none }
      const batch = new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())
      new sdk.NodeTracerProvider({ spanProcessors: [new AgentReachProcessor(), batch, new Fragile()] }).register()`)
    expect(complaints(outcome)).toEqual([
      'fail  a span processor or exporter throws into the program when a span starts or ends: Error: no queue',
    ])
  })
})

/** A provider of another make, which holds its processors as an SDK does, and calls none of them. */
function foreignSetup(processors: string): string {
  return `${imports}
    context.setGlobalContextManager({ active() {}, with() {}, bind() {}, enable() {}, disable() {} })
    const batch = new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())
    const span = {
      _spanProcessor: ${processors},
      isRecording: () => true,
      spanContext: () => ({ traceFlags: 1 }),
      end() {},
    }
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: () => span }) })`
}

describe('agent-reach doctor with other providers', () => {
  it('warns of an SDK that has no onEnding, unless AgentReachProcessor comes first', async () => {
    const late = await examine(foreignSetup('{ _spanProcessors: [batch, new AgentReachProcessor()] }'))
    expect(complaints(late)).toEqual([
      'warn  this SDK has no onEnding, so exporters before AgentReachProcessor may miss its marks: update to SDK ' +
        '2.3 or later, or put AgentReachProcessor first',
    ])
    const first = await examine(foreignSetup('{ _spanProcessors: [new AgentReachProcessor(), batch] }'))
    expect(complaints(first)).toEqual([])
  })

  it('takes a processor that stands alone', async () => {
    const outcome = await examine(foreignSetup('new AgentReachProcessor()'))
    expect(complaints(outcome)).toEqual([expect.stringContaining('fail  spans are exported nowhere: ')])
  })

  it('warns where processors are not to be seen', async () => {
    const outcome = await examine(foreignSetup('undefined'))
    expect(complaints(outcome)).toEqual([
      'warn  this provider does not show its span processors: make sure that AgentReachProcessor is one of them',
    ])
    expect(outcome.code).toBe(0)
  })
})

describe('agent-reach doctor with a set-up that cannot be loaded', () => {
  it('ends with 2 and what the set-up has said, beside what is installed', async () => {
    const { code, stdout, stderr } = await examine(`throw new Error('no such key: PLAN')`)
    expect(code).toBe(2)
    expect(stdout).toContain('ok    @opentelemetry/api 1.9.1\n')
    const [first, second, ...said] = stderr.split('\n')
    expect(first).toBe(
      'agent-reach: Cannot look at ./instrumentation.mjs: expected it to load, found a process that ended with ' +
        'exit code 1',
    )
    expect(second).toBe('./instrumentation.mjs wrote to standard error:')
    expect(said).toContain('  Error: no such key: PLAN')
  })

  it('ends with 2 where the file is not there', async () => {
    const { code, stderr } = await runDoctor('--import', './missing.mjs')
    expect(code).toBe(2)
    expect(stderr).toMatch(/ERR_MODULE_NOT_FOUND/u)
  })

  it('ends with 2 where the set-up ends the process', async () => {
    const { code, stderr } = await examine('process.exit(0)')
    expect(code).toBe(2)
    expect(stderr).toBe(
      'agent-reach: Cannot look at ./instrumentation.mjs: expected it to load, found a process that ended with ' +
        'exit code 0\n',
    )
  })

  it('gives up on one that takes too long', async () => {
    const setup = program.write(
      'instrumentation.mjs',
      'setInterval(() => {}, 1000); await new Promise(() => {})',
    )
    const outcome = await runProbe({ import: setup, require: null }, { cwd: program.folder, env: {} }, 500)
    expect(outcome.facts).toBeNull()
    expect(outcome.ending).toBe('a process that was still at it after 0.5 s')
  })
})

describe('agent-reach doctor with files', () => {
  it('says whether the rules can be used, each problem in a line', async () => {
    program.write('good.yaml', 'version: 1\n')
    program.write('bad.yaml', 'version: 1\nnode: {}\nlabels: 3\n')
    expect((await runDoctor('--rules', 'good.yaml')).stdout).toContain(
      '\nok    the rules in good.yaml can be used\n',
    )
    const bad = await runDoctor('--rules', 'bad.yaml')
    expect(complaints(bad)).toEqual([
      expect.stringMatching(/^fail {2}Cannot use bad\.yaml:2/u),
      expect.stringMatching(/^fail {2}Cannot use bad\.yaml:3/u),
    ])
    expect(bad.code).toBe(1)
    expect(complaints(await runDoctor('--rules', 'missing.yaml'))).toEqual([
      'fail  Cannot use missing.yaml: expected a file that can be read, found no such file',
    ])
  })

  it('tries whether reports can be written, and leaves nothing behind', async () => {
    mkdirSync(program.at('chain-reports'))
    for (const folder of ['chain-reports', 'new/chain/reports']) {
      const { code, stdout } = await runDoctor('--reports', folder)
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`\nok    reports can be written into ${folder}\n`),
      ])
    }
    expect(readdirSync(program.folder).toSorted()).toEqual(['chain-reports', 'node_modules'])
    expect(readdirSync(program.at('chain-reports'))).toEqual([])
  })

  it.each(['file', 'file/below', '/proc/chain-reports'])(
    'fails where reports cannot be written: %s',
    async (folder) => {
      program.write('file', 'in the way')
      const outcome = await runDoctor('--reports', folder)
      expect(complaints(outcome)).toEqual([
        expect.stringContaining(`fail  reports cannot be written into ${folder}: expected a folder`),
      ])
      expect(outcome.code).toBe(1)
      expect(readFileSync(program.at('file'), 'utf8')).toBe('in the way')
    },
  )
})

describe('agent-reach doctor with wrong arguments', () => {
  it.each([
    [
      ['instrumentation.mjs'],
      'Cannot run agent-reach doctor: expected options only, found instrumentation.mjs',
    ],
    [['--import'], 'Cannot read --import: expected a value (FILE), found nothing'],
    [['--format', 'markdown'], `Cannot read --format: expected text or json, found 'markdown'`],
  ])('%j ends with 2', async (argv, message) => {
    expect(await runDoctor(...argv)).toEqual({
      code: 2,
      stdout: '',
      stderr: `agent-reach: ${message}\nTry agent-reach doctor --help\n`,
    })
  })

  it('has a help text', async () => {
    const { code, stdout } = await runDoctor('--help')
    expect([code, stdout.split('\n', 1)[0]]).toEqual([0, 'Usage: agent-reach doctor [options]'])
  })
})

describe('the built agent-reach doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-empty-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function start(cwd: string, ...argv: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [command, 'doctor', ...argv], { cwd, encoding: 'utf8' })
  }

  it('looks at a set-up in a process of its own', () => {
    writeFileSync(program.at('good.mjs'), goodSetup)
    writeFileSync(program.at('bad.mjs'), goodSetup.replace('new AgentReachProcessor(), ', ''))
    const good = start(program.folder, '--import', './good.mjs')
    expect([good.status, good.stderr]).toEqual([0, ''])
    expect(good.stdout).not.toMatch(/^(?:warn|fail)/mu)
    expect(start(program.folder, '--import', './bad.mjs').status).toBe(1)
    expect(start(program.folder, '--import', './none.mjs').status).toBe(2)
  })

  it('fails in a folder in which nothing is installed', () => {
    const { status, stdout } = start(folder)
    expect(status).toBe(1)
    expect(stdout).toContain(`fail  no @opentelemetry/api in node_modules of ${folder} or above: `)
  })
})

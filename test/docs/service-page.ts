import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { command as agentReach } from '../build-dist.ts'
import { spanId } from '../chain/trace-script.ts'
import { root } from './snippets.ts'
import { createTraces } from './traces.ts'

/** Where the pages say that the service listens, and in which folder they are. */
const PAGE_URL = 'http://127.0.0.1:4318'
const PAGE_FOLDER = '/srv/agent'

/** Ends what hangs; on a busy machine a command takes seconds. */
const LONGEST_MS = 90_000

/** A line of a shell block, with what its comment promises. */
export interface PageLine {
  readonly command: string
  /** The exit code. */
  readonly code: number
  /** The status of the answer, for `curl`; `null` for any that is no refusal. */
  readonly status: number | null
}

/** What became of a line. */
export interface PageOutcome {
  readonly code: number | null
  /** Of the answer, for `curl`. */
  readonly status: number | null
  /** Standard output; of a service that was started the line of its log that says so. */
  readonly output: string
  readonly stderr: string
}

/** The lines of a shell block. A comment that begins with `exit 28` or with `404` says what is expected. */
export function readPageLines(text: string): readonly PageLine[] {
  return text.split('\n').flatMap((raw) => {
    const [command = '', comment = ''] = raw.split(/(?:^|\s+)#\s+/u)
    if (command.trim() === '') return []
    const code = Number(/^exit (\d+)/u.exec(comment)?.[1] ?? 0)
    const status = /^(\d{3})\b/u.exec(comment)?.[1]
    return [{ command, code, status: status === undefined ? null : Number(status) }]
  })
}

/** The packages of this checkout, and the package that it is, as they lie in a project that has installed them. */
function installPackages(folder: string): void {
  mkdirSync(folder)
  const from = join(root, 'node_modules')
  for (const name of readdirSync(from)) symlinkSync(join(from, name), join(folder, name))
  symlinkSync(root, join(folder, 'agent-reach'))
}

/** A span that comes after the report of `traces.jsonl`. */
function createLateSpan(): string {
  const request = JSON.parse(createTraces()) as {
    resourceSpans: [{ scopeSpans: [{ spans: { spanId: string; name: string }[] }] }]
  }
  const [{ scopeSpans }] = request.resourceSpans
  scopeSpans[0].spans = scopeSpans[0].spans
    .filter(({ name }) => name === 'order_query')
    .map((span) => ({ ...span, spanId: spanId('late') }))
  return JSON.stringify(request)
}

/** A program that sends a run by the environment variables that every SDK knows. */
const AGENT = `import { trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] })
provider.register()
const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'greeter' }
trace.getTracer('agent').startSpan('greeter', { attributes }).end()
await provider.shutdown()
`

const FILES: Readonly<Record<string, string>> = {
  'traces.jsonl': createTraces(),
  'late.jsonl': createLateSpan(),
  'agent.mjs': AGENT,
  // Whatever else a line says, \`curl\` tells which status it got, and does not wait for ever.
  '.curlrc': 'silent\nshow-error\nmax-time = 60\nwrite-out = "%{stderr}status %{http_code}\\n"\n',
}

/** Runs the lines of one page: services in the background, on free ports, and what talks to them. */
export class ServicePage {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-reach-page-')))
  readonly #services: ChildProcess[] = []
  #url = PAGE_URL

  constructor() {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(this.#folder, name), text)
    installPackages(join(this.#folder, 'node_modules'))
    const bin = join(this.#folder, '.bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${agentReach}' "$@"\n`)
    chmodSync(join(bin, 'npx'), 0o755)
  }

  /** Where the service listens that was started last. */
  get url(): string {
    return this.#url
  }

  /** Runs a line. To sleep is to wait until all that came is reported, however long that takes on a busy machine. */
  async run(command: string): Promise<PageOutcome> {
    if (/^(?:\w+=\S+ )*npx agent-reach serve(?: |$)/u.test(command) && !command.includes(' --print-config')) {
      return this.#serve(command)
    }
    if (/^sleep \d+$/u.test(command)) return this.#waitForReports()
    const { status, stdout, stderr } = spawnSync('sh', ['-c', this.#toReal(command)], {
      cwd: this.#folder,
      encoding: 'utf8',
      env: this.#env(),
      timeout: LONGEST_MS,
    })
    const answered = /^status (\d+)$/mu.exec(stderr)?.[1]
    return {
      code: status,
      status: answered === undefined ? null : Number(answered),
      output: this.#toShown(stdout),
      stderr,
    }
  }

  /** Runs a program in JavaScript. */
  runProgram(text: string): PageOutcome {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', this.#toReal(text)],
      { cwd: this.#folder, encoding: 'utf8', timeout: LONGEST_MS },
    )
    return { code: status, status: null, output: this.#toShown(stdout), stderr }
  }

  /** Stops all services. @returns their exit codes */
  async stop(): Promise<readonly (number | null)[]> {
    const codes = await Promise.all(this.#services.map(stopProcess))
    rmSync(this.#folder, { recursive: true, force: true })
    return codes
  }

  async #serve(command: string): Promise<PageOutcome> {
    const onFreePort = command.includes('--port ')
      ? command.replace(/--port \d+/u, '--port 0')
      : `${command} --port 0`
    const child = spawn('sh', ['-c', `exec env ${onFreePort}`], {
      cwd: this.#folder,
      env: this.#env(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#services.push(child)
    process.once('exit', () => child.kill('SIGKILL'))
    const told: string[] = []
    const started = new Promise<string>((resolve) => {
      createInterface(child.stderr).on('line', (line) => {
        told.push(line)
        if (line.includes('"service started"')) resolve(line)
      })
    })
    const first = await Promise.race([started, once(child, 'exit')])
    if (typeof first !== 'string')
      return { code: child.exitCode, status: null, output: '', stderr: told.join('\n') }
    this.#url = (JSON.parse(first) as { url: string }).url
    return { code: 0, status: null, output: this.#toShown(first), stderr: '' }
  }

  async #waitForReports(): Promise<PageOutcome> {
    for (;;) {
      const answer = await fetch(`${this.#url}/api/v1/open`)
      const { items } = (await answer.json()) as { items: readonly unknown[] }
      if (items.length === 0) return { code: 0, status: null, output: '', stderr: '' }
      await delay(100)
    }
  }

  #env(): Readonly<Record<string, string>> {
    const bin = join(this.#folder, '.bin')
    return {
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      CURL_HOME: this.#folder,
      // What the pages show of open traces has to be asked for before they are closed, on a busy machine too.
      AGENT_REACH_SETTLE: '10s',
    }
  }

  #toReal(text: string): string {
    return text.replaceAll(PAGE_URL, this.#url)
  }

  #toShown(text: string): string {
    return text.replaceAll(this.#url, PAGE_URL).replaceAll(this.#folder, PAGE_FOLDER)
  }
}

async function stopProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit') as Promise<[number | null]>
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
  child.kill('SIGTERM')
  const [code] = await ended
  clearTimeout(timer)
  return code
}

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** How a program ended. */
export interface ProgramEnd {
  /** `null` where it was killed. */
  readonly code: number | null
  readonly output: string
  readonly millis: number
}

/** How a program is run. */
export interface ProgramOptions {
  /** Options of Node.js. */
  readonly flags?: readonly string[]
  /** Kills it with SIGKILL so many milliseconds after it has said `ready`. */
  readonly killAfterMillis?: number
}

/**
 * Prepares the package for programs in processes of their own, as it is in `src` now.
 *
 * @returns runs the text of a program to its end; `reach` in it is the package, `sdk` the trace SDK, `api` the API
 */
export function preparePrograms(): (text: string, options?: ProgramOptions) => Promise<ProgramEnd> {
  let folder = ''
  beforeAll(async () => {
    // Within the folder of the packages, so that they are found from there.
    folder = mkdtempSync(join(root, 'node_modules', '.agent-reach-'))
    const build = await rolldown({
      cwd: root,
      input: join(root, 'src/index.ts'),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    })
    await build.write({ dir: folder, format: 'esm', entryFileNames: 'index.mjs' })
    await build.close()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (text, options) => run(`${toImports(folder)}\n${text}`, options)
}

function toImports(folder: string): string {
  return `
    import * as api from '@opentelemetry/api'
    import * as sdk from '@opentelemetry/sdk-trace-node'
    import * as reach from ${JSON.stringify(join(folder, 'index.mjs'))}
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' }
    const tool = (name, result) => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.arguments': '{"id":"A"}',
      'gen_ai.tool.call.result': JSON.stringify(result),
    })
    const record = (options) => {
      const processor = new reach.AgentReachProcessor(options)
      const provider = new sdk.BasicTracerProvider({ spanProcessors: [processor] })
      return { processor, provider, tracer: provider.getTracer('test') }
    }
    const runAgent = (tracer, results = [{ status: 'shipped' }]) => {
      const span = tracer.startSpan('run', { attributes: agent })
      const below = api.trace.setSpan(api.ROOT_CONTEXT, span)
      for (const result of results) tracer.startSpan('q', { attributes: tool('q', result) }, below).end()
      return span
    }`
}

async function run(
  program: string,
  { flags = [], killAfterMillis }: ProgramOptions = {},
): Promise<ProgramEnd> {
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], { cwd: root })
  let output = ''
  let timer: NodeJS.Timeout | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (killAfterMillis === undefined || timer !== undefined || !output.includes('ready')) return
      timer = setTimeout(() => child.kill('SIGKILL'), killAfterMillis)
    })
  }
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  return { code, output, millis: performance.now() - started }
}

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startReceiver } from '../fixtures/harness/otlp-receiver.mjs'

const recipes = fileURLToPath(new URL('.', import.meta.url))

/** Environment variables that an application would have, so that each exporter finds the receiver. */
export function pointTo(url) {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    LANGFUSE_BASE_URL: url,
    LANGFUSE_PUBLIC_KEY: 'pk-lf-test',
    LANGFUSE_SECRET_KEY: 'sk-lf-test',
    TRACELOOP_BASE_URL: url,
    TRACELOOP_API_KEY: 'test',
    TRACELOOP_SYNC_ENABLED: 'false',
    TRACELOOP_TELEMETRY: 'false',
  }
}

/**
 * Runs the application of an install under one set-up, in a folder of its own.
 *
 * @param {string} install a folder of this one: `sdk-2`
 * @param {string} setup the set-up file in it: `node-sdk/after.mjs`; one that ends in `.cjs` is required
 * @param {Record<string, string>} [environment]
 * @returns the names of the spans that the exporter of the user brought to the receiver, sorted; the marks of the tool
 *   span; the reports in `chain-reports`; what the application printed
 */
export async function runSetup(install, setup, environment = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-reach-recipe-'))
  const receiver = await startReceiver()
  try {
    const path = join(recipes, install, setup)
    const args = setup.endsWith('.cjs')
      ? ['--require', path, join(recipes, install, 'app.cjs')]
      : ['--import', pathToFileURL(path).href, join(recipes, install, 'app.mjs')]
    const output = await runNode(args, { ...process.env, ...pointTo(receiver.url), ...environment }, folder)
    return {
      names: receiver.spans.map(({ name }) => name).sort(),
      marks: readMarks(receiver.spans),
      reports: await readReports(folder),
      paths: [...receiver.paths],
      output,
    }
  } finally {
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The state that the span of the tool is marked with. */
export function readMarks(spans) {
  return spans
    .filter(({ name }) => name === 'execute_tool order_query')
    .map(({ attributes }) => attributes['agent_reach.node.status'])
}

/** The reports below `chain-reports` of a folder. */
export async function readReports(folder) {
  const files = await readdir(join(folder, 'chain-reports'), { recursive: true }).catch(() => [])
  const reports = files.filter((name) => name.endsWith('.json'))
  return Promise.all(
    reports.map(async (name) => JSON.parse(await readFile(join(folder, 'chain-reports', name), 'utf8'))),
  )
}

async function runNode(args, env, cwd) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await new Promise((resolve) => {
    child.on('close', resolve)
  })
  clearTimeout(timer)
  const output = Buffer.concat(chunks).toString()
  if (code !== 0) throw new Error(`The application ended with ${code}:\n${output}`)
  return output
}

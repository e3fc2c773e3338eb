import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const example = fileURLToPath(new URL('../../../examples/support-agent/main.mjs', import.meta.url))
const pythonSender = fileURLToPath(new URL('../python/sender.py', import.meta.url))

/**
 * What a sender has sent.
 *
 * @typedef {object} SentRun
 * @property {string} traceId in hexadecimal
 * @property {number} spans how many there are
 * @property {any} [report] the report that was made in the program
 */

/**
 * Runs the example agent, through the SDK with `AgentReachProcessor`. It writes its spans to a file, too.
 *
 * @param {string} url where it sends to
 * @param {string | undefined} fault what is broken
 * @param {string} folder a new one
 * @returns {Promise<SentRun>}
 */
export async function runExample(url, fault, folder) {
  const file = join(folder, 'sent.jsonl')
  const broken = fault === undefined ? [] : ['--fault', fault]
  const args = [example, ...broken, '--endpoint', url, '--file', file, '--reports', folder]
  await run(process.execPath, args)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const ids = lines.flatMap((line) =>
    JSON.parse(line).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)),
    ),
  )
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'))
  const [report] = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return { traceId: report.trace_id, spans: new Set(ids).size, report }
}

/** Runs a program in another language, which knows nothing of agent-reach. */
async function runPlain([file, ...args], url, protocol) {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }
  const { stdout } = await run(file, args, { env: { ...process.env, ...variables } })
  return JSON.parse(stdout)
}

/**
 * Runs the sender in Python.
 *
 * @param {string} python the interpreter
 * @param {'broken' | 'healthy'} kind of the run
 * @returns {Promise<SentRun>}
 */
export const runPython = (python, { url }, kind) =>
  runPlain([python, pythonSender, kind], url, 'http/protobuf')

/**
 * Runs the sender in Go.
 *
 * @param {string} binary of it
 * @param {'broken' | 'healthy'} kind of the run
 * @param {'grpc' | 'http/protobuf'} protocol what it speaks
 * @returns {Promise<SentRun>}
 */
export const runGo = (binary, { url, grpcUrl }, kind, protocol) =>
  runPlain([binary, kind], protocol === 'grpc' ? grpcUrl : url, protocol)

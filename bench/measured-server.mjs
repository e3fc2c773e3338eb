// Servers as processes of their own, whose CPU time and memory can be asked for.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname
const execArgv = ['--import', join(here, 'tell-usage.mjs')]

/** Starts the server that only inflates. */
export async function startInflateServer() {
  const child = fork(join(here, 'inflate-server.mjs'), [], { execArgv })
  const [{ port }] = await once(child, 'message')
  return toServer(child, port, () => {})
}

/**
 * Starts `agent-reach serve` with a store of its own.
 *
 * @param {readonly string[]} options
 * @param {{folder?: string, nodeOptions?: readonly string[]}} [place]
 */
export async function startService(options, { folder = tmpdir(), nodeOptions = [] } = {}) {
  const scratch = mkdtempSync(join(folder, 'agent-reach-service-'))
  const args = ['serve', '--port', '0', '--store', join(scratch, 'reports.db'), ...options]
  const child = fork(join(here, '../dist/esm/cli/main.js'), args, {
    execArgv: [...execArgv, ...nodeOptions],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const port = await readPort(child)
  return toServer(child, port, () => rmSync(scratch, { recursive: true, force: true }))
}

function readPort(child) {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr.on('data', (chunk) => {
      log += chunk
      const port = /127\.0\.0\.1:(\d+)/u.exec(log)?.[1] ?? /"port":(\d+)/u.exec(log)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', () => reject(new Error(`The service did not start: ${log}`)))
  })
}

function toServer(child, port, remove) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    port,
    usage: () => ask(child, 'usage'),
    memory: () => ask(child, 'memory'),
    send: (call) => send({ agent, port, ...call }),
    async stop() {
      agent.destroy()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      remove()
    },
  }
}

async function ask(child, what) {
  child.send(what)
  const [answer] = await once(child, 'message')
  return answer
}

function send({ agent, port, path = '/v1/traces', method = 'POST', headers = {}, body = null }) {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': body.length }
    const message = request({
      host: '127.0.0.1',
      port,
      agent,
      path,
      method,
      headers: { ...headers, ...length },
    })
    message.on('error', reject)
    message.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    message.end(body)
  })
}

/** Sends requests, so many at a time; fails where one is not taken. */
export async function sendAll(server, requests, parallel) {
  const rest = requests[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const one of rest) await sendOne(server, one)
    }),
  )
}

/** @returns how long the answer took, in milliseconds */
export async function sendOne(server, one) {
  const started = performance.now()
  const { status } = await server.send(one)
  if (status !== 200) throw new Error(`A request was answered with ${status}`)
  return performance.now() - started
}

/** One of the metrics of the service; 0 where it is not there. */
export async function readMetric(server, name) {
  const { text } = await server.send({ path: '/metrics', method: 'GET' })
  return Number(new RegExp(`^${name} (\\S+)$`, 'mu').exec(text)?.[1] ?? 0)
}

/** Waits until so many traces have been closed. */
export async function waitForReports(server, count) {
  for (;;) {
    const closed = await readMetric(server, 'agent_reach_traces_closed_total')
    if (closed >= count) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The value below which so large a share of the numbers lies. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

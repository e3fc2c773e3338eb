// The report service as it is shipped, in a process of its own, and requests to it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url))

/** Bounds only what hangs: the machine may be busy. */
const START_MS = 60_000

/**
 * Starts the service and waits until it listens.
 *
 * @param {{ store: string, port?: number, options?: string[], wrapper?: string[] }} settings the wrapper is a command
 *   that runs the one behind it
 */
export async function startService({ store, port = 0, options = [], wrapper = [] }) {
  const args = [command, 'serve', '--store', store, '--port', String(port), '--settle', '1s', ...options]
  const [file, ...rest] = [...wrapper, process.execPath, ...args]
  const child = spawn(file, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines = []
  let text = ''
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const started = new Promise((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (piece) => {
      text += piece
      const parts = text.split('\n')
      text = parts.pop()
      for (const line of parts) {
        if (lines.length < 10_000) lines.push(line)
        if (line.includes('service started')) resolve(JSON.parse(line))
      }
    })
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const first = await Promise.race([started, ended])
  clearTimeout(timer)
  if (first.url === undefined) {
    throw new ServiceRefusedError([...lines, text].join('\n').trim(), first.code)
  }
  const end = async (signal) => {
    child.kill(signal)
    return ended
  }
  return {
    url: first.url,
    port: Number(new URL(first.url).port),
    pid: first.pid,
    lines,
    ended,
    /** @returns the exit code; `null` where it had to be killed */
    stop: async () => (await end('SIGTERM')).code,
    kill: () => end('SIGKILL'),
  }
}

/** The service did not start. */
export class ServiceRefusedError extends Error {
  constructor(output, code) {
    super(`Cannot start the service: it ended with ${code}: ${output}`)
    this.code = code
  }
}

/** Peak of what the process has in memory, in bytes. Linux only. */
export function peakBytes(pid) {
  const found = /^VmHWM:\s+(?<kib>\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found.groups.kib) * 1024
}

/** Runs `agent-reach store` on a store that no service has open. */
export function runStore(action, store) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, 'store', action, '--store', store],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  return { status, output: `${stdout}${stderr}`.trim() }
}

/**
 * Sends one request on a connection of its own.
 *
 * @param {{ method?: string, headers?: object, body?: Buffer | Iterable<Buffer> | null }} options pieces are sent
 *   without a length
 */
export function send(url, { method = 'GET', headers = {}, body = null } = {}) {
  return new Promise((resolve, reject) => {
    const isWhole = Buffer.isBuffer(body)
    const length = isWhole ? { 'content-length': body.length } : {}
    const message = request(url, {
      method,
      agent: false,
      headers: { ...headers, ...length },
      timeout: 120_000,
    })
    let hasAnswer = false
    message.on('timeout', () => message.destroy(new Error('no answer')))
    // A server that has answered may close before it has read all: that is no failure.
    message.on('error', (error) => {
      if (!hasAnswer) reject(error)
    })
    message.on('response', (answer) => {
      hasAnswer = true
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) })
      })
    })
    if (body === null || isWhole) message.end(body ?? undefined)
    else writeAll(message, body).catch(reject)
  })
}

async function writeAll(message, pieces) {
  for (const piece of pieces) {
    if (message.destroyed) return
    if (!message.write(piece)) await waitForDrain(message)
  }
  message.end()
}

/** Whatever comes first of what may happen to a request that is written. */
async function waitForDrain(message) {
  const over = new AbortController()
  const { signal } = over
  await Promise.race([once(message, 'drain', { signal }), once(message, 'close', { signal })]).catch(() => {})
  over.abort()
}

/** Sends spans as `encodeSpans` gives them. */
export const sendSpans = (url, encoded) =>
  send(new URL('/v1/traces', url), { method: 'POST', headers: encoded.headers, body: encoded.body })

/** The status of a path. */
export const statusOf = async (url, path) => (await send(new URL(path, url))).status

/** The answer of a path, as JSON. */
export const readJson = async (url, path) => JSON.parse((await send(new URL(path, url))).body.toString())

import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startReceiver } from '../fixtures/harness/otlp-receiver.mjs'
import { pointTo, readMarks, readReports } from './run-setup.mjs'

const app = fileURLToPath(new URL('next/', import.meta.url))
const command = join(app, 'node_modules/next/dist/bin/next')

/**
 * Builds the Next.js application with this text as its `instrumentation.ts`, starts it, asks it once, and stops it.
 *
 * @param {string} instrumentation
 * @param {{ awaitsReport?: boolean }} [options] whether a report is waited for, for at most 20 seconds
 * @returns what `runSetup` returns
 */
export async function runNext(instrumentation, { awaitsReport = false } = {}) {
  const receiver = await startReceiver()
  const env = {
    ...process.env,
    ...pointTo(receiver.url),
    NEXT_TELEMETRY_DISABLED: '1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  await rm(join(app, 'chain-reports'), { recursive: true, force: true })
  await writeFile(join(app, 'instrumentation.ts'), instrumentation)
  try {
    const build = start(['build'], env)
    if ((await build.ended) !== 0) throw new Error(`Cannot build the application:\n${build.output()}`)
    const port = await findFreePort()
    const server = start(['start', '--port', String(port)], env)
    try {
      await ask(`http://127.0.0.1:${port}/api/agent`, server)
      await waitUntilStill(receiver.spans)
      if (awaitsReport) await waitForReport()
    } finally {
      server.child.kill('SIGTERM')
      await server.ended
    }
    return {
      names: receiver.spans.map(({ name }) => name).sort(),
      marks: readMarks(receiver.spans),
      reports: await readReports(app),
      output: server.output(),
    }
  } finally {
    await receiver.close()
    await rm(join(app, 'instrumentation.ts'), { force: true })
    await rm(join(app, 'chain-reports'), { recursive: true, force: true })
  }
}

function start(args, env) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const ended = new Promise((resolve) => {
    child.on('close', resolve)
  })
  return { child, ended, output: () => Buffer.concat(chunks).toString() }
}

/** Asks until the server listens, for at most 30 seconds. */
async function ask(url, server) {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return answer.text()
    if (answer !== undefined) throw new Error(`${url} answers ${answer.status}:\n${server.output()}`)
    if (server.child.exitCode !== null) break
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
  }
  throw new Error(`${url} does not answer:\n${server.output()}`)
}

async function waitForReport() {
  for (let waits = 0; waits < 200 && (await readReports(app)).length === 0; waits++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
  }
}

/** Waits until spans came and no more have come for a second: some end after the answer. */
async function waitUntilStill(spans) {
  for (let seen = -1; spans.length === 0 || spans.length > seen;) {
    seen = spans.length
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000)
    })
  }
}

async function findFreePort() {
  const server = createServer()
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}

// The report service beside the Collector with nothing between OTLP in and a file out: spans a second and core of both,
// for the same requests in turns. CPU time of the service counts from the first request until the last report is stored,
// in the thread of its judge too; that of the Collector until its file has the last span.
//
//   node bench/pipeline.bench.mjs [--requests 400] [--rounds 5] [--parallel 4]
//
// Builds the Collector with Go at first. A request is a whole trace of 30 spans.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildCollector } from '../test/e2e/binaries/programs.mjs'
import { findFreePorts } from '../test/e2e/pipeline/find-free-ports.mjs'
import { quantile, sendAll, startService, waitForReports } from './measured-server.mjs'
import { createRequests } from './service-requests.mjs'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '5' },
    parallel: { type: 'string', default: '4' },
  },
})
const count = Number(values.requests)
const rounds = Number(values.rounds)
const parallel = Number(values.parallel)
const SPANS = 30
const WARM_UP = 300
/** What `getconf CLK_TCK` says on every Linux of today. */
const TICKS_PER_SECOND = 100

const binary = await buildCollector()
const warmUp = createRequests(WARM_UP, { seed: 2 })
const requests = createRequests(count)

const sides = {
  'collector, JSON': () => startCollector('json'),
  'collector, protobuf': () => startCollector('proto'),
  service: startMeasuredService,
}
const measured = []
for (let round = 0; round < rounds; round++) {
  const names = Object.keys(sides)
  const turn = round % 2 === 0 ? names : names.toReversed()
  const found = {}
  for (const name of turn) found[name] = await measure(sides[name])
  measured.push(found)
}
const median = (name) =>
  quantile(
    measured.map((round) => round[name]),
    0.5,
  )
for (const name of Object.keys(sides)) {
  const ms = median(name)
  const ratios = measured.map((round) => round[name] / round.service)
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2))
  console.log(
    `${name.padEnd(20)} ${ms.toFixed(2)} ms of CPU a request, ${Math.round((SPANS * 1_000) / ms)} spans a second and core; ` +
      `the service has ${middle} (${low} to ${high}) of its rate`,
  )
}

async function measure(start) {
  const server = await start()
  try {
    await sendAll(server, warmUp, parallel)
    await server.settled(WARM_UP)
    const before = await server.cpuMs()
    await sendAll(server, requests, parallel)
    await server.settled(WARM_UP + count)
    return ((await server.cpuMs()) - before) / count
  } finally {
    await server.stop()
  }
}

async function startMeasuredService() {
  const server = await startService(['--settle', '50ms', '--log-level', 'info', '--max-requests', '512'])
  return {
    ...server,
    cpuMs: async () => (await server.usage()).cpuMs,
    settled: (requestCount) => waitForReports(server, requestCount),
  }
}

async function startCollector(format) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-collector-'))
  const [port, health] = await findFreePorts(2)
  const config = {
    extensions: { health_check: { endpoint: `127.0.0.1:${health}` } },
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: join(folder, 'spans'), format, rotation: { max_megabytes: 10_000 } } },
    service: {
      extensions: ['health_check'],
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } },
    },
  }
  const child = spawn(binary, ['--config', `yaml:${JSON.stringify(config)}`], { stdio: 'ignore' })
  await waitForHealth(health)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    send: (call) => post({ agent, port, ...call }),
    cpuMs: async () => readCpuMs(child.pid),
    settled: () => waitForQuiet(folder),
    async stop() {
      agent.destroy()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function waitForHealth(port) {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error('The Collector did not start')
}

/** Its file is flushed once a second. */
async function waitForQuiet(folder) {
  const sizeOf = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  for (let size = -1; size !== sizeOf();) {
    size = sizeOf()
    await sleep(1_200)
  }
}

function readCpuMs(pid) {
  // The name of the program may hold spaces; what is counted stands behind it.
  const [, rest = ''] = /\) (.*)$/u.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').trim()) ?? []
  const fields = rest.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}

function post({ agent, port, headers, body }) {
  return new Promise((resolve, reject) => {
    const message = request({
      host: '127.0.0.1',
      port,
      agent,
      path: '/v1/traces',
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
    })
    message.on('error', reject)
    message.on('response', (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode }))
    })
    message.end(body)
  })
}

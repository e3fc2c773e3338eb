// What the report service costs: CPU time from a compressed request to its stored report beside a server that only
// inflates, spans per second and core, and how soon requests are acknowledged while they come at half of that rate.
// Servers are processes of their own; the load comes from this one.
//
//   node bench/server.bench.mjs [--requests 300] [--rounds 7] [--parallel 4] [--profile DIR]
//
// A request is a whole trace of 30 spans, so its report is made and stored while it is measured. What counts is the
// median of the ratios of the rounds, in each of which both servers take the same requests in turn.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  quantile,
  sendAll,
  sendOne,
  startInflateServer,
  startService,
  waitForReports,
} from './measured-server.mjs'
import { createRequests } from './service-requests.mjs'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '7' },
    parallel: { type: 'string', default: '4' },
    profile: { type: 'string', default: '' },
  },
})
const count = Number(values.requests)
const rounds = Number(values.rounds)
const parallel = Number(values.parallel)
const WARM_UP = 400
const SPANS = 30
const options = ['--settle', '50ms', '--log-level', 'info', '--max-requests', '512']
const nodeOptions = values.profile === '' ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile]

const warmUp = createRequests(WARM_UP, { seed: 2 })
const requests = createRequests(count)
const plain = createRequests(20, { gzip: false })
const sizeOf = (list) => Math.round(list.reduce((sum, { body }) => sum + body.length, 0) / list.length / 1e3)
console.log(
  `Node ${process.version}; requests of ${SPANS} spans, ${sizeOf(plain)} KB, ${sizeOf(requests)} KB compressed`,
)

const measured = []
for (let round = 0; round < rounds; round++) {
  const [first, second] = round % 2 === 0 ? ['inflate', 'service'] : ['service', 'inflate']
  measured.push({ [first]: await measure(first), [second]: await measure(second) })
}
const cpuOf = (side) =>
  quantile(
    measured.map((pair) => pair[side].cpuMs / count),
    0.5,
  )
const ratios = measured.map(({ inflate, service }) => service.cpuMs / inflate.cpuMs)
const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2))
const capacity = 1_000 / cpuOf('service')
console.log(
  `CPU a request: inflate ${cpuOf('inflate').toFixed(2)} ms, to a stored report ${cpuOf('service').toFixed(2)} ms, ` +
    `${middle}x (${low} to ${high})`,
)
console.log(`spans a second of one core: ${Math.round(capacity * SPANS)}`)
const elapsed = quantile(
  measured.map(({ service }) => service.elapsedMs / count),
  0.5,
)
console.log(`requests a second with ${parallel} at a time, reports stored: ${Math.round(1_000 / elapsed)}`)
await measureLatency(500 / elapsed)

/** CPU and wall time of a fresh server from the first request until the last report is stored. */
async function measure(side) {
  const server =
    side === 'inflate' ? await startInflateServer() : await startService(options, { nodeOptions })
  const waitFor = side === 'inflate' ? async () => {} : waitForReports
  try {
    await sendAll(server, warmUp, parallel)
    await waitFor(server, WARM_UP)
    const before = await server.usage()
    const started = performance.now()
    await sendAll(server, requests, parallel)
    await waitFor(server, WARM_UP + count)
    const after = await server.usage()
    return { cpuMs: after.cpuMs - before.cpuMs, elapsedMs: performance.now() - started }
  } finally {
    await server.stop()
  }
}

/** Requests leave at their moments, whether the ones before are answered or not; waiting counts from there. */
async function measureLatency(perSecond) {
  const server = await startService(options)
  try {
    await sendAll(server, warmUp, parallel)
    await waitForReports(server, WARM_UP)
    const started = performance.now()
    const waits = await Promise.all(
      requests.map(async (one, index) => {
        const due = (index * 1_000) / perSecond
        await sleep(Math.max(0, started + due - performance.now()))
        await sendOne(server, one)
        return performance.now() - started - due
      }),
    )
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(waits, share).toFixed(1))
    console.log(`acknowledged at ${Math.round(perSecond)} requests a second: p50 ${p50} ms, p99 ${p99} ms`)
  } finally {
    await server.stop()
  }
}

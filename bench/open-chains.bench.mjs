// What open traces cost the report service in memory: 10,000 of 40 steps each that no report has seen, beside the same
// service when it is idle. Then the longest wait for an answer of /healthz while one very long trace is closed.
//
//   node bench/open-chains.bench.mjs [--traces 10000] [--steps 40] [--long 100000]
//
// The spans are small: their content lies in the store, not in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { encodeSpans } from '../test/soak/encode-spans.mjs'
import { quantile, readMetric, sendAll, startService, waitForReports } from './measured-server.mjs'

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '10000' },
    steps: { type: 'string', default: '40' },
    long: { type: 'string', default: '100000' },
  },
})
const TRACES_PER_REQUEST = 10
const STEPS_PER_REQUEST = 1_000
const PARALLEL = 4
const QUIET_MS = 5_000
const KNOWN_TRACES = 200
const nodeOptions = ['--expose-gc']
const ROOT = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' }

if (Number(values.traces) > 0) await measureMemory(Number(values.traces), Number(values.steps))
if (Number(values.long) > 0) await measureLongTrace(Number(values.long))

async function measureMemory(traces, steps) {
  const server = await startService(['--settle', '1h', '--idle', '1h'], { nodeOptions })
  try {
    await sendAll(server, createRequests(KNOWN_TRACES, steps, 1), PARALLEL)
    const idle = await settled(server)
    // The same load again and again: it opens nothing, and leaves behind what any load does.
    for (let sent = 0; sent < traces; sent += KNOWN_TRACES) {
      await sendAll(server, createRequests(KNOWN_TRACES, steps, 1), PARALLEL)
    }
    const loaded = await settled(server)
    await sendAll(server, createRequests(traces, steps, 2), PARALLEL)
    const full = await settled(server)
    const open = (await readMetric(server, 'agent_reach_open_traces')) - KNOWN_TRACES
    const before = await server.usage()
    await sleep(QUIET_MS)
    const after = await server.usage()
    const grown = (what, from) => `${((full[what] - from[what]) / 1e6).toFixed(0)} MB`
    console.log(
      `${open} open traces of ${steps} steps: resident ${grown('rss', idle)} over the idle service ` +
        `(${(idle.rss / 1e6).toFixed(0)} MB), ${grown('rss', loaded)} over one that has taken as much and has none open; ` +
        `heap ${grown('heapUsed', loaded)}, ${Math.round((full.heapUsed - loaded.heapUsed) / open)} bytes each`,
    )
    const idleShare = (after.cpuMs - before.cpuMs) / QUIET_MS
    console.log(`with them open and nothing coming in: ${(100 * idleShare).toFixed(1)} % of a core`)
  } finally {
    await server.stop()
  }
}

/** What the service holds when it has been left alone for a second. */
async function settled(server) {
  await sleep(1_000)
  return await server.memory()
}

/** @yields requests with some traces each; what differs is the id of a trace, which is set in copies of one body */
function* createRequests(traces, steps, series) {
  const spans = createSpans('ab'.repeat(16), steps, 0, steps)
  const { body, headers } = encodeSpans(spans, { json: false, gzip: false })
  const mark = Buffer.alloc(16, 0xab)
  const places = []
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 16)) places.push(at)
  for (let first = 0; first < traces; first += TRACES_PER_REQUEST) {
    const copies = Array.from({ length: Math.min(TRACES_PER_REQUEST, traces - first) }, (_, index) => {
      const copy = Buffer.from(body)
      const id = Buffer.from(`${series}${(first + index).toString().padStart(31, '0')}`, 'hex')
      for (const place of places) id.copy(copy, place)
      return copy
    })
    yield { body: Buffer.concat(copies), headers }
  }
}

/** Steps of one run, from one number to another; the root is number 0. */
function createSpans(traceId, steps, from, to) {
  const idOf = (number) => (number + 1).toString(16).padStart(16, '0')
  return Array.from({ length: to - from }, (_, index) => {
    const number = from + index
    const isRoot = number === 0
    const startMs = 1_764_460_800_000 + number * 10
    return {
      traceId,
      spanId: idOf(number),
      parentSpanId: isRoot ? null : idOf(0),
      name: isRoot ? 'invoke_agent support' : `execute_tool find_${number % 7}`,
      startMs,
      endMs: isRoot ? startMs + steps * 10 : startMs + 8,
      attributes: isRoot ? ROOT : toTool(number),
    }
  })
}

function toTool(number) {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': `find_${number % 7}`,
    'gen_ai.tool.call.arguments': JSON.stringify({ order: `A-${number}`, page: number % 3 }),
    'gen_ai.tool.call.result': JSON.stringify({
      order: `A-${number}`,
      state: 'shipped',
      parcels: number % 5,
    }),
  }
}

/** Asks one thing after the other until it is told to stop, and tells how long the answers took. */
function probe(server) {
  const waits = []
  const state = { isOver: false }
  const done = (async () => {
    while (!state.isOver) {
      const started = performance.now()
      await server.send({ path: '/healthz', method: 'GET' })
      waits.push(performance.now() - started)
      await sleep(5)
    }
    return waits
  })()
  return () => {
    state.isOver = true
    return done
  }
}

async function measureLongTrace(steps) {
  const server = await startService(['--settle', '1s'])
  try {
    const requests = []
    for (let from = 0; from < steps; from += STEPS_PER_REQUEST) {
      const spans = createSpans('cd'.repeat(16), steps, from, Math.min(steps, from + STEPS_PER_REQUEST))
      // The root comes last, so that nothing is closed before everything is there.
      requests.unshift(encodeSpans(spans, { json: false, gzip: true }))
    }
    const stop = probe(server)
    await sendAll(server, requests, 1)
    await waitForReports(server, 1)
    const waits = await stop()
    const [p50, longest] = [quantile(waits, 0.5), Math.max(...waits)].map((ms) => ms.toFixed(0))
    console.log(`a trace of ${steps} steps is closed: /healthz answers in ${p50} ms, once in ${longest} ms`)
  } finally {
    await server.stop()
  }
}

// One process of the processor benchmark: measures one dialect with the SDK of a folder and prints what it found as JSON.
//
//   node bench/processor-slices.mjs --folder DIR --dialect gen-ai [--rounds 60] [--traces 15] [--large 200] [--size 1000000]
//   [--encode]
//
// DIR has an adapter `sdk.mjs` as the fixtures have it, the SDK that this names, and agent-reach. `--only` runs slices of
// one pipeline alone, for a profiler; `--encode` has the exporters encode what they get.
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createLargeSpans, createTraces } from './processor-workload.mjs'

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    dialect: { type: 'string' },
    rounds: { type: 'string', default: '60' },
    traces: { type: 'string', default: '15' },
    large: { type: 'string', default: '200' },
    size: { type: 'string', default: '1000000' },
    encode: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const tracesPerSlice = Number(values.traces)
const { api, batch, createProvider, importPackage } = await import(
  pathToFileURL(resolve(join(values.folder, 'sdk.mjs'))).href
)
const { AgentReachProcessor } = await importPackage()

const SPANS_PER_TRACE = 40

/** Rounds before the first that counts. */
const WARM_UP = 10

/** Slices of the three pipelines in every order, so that what one leaves behind meets each of the others alike. */
const orders = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
  [1, 0, 2],
  [0, 2, 1],
]

/** As OTLP exporters encode what they send; the transformer is there with the exporters of a fixture. */
function loadEncoder() {
  const require = createRequire(pathToFileURL(resolve(join(values.folder, 'sdk.mjs'))))
  const { ProtobufTraceSerializer } = require('@opentelemetry/otlp-transformer')
  return (spans) => ProtobufTraceSerializer.serializeRequest(spans)
}

const encode = values.encode ? loadEncoder() : null

/** Counts and answers at once, unless it has to encode. */
function createCountingExporter() {
  const exporter = {
    spans: 0,
    export(spans, done) {
      exporter.spans += spans.length
      encode?.(spans)
      done({ code: 0 })
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  return exporter
}

/** Counts and lets go. */
function createDroppingSink() {
  const sink = {
    reports: 0,
    sample: null,
    write(report) {
      sink.reports++
      sink.sample = report
      return Promise.resolve()
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return sink
}

function createPipeline(name, processor, sink = null) {
  const exporter = createCountingExporter()
  const batching = batch(exporter)
  const provider = createProvider({
    processors: processor === null ? [batching] : [batching, processor],
    resource: { 'service.name': 'bench' },
  })
  return { name, exporter, batching, processor, sink, tracer: provider.getTracer('bench') }
}

const sink = createDroppingSink()
const pipelines = [
  createPipeline('batch', null),
  createPipeline('marks', new AgentReachProcessor({ reports: false })),
  createPipeline('report', new AgentReachProcessor({ reports: sink }), sink),
]

/** Sets one attribute at a time, as instrumentations do. */
function setAttributes(span, attributes) {
  for (const key in attributes) span.setAttribute(key, attributes[key])
}

function record(tracer, { name, kind, start, end, inner }, parent) {
  const span = tracer.startSpan(name, { kind, attributes: start }, parent)
  if (inner.length > 0) {
    const below = api.trace.setSpan(parent, span)
    for (const each of inner) record(tracer, each, below)
  }
  setAttributes(span, end)
  span.end()
}

/** CPU time of this process so far, that of its garbage collector included, in microseconds. */
function readCpuMicros() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * Records traces and exports them; then closes what there is to close. What is measured is CPU time: where other
 * programs take their turns on the same cores, a long slice is interrupted more often than a short one.
 *
 * @returns microseconds until all spans were exported, and until all reports were handed over
 */
async function runSlice({ tracer, batching, processor }, traces) {
  const started = readCpuMicros()
  for (const trace of traces) record(tracer, trace, api.ROOT_CONTEXT)
  await batching.forceFlush()
  const exported = readCpuMicros()
  if (processor !== null) await processor.forceFlush()
  return { exported: exported - started, closed: readCpuMicros() - started }
}

/** Each pipeline goes over all traces in the same order, but no two of them over the same traces at the same time. */
function takeTraces(pool, round, turn) {
  const from = (round * tracesPerSlice + Math.floor((turn * pool.length) / 3)) % pool.length
  return Array.from({ length: tracesPerSlice }, (_, n) => pool[(from + n) % pool.length])
}

async function runRounds(pool, from, count) {
  const taken = []
  for (let round = from; round < from + count; round++) {
    const slices = []
    for (const turn of orders[round % orders.length]) {
      if (values.only !== undefined && pipelines[turn].name !== values.only) continue
      slices[turn] = await runSlice(pipelines[turn], takeTraces(pool, round, turn))
    }
    taken.push(slices)
  }
  return taken
}

const quantile = (list, share) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)]
const quartiles = (list) => [0.25, 0.5, 0.75].map((share) => quantile(list, share))
const sum = (list) => list.reduce((total, each) => total + each, 0)

function compare(taken, turn, until) {
  const spans = tracesPerSlice * SPANS_PER_TRACE
  return {
    ratio: quartiles(taken.map((slices) => slices[turn][until] / slices[0].exported)),
    ratioOfSums:
      sum(taken.map((slices) => slices[turn][until])) / sum(taken.map((slices) => slices[0].exported)),
    addedMicros: quantile(
      taken.map((slices) => (slices[turn][until] - slices[0].exported) / spans),
      0.5,
    ),
  }
}

/** Throws where a pipeline did not do what it is measured for. */
function checkPipelines() {
  const traces = (rounds + WARM_UP) * tracesPerSlice
  for (const { name, exporter, processor } of pipelines) {
    if (exporter.spans !== traces * SPANS_PER_TRACE)
      throw new Error(`${name}: ${exporter.spans} spans exported`)
    if ((processor?.swallowedErrors ?? 0) > 0) throw new Error(`${name}: errors were swallowed`)
  }
  const { reports, sample } = sink
  if (reports !== traces) throw new Error(`${reports} reports of ${traces} traces`)
  const { overall_status: status, step_count: steps } = sample
  if (status !== 'success' || steps !== 32) throw new Error(`A report of ${steps} steps says ${status}`)
}

/**
 * Milliseconds of `end()` alone, in turns with and without agent-reach: of wall time and CPU time the shorter. The one is
 * longer where another program has its turn in between, the other where the garbage collector works beside.
 */
function measureEnds(spans) {
  const taken = [[], []]
  for (let n = 0; n < Number(values.large) + 20; n++) {
    const { name, kind, start, end } = spans[n % spans.length]
    for (const turn of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const { tracer } = pipelines[turn]
      const root = tracer.startSpan('invoke_agent', {
        attributes: { 'gen_ai.operation.name': 'invoke_agent' },
      })
      const span = tracer.startSpan(
        name,
        { kind, attributes: start },
        api.trace.setSpan(api.ROOT_CONTEXT, root),
      )
      setAttributes(span, end)
      const cpuMicros = readCpuMicros()
      const started = performance.now()
      span.end()
      const wallMs = performance.now() - started
      if (n >= 20) taken[turn].push(Math.min(wallMs, (readCpuMicros() - cpuMicros) / 1_000))
      root.end()
    }
  }
  const [without, withUs] = taken.map((list) => ({ median: quantile(list, 0.5), p99: quantile(list, 0.99) }))
  return { without, with: withUs }
}

function measureLarge() {
  if (values.large === '0') return null
  const { tools, models } = createLargeSpans(values.dialect, Number(values.size), 24)
  return { tool: measureEnds(tools), model: measureEnds(models) }
}

const pool = createTraces(values.dialect, 150)
await runRounds(pool, 0, WARM_UP)
const taken = await runRounds(pool, WARM_UP, rounds)
if (values.only === undefined) {
  checkPipelines()
  const base = quantile(
    taken.map(([alone]) => alone.exported / (tracesPerSlice * SPANS_PER_TRACE)),
    0.5,
  )
  const measured = {
    baseMicros: base,
    marks: compare(taken, 1, 'exported'),
    marksClosed: compare(taken, 1, 'closed'),
    report: compare(taken, 2, 'closed'),
    large: measureLarge(),
  }
  process.stdout.write(`${JSON.stringify(measured)}\n`)
}

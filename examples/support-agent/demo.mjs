import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faults } from './faults.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const AGENT = join('examples', 'support-agent', 'main.mjs')
const COMMAND = join('dist', 'esm', 'cli', 'main.js')
const TRACES = join('.demo', 'traces')
const REPORTS = join('.demo', 'chain-reports')

if (existsSync(join(ROOT, COMMAND))) {
  process.exitCode = showRuns()
} else {
  console.error(`${COMMAND} is missing: run "npm run build" first`)
  process.exitCode = 1
}

/**
 * Runs the healthy chain and each broken one, each of which shows its answer and the report that agent-reach made of
 * it while it ran, and at last the gate that a build would run over the recorded spans. With
 * OTEL_EXPORTER_OTLP_ENDPOINT the spans go there, too.
 * @returns {number} 0, or the exit code of what did not end as it should
 */
function showRuns() {
  // Reports of an earlier demo would stand beside those of this one.
  for (const path of [TRACES, REPORTS]) rmSync(join(ROOT, path), { recursive: true, force: true })
  const codes = [
    showRun('healthy', 'nothing is broken', []),
    ...faults.map(({ name, what }) => showRun(name, what, ['--fault', name])),
  ]
  console.log('\nThe same as a gate in CI, which fails the build:\n')
  const gate = run(COMMAND, ['check', TRACES, '--quiet'])
  console.log(`\nexit ${gate}. The reports are in ${REPORTS}.`)
  return codes.find((code) => code !== 0) ?? (gate === 1 ? 0 : 1)
}

/**
 * @param {string} name
 * @param {string} what what is broken
 * @param {readonly string[]} options of the agent
 */
function showRun(name, what, options) {
  console.log(`\n── ${name}: ${what}\n`)
  return run(AGENT, [...options, '--file', join(TRACES, `${name}.jsonl`), '--reports', REPORTS])
}

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {number} its exit code
 */
function run(script, args) {
  const stdio = /** @type {const} */ (['ignore', 'inherit', 'inherit'])
  return spawnSync(process.execPath, [script, ...args], { cwd: ROOT, stdio }).status ?? 1
}

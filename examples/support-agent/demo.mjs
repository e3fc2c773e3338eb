import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_QUESTION, runSupportAgent } from './agent.mjs'
import { faults } from './faults.mjs'
import { startTelemetry } from './telemetry.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMMAND = join('dist', 'esm', 'cli', 'main.js')
const TRACES = join('.demo', 'traces.jsonl')
const REPORTS = join('.demo', 'chain-reports')

if (existsSync(join(ROOT, COMMAND))) {
  await recordChains()
  process.exitCode = report()
} else {
  console.error(`${COMMAND} is missing: run "npm run build" first`)
  process.exitCode = 1
}

/** Runs the healthy chain and each broken one, all into one file. */
async function recordChains() {
  // Reports of an earlier demo would stand beside those of this one.
  for (const path of [TRACES, REPORTS]) rmSync(join(ROOT, path), { recursive: true, force: true })
  const telemetry = await startTelemetry({ file: join(ROOT, TRACES) })
  try {
    await recordChain('healthy')
    for (const { name, what, node, code } of faults) {
      await recordChain(name, `${what}; expected: ${code} at ${node}`)
    }
  } finally {
    await telemetry.stop()
  }
}

/**
 * @param {string} name
 * @param {string} [fault] what is broken
 */
async function recordChain(name, fault) {
  console.log(`run     ${name.padEnd(18)}${fault ?? 'nothing is broken'}`)
  await runSupportAgent({
    task: { id: `demo-${name}`, question: DEFAULT_QUESTION },
    fault: fault === undefined ? undefined : name,
  })
}

/** @returns {number} the exit code of the command */
function report() {
  const args = ['report', TRACES, '--out', REPORTS]
  console.log(`report  agent-reach ${args.join(' ')}\n`)
  return spawnSync(process.execPath, [COMMAND, ...args], { cwd: ROOT, stdio: 'inherit' }).status ?? 1
}

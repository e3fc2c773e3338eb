// The gate: every check of the repository in one run, cheapest first. Goes on after a failure, so that one run shows
// all of them, and exits 1 if anything failed.
//
//   node scripts/ok.mjs
//
// The last line is `N passed, N failed`: each test of the suite counts as one, and so does each other step.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'agent-reach-ok-'))
const results = join(scratch, 'tests.json')

/** Each step with the file that Node runs for it and its arguments. */
const steps = [
  ['generated attributes', 'scripts/generate-semconv.mjs', '--check'],
  ['generated findings', 'scripts/generate-findings-doc.mjs', '--check'],
  ['format', tool('oxfmt/bin/oxfmt'), '--check'],
  ['lint', tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'],
  ['types', tool('typescript/bin/tsc'), '--noEmit'],
  ['unused code', tool('knip/bin/knip.js')],
  ['build', 'scripts/build.mjs', '--quiet'],
  ['package', tool('publint/src/cli.js'), '--strict'],
  ['package types', tool('@arethetypeswrong/cli/dist/index.js'), '--pack', '.', '--profile', 'node16'],
  [
    'tests',
    tool('vitest/vitest.mjs'),
    'run',
    '--coverage',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
  ],
  ['fixtures', 'scripts/test-fixtures.mjs'],
  ['service', 'scripts/test-service.mjs'],
  ['pipeline', 'scripts/test-e2e.mjs'],
]

/** Steps that are more than one test, with how theirs are counted. */
const counters = {
  tests: countTests,
  fixtures: countLastLine,
  service: countLastLine,
  pipeline: countLastLine,
}

let passed = 0
let failed = 0
try {
  for (const [name, ...command] of steps) {
    const { ok, seconds, output } = await run(command)
    const counts = counters[name]?.(ok, output) ?? { passed: Number(ok), failed: Number(!ok) }
    passed += counts.passed
    failed += counts.failed
    if (!ok) process.stdout.write(`\n${output.trimEnd()}\n\n`)
    for (const [line] of output.matchAll(/^NOT RUN.*$/gmu)) console.log(line)
    const detail = name in counters ? `   ${counts.passed} passed, ${counts.failed} failed` : ''
    console.log(
      `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(22)}${`${seconds.toFixed(1)} s`.padStart(8)}${detail}`,
    )
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function tool(path) {
  return join('node_modules', path)
}

/** Runs a command to its end and keeps what it prints, in the order in which it came. */
async function run([file, ...args]) {
  const started = performance.now()
  const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const ok = await new Promise((resolve) => {
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`))
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
  return { ok, seconds: (performance.now() - started) / 1_000, output: Buffer.concat(chunks).toString() }
}

/**
 * Counts the tests of the suite. A file that failed without a failed test (it could not be loaded, its set-up threw)
 * counts as one failure, and so does a run that failed without either (coverage below its threshold).
 */
function countTests(ok) {
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = readResults()
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  const failures = numFailedTests + brokenFiles.length
  return { passed: numPassedTests, failed: ok ? failures : Math.max(1, failures) }
}

/** Reads the last line of a script that counts by itself; without one it could not be run. */
function countLastLine(ok, output) {
  const last = /^(?<passed>\d+) passed, (?<failed>\d+) failed$/mu.exec(
    output.trimEnd().split('\n').at(-1) ?? '',
  )
  const { groups = { passed: '0', failed: '1' } } = last ?? {}
  const failures = Number(groups.failed)
  return { passed: Number(groups.passed), failed: ok ? failures : Math.max(1, failures) }
}

function readResults() {
  try {
    return JSON.parse(readFileSync(results, 'utf8'))
  } catch {
    return {}
  }
}

// Proves the pipeline around the report service with the real things: the Collector and Jaeger with the configurations
// that are shipped, and programs in three languages.
//
//   node scripts/test-e2e.mjs [--only NAME]
//
// Takes `dist` as it is. The Collector and Jaeger are built with Go at first, which takes some minutes; where Go or Python
// is missing nothing is run, which is a failure in CI. The last line is `N passed, N failed`: each scenario counts as one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findMissingGo } from '../test/e2e/binaries/go-program.mjs'
import { buildCollector, buildGoSender, buildJaeger } from '../test/e2e/binaries/programs.mjs'
import { findMissingPython, preparePython } from '../test/e2e/binaries/python-environment.mjs'
import { leaveWithoutJaeger, sendLate } from '../test/e2e/scenarios/backend.mjs'
import { runAsInCompose } from '../test/e2e/scenarios/compose.mjs'
import { fillQueue } from '../test/e2e/scenarios/full-queue.mjs'
import { killBoth } from '../test/e2e/scenarios/kills.mjs'
import { sendFromExample, sendFromGo, sendFromPython } from '../test/e2e/scenarios/layouts.mjs'
import { sendLongSpans } from '../test/e2e/scenarios/long-spans.mjs'
import { sendMany } from '../test/e2e/scenarios/load.mjs'
import { redactSecrets } from '../test/e2e/scenarios/redaction.mjs'
import { refuseForLoad, refuseForMemory } from '../test/e2e/scenarios/refusals.mjs'

const scenarios = [
  ['beside, TypeScript', (context) => sendFromExample('beside', context)],
  ['beside, Python', (context) => sendFromPython('beside', context)],
  ['beside, Go', (context) => sendFromGo('beside', context)],
  ['through, TypeScript', (context) => sendFromExample('through', context)],
  ['through, Python', (context) => sendFromPython('through', context)],
  ['through, Go', (context) => sendFromGo('through', context)],
  ['beside, Compose', (context) => runAsInCompose('beside', context)],
  ['through, Compose', (context) => runAsInCompose('through', context)],
  ['late spans', sendLate],
  ['Jaeger away', leaveWithoutJaeger],
  ['redaction', redactSecrets],
  ['no memory', refuseForMemory],
  ['no room', refuseForLoad],
  ['beside, long spans', (context) => sendLongSpans('beside', context)],
  ['through, long spans', (context) => sendLongSpans('through', context)],
  ['beside, load', (context) => sendMany('beside', context)],
  ['through, load', (context) => sendMany('through', context)],
  ['beside, killed', (context) => killBoth('beside', context)],
  ['through, killed', (context) => killBoth('through', context)],
  ['beside, full queue', (context) => fillQueue('beside', context)],
]

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const wanted = scenarios.filter(([name]) => name.startsWith(values.only))
const missing = [findMissingGo(), findMissingPython()].filter((part) => part !== null)

let passed = 0
let failed = 0
if (wanted.length === 0) {
  failed = 1
  console.log(`Cannot run scenarios: expected the beginning of a name, found ${values.only}`)
} else if (missing.length > 0) {
  failed = process.env['CI'] === 'true' ? wanted.length : 0
  console.log(`NOT RUN  the pipeline with the Collector and Jaeger: it needs ${missing.join(' and ')}`)
} else {
  const binaries = await prepare()
  for (const scenario of wanted) {
    if (await run(scenario, binaries)) passed++
    else failed++
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function prepare() {
  const python = preparePython()
  const goSender = await buildGoSender()
  const collector = await buildCollector()
  return { python, goSender, collector, jaeger: await buildJaeger() }
}

async function run([name, runScenario], binaries) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-e2e-'))
  const started = performance.now()
  const { ok, detail } = await runScenario({ folder, binaries }).then(
    (found) => ({ ok: true, detail: found }),
    (error) => ({ ok: false, detail: error.stack }),
  )
  rmSync(folder, { recursive: true, force: true })
  const seconds = `${((performance.now() - started) / 1_000).toFixed(1)} s`
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(22)}${seconds.padStart(8)}   ${detail}`)
  return ok
}

// Proves the report service against faults: the command as it is shipped, in a process of its own, is killed, stopped,
// given a full, a read-only and a damaged disk, and sent what no sender should send.
//
//   node scripts/test-service.mjs [--only NAME]
//
// Takes `dist` as it is. The last line is `N passed, N failed`: each scenario counts as one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sendBombs } from '../test/soak/faults/bombs.mjs'
import { damagePages, fillTheDisk, openReadOnly } from '../test/soak/faults/disk.mjs'
import { killUnderLoad, stopUnderLoad } from '../test/soak/faults/ends-of-the-process.mjs'
import { poisonOneSpan, sendCopies, tearConnections } from '../test/soak/faults/senders.mjs'

const scenarios = [
  ['killed under load', killUnderLoad],
  ['stopped under load', stopUnderLoad],
  ['full disk', fillTheDisk],
  ['read-only store', openReadOnly],
  ['damaged pages', damagePages],
  ['copies in any order', sendCopies],
  ['torn connections', tearConnections],
  ['poisoned span', poisonOneSpan],
  ['bombs', sendBombs],
]

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const wanted = scenarios.filter(([name]) => name.startsWith(values.only))
if (wanted.length === 0) {
  console.log(`Cannot run scenarios: expected the beginning of a name, found ${values.only}`)
}

let passed = 0
let failed = wanted.length === 0 ? 1 : 0
for (const [name, run] of wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-service-'))
  const started = performance.now()
  const { ok, detail } = await run(folder).then(
    (found) => ({ ok: true, detail: found }),
    (error) => ({ ok: false, detail: error.stack }),
  )
  rmSync(folder, { recursive: true, force: true })
  if (ok) passed++
  else failed++
  const seconds = `${((performance.now() - started) / 1_000).toFixed(1)} s`
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(22)}${seconds.padStart(8)}   ${detail}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

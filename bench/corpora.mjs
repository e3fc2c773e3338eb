// How good the findings are on recorded runs with human labels, where these are at hand: runs the command over them and
// prints what their own scoring script says of the reports, then what simple rules and published models reach.
//
//   AGENT_REACH_CORPORA=DIR node bench/corpora.mjs [--command dist/esm/cli/main.js] [--only trail,loops]
//
// DIR holds `otlp/*/*.jsonl.gz`, `score.mjs` and `BASELINES.md`. `docs/quality.md` keeps the results.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const modes = ['ingest', 'trail', 'loops', 'first-failure', 'false-alarms']
const { values } = parseArgs({
  options: {
    command: { type: 'string', default: join(import.meta.dirname, '../dist/esm/cli/main.js') },
    only: { type: 'string', default: modes.join(',') },
  },
})
const corpora = process.env['AGENT_REACH_CORPORA'] ?? ''

if (!existsSync(join(corpora, 'score.mjs'))) {
  const found = corpora === '' ? 'nothing' : corpora
  console.error(`Cannot find the recorded runs: expected a folder in AGENT_REACH_CORPORA, found ${found}`)
  process.exitCode = 2
} else {
  process.exitCode = score(values.only.split(','))
}

/** @returns the exit code: that of the first program that failed */
function score(wanted) {
  const reports = mkdtempSync(join(tmpdir(), 'agent-reach-corpora-'))
  try {
    const inputs = join(corpora, 'otlp/*/*.jsonl.gz')
    const made = run(
      [values.command, 'report', inputs, '--out', reports, '--quiet'],
      ['ignore', 'ignore', 'inherit'],
    )
    // The tables go to standard error, the same as JSON to standard output.
    const codes = wanted.map((mode) =>
      run([join(corpora, 'score.mjs'), mode, reports, '--corpora', corpora], ['ignore', 'ignore', 'inherit']),
    )
    console.error(`\n${readFileSync(join(corpora, 'BASELINES.md'), 'utf8')}`)
    return [made, ...codes].find((code) => code !== 0) ?? 0
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
}

function run(args, stdio) {
  return spawnSync(process.execPath, args, { stdio }).status ?? 1
}

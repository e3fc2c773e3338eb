// Writes docs/report-example.json, the report of a run of the example whose order record has lost its status, and the
// beginning of it in docs/report-format.md. Ids and times are those of the run, so both change each time; a test checks
// that they fit the schema, the digest and each other.
//
//   npm run build && node scripts/generate-report-example.mjs
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = mkdtempSync(join(tmpdir(), 'report-example-'))
const traces = join(folder, 'traces.jsonl')
const run = (script, ...args) =>
  execFileSync(process.execPath, [join(root, script), ...args], { encoding: 'utf8' })

/** Objects that hold lists of their own. */
function isLong(value) {
  return typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray)
}

try {
  run('examples/support-agent/main.mjs', '--fault', 'missing-status', '--file', traces)
  const report = JSON.parse(run('dist/esm/cli/main.js', 'report', traces, '--format', 'json'))
  writeFileSync(join(root, 'docs/report-example.json'), `${JSON.stringify(report, null, 2)}\n`)
  const page = join(root, 'docs/report-format.md')
  const short = Object.fromEntries(
    Object.entries(report).filter(([, value]) => !Array.isArray(value) && !isLong(value)),
  )
  const block = `<!-- example: begin -->\n\n\`\`\`json\n${JSON.stringify(short, null, 2)}\n\`\`\`\n\n<!-- example: end -->`
  const text = readFileSync(page, 'utf8')
  writeFileSync(page, text.replace(/<!-- example: begin -->[\s\S]*<!-- example: end -->/u, block))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

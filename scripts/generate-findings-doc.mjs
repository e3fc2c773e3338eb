// Generates the page of the finding codes from the catalogue.
//
//   node scripts/generate-findings-doc.mjs           writes docs/findings.md
//   node scripts/generate-findings-doc.mjs --check   writes nothing; exits 1 if the page is out of step
//
// The catalogue is compiled alone into a folder of its own, so that this works without a build.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const CATALOG = 'src/findings/catalog.ts'
const PAGE = 'docs/findings.md'

/** Sections of the page in order: what a group is about, and the state that an error of it gives. */
const groups = {
  step: {
    title: 'The step did not work',
    state: '`unreachable`; `timeout` and `never_ended` give `timed_out`',
  },
  result: { title: 'The result is not usable', state: '`reached_invalid`' },
  call: {
    title: 'The call was wrong',
    state:
      '`reached_invalid`, at the model that wrote the call; what the rules ask of arguments is told at the call',
  },
  run: { title: 'The run went wrong', state: 'none: findings about the run change no state of a step' },
}

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

const page = renderPage(await readCatalog(), readGivenCodes())
if (!options.check) writeFileSync(join(root, PAGE), page)
else if (readIfPresent(join(root, PAGE)) !== page) {
  console.error(`${PAGE} is out of step with ${CATALOG} or with the checks: npm run generate`)
  process.exitCode = 1
}

async function readCatalog() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-catalog-'))
  try {
    const settings = ['--ignoreConfig', '--module', 'esnext', '--target', 'es2023', '--outDir', folder]
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { status } = spawnSync(
      process.execPath,
      [
        compiler,
        join(root, CATALOG),
        ...settings,
        '--allowImportingTsExtensions',
        '--rewriteRelativeImportExtensions',
      ],
      { stdio: 'inherit' },
    )
    if (status !== 0) throw new Error(`Cannot compile ${CATALOG}`)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const { findingCatalog } = await import(pathToFileURL(join(folder, 'catalog.js')).href)
    return findingCatalog
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The codes that stand in quotes in a check, in the classes of errors or in the settling of a chain. */
function readGivenCodes() {
  const files = ['src/checks', 'src/chain'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  )
  const text = [...files, 'src/findings/error-class.ts']
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  return new Set([...text.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code))
}

function renderPage(catalog, given) {
  const sections = Object.entries(groups).map(([group, { title, state }]) => {
    const rows = Object.entries(catalog).filter(([, row]) => row.group === group)
    return [
      `## ${title}`,
      `State of the step: ${state}.`,
      ...rows.map(([code, row]) => renderCode(code, row, given.has(code))),
    ].join('\n\n')
  })
  return `<!-- Generated from ${CATALOG} by \`npm run generate\`. Do not edit. -->

# Findings

A finding is what a check has to say about one step: a stable code, a severity, the span where it showed, the span that
produced what is wrong, and short masked evidence. A code keeps its meaning within report version 1.

- **error** fails the step, except in the last group, and fails its node unless a later attempt of the same call made
  it good. An error alert fails the chain.
- **warn** and **info** fail nothing.

The default severity holds where neither the check nor the [rules](rules.md) say otherwise. A check never speaks about
content that was not recorded: absent is not empty.

${sections.join('\n\n')}
`
}

function renderCode(code, { meaning, severity, needs, suggestion }, isGiven) {
  return [
    `### ${code}`,
    `${meaning}.${isGiven ? '' : ' Reserved: no check gives this code yet.'}`,
    [`- severity: **${severity}**`, `- needs: ${needs}`, `- what to do: ${suggestion}`].join('\n'),
  ].join('\n\n')
}

function readIfPresent(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

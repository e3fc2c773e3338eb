import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layers } from './architecture/layers.ts'
import { readImports, type SourceFile } from './architecture/read-source.ts'
import {
  findBarrels,
  findCycles,
  findDefaultExports,
  findForeignFolders,
  findForeignPackages,
  findProcessUses,
  findStarExports,
  findVagueNames,
  type SourceRule,
} from './architecture/source-rules.ts'

const root = join(import.meta.dirname, '..')

/** Files by their paths from the root of the repository. */
function sources(files: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }))
}

/** The names in backquotes in a cell of a table. */
function readNames(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name)
}

function readSources(): readonly SourceFile[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

describe('readImports()', () => {
  it.each([
    [`import { a } from './a.ts'`, './a.ts'],
    [`import a from "./a.ts";`, './a.ts'],
    [`import './a.ts'`, './a.ts'],
    [`import type { A } from './a.ts'`, './a.ts'],
    [`import {\n  a, // from './b.ts'\n  type C,\n} from './a.ts'`, './a.ts'],
    [`import a, { b } from './a.ts'`, './a.ts'],
    [`import * as a from './a.ts'`, './a.ts'],
    [`import schema from './a.json' with { type: 'json' }`, './a.json'],
    [`export { a } from './a.ts'`, './a.ts'],
    [`export type { A } from './a.ts'`, './a.ts'],
    [`export * from './a.ts'`, './a.ts'],
    [`export * as a from './a.ts'`, './a.ts'],
    [`const a = await import('./a.ts')`, './a.ts'],
    [`type A = import('./a.ts').A`, './a.ts'],
    [`const a = require('./a.ts')`, './a.ts'],
    [`const quote = /['"\`/]/u\nconst a = import('./a.ts')`, './a.ts'],
    [`const address = 'http://host'; const a = import('./a.ts')`, './a.ts'],
  ])('finds the import of %j', (text, specifier) => {
    expect(readImports(text).map((use) => use.specifier)).toEqual([specifier])
  })

  it.each([
    `// import { a } from './a.ts'`,
    `/* import { a } from './a.ts' */`,
    `/**\n * export { a } from './a.ts'\n */`,
    `export const from = 'a.ts'`,
    `export function read(from: string): string {\n  return 'a.ts'\n}`,
  ])('finds none in %j', (text) => {
    expect(readImports(text)).toEqual([])
  })

  it.each([
    [`import type { A } from 'a'`, true],
    [`import { type A, type B } from 'a'`, true],
    [`export type { A } from 'a'`, true],
    [`import { type A, b } from 'a'`, false],
    [`import { a } from 'a'`, false],
    [`import 'a'`, false],
    [`import type from 'a'`, false],
  ])('tells of %j whether it brings types only', (text, typeOnly) => {
    expect(readImports(text).map((use) => use.typeOnly)).toEqual([typeOnly])
  })
})

describe('src', () => {
  const files = readSources()

  it('has every import read: as many as lines that end one', () => {
    for (const { path, text } of files) {
      const ends = text.match(/^(?:import .*|export .*|\} )from '.*'$/gmu)?.length ?? 0
      const found = readImports(text).length
      expect(found, path).toBeGreaterThanOrEqual(ends)
    }
  })

  it.each<readonly [string, SourceRule]>([
    ['imports only from the folders in its rows', findForeignFolders],
    ['imports only the packages in its rows', findForeignPackages],
    ['has no import cycle, types included', findCycles],
    ['has no star export', findStarExports],
    ['has no default export', findDefaultExports],
    ['has no barrel beside the entries', findBarrels],
    ['touches process in the command line and environment.ts only', findProcessUses],
    ['has no file that is named after being useful', findVagueNames],
  ])('%s', (_, rule) => {
    expect(rule(files)).toEqual([])
  })
})

describe('layers', () => {
  it('has no ring of folders', () => {
    const folders = Object.entries(layers).map(([name, layer]) => ({
      path: `src/${name}/row.ts`,
      text: layer.folders.map((folder) => `import '../${folder}/row.ts'`).join('\n'),
    }))
    expect(findCycles(folders)).toEqual([])
  })

  it('names folders that have a row themselves', () => {
    const named = Object.values(layers).flatMap(({ folders }) => folders)
    expect(named.filter((folder) => layers[folder] === undefined)).toEqual([])
  })

  it('is what docs/architecture.md shows', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `src\/(?<folder>[\w-]+)` \|(?<cells>.*)\|$/gmu)].map(
      ({ groups = {} }) => {
        const [folders = '', packages = ''] = (groups['cells'] ?? '').split(' | ')
        return [
          groups['folder'] ?? '',
          [readNames(folders).toSorted(), readNames(packages).toSorted()],
        ] as const
      },
    )
    const shown = rows.map(([folder]) => folder)
    const present = readSources().map(({ path }) => path.split('/')[1] ?? '')
    const missing = new Set(
      present.filter((folder) => layers[folder] !== undefined && !shown.includes(folder)),
    )
    expect([...missing]).toEqual([])
    for (const [folder, cells] of rows) {
      const { folders = [], packages = [], types = [] } = layers[folder] ?? {}
      const existing = folders.filter((name) => shown.includes(name))
      expect(cells, folder).toEqual([existing.toSorted(), [...packages, ...types].toSorted()])
    }
  })
})

describe('findForeignFolders()', () => {
  it.each([
    `import { a } from '../chain/a.ts'`,
    `import type { A } from '../chain/a.ts'`,
    `export { a } from '../chain/a.ts'`,
    `export const a = () => import('../chain/a.ts')`,
    `import { a } from '../index.ts'`,
    `import { a } from '../../test/a.ts'`,
  ])('finds %j in a step', (text) => {
    expect(findForeignFolders(sources({ 'src/steps/a.ts': text }))).toHaveLength(1)
  })

  it('finds a folder without a row', () => {
    const found = findForeignFolders(sources({ 'src/extras/a.ts': 'export const a = 1' }))
    expect(found).toEqual(['src/extras/a.ts: its folder has no row in the table of layers'])
  })

  it('keeps the entry of the package from the doors of their own', () => {
    const text = `export { main } from './cli/main.ts'`
    expect(findForeignFolders(sources({ 'src/index.ts': text }))).toEqual([
      'src/index.ts imports src/cli/main.ts',
    ])
  })

  it('lets a folder import from itself, its parts and its row', () => {
    const text = `import './b.ts'\nimport '../c.ts'\nimport '../../semconv/d.ts'`
    expect(findForeignFolders(sources({ 'src/steps/dialects/a.ts': text }))).toEqual([])
  })
})

describe('findForeignPackages()', () => {
  it.each([
    ['src/findings/a.ts', `import { Ajv } from 'ajv'`],
    ['src/findings/a.ts', `import { Ajv2020 } from 'ajv/dist/2020.js'`],
    ['src/checks/step/a.ts', `import { formats } from 'ajv-extras'`],
    ['src/steps/a.ts', `import { readFileSync } from 'node:fs'`],
    ['src/steps/a.ts', `import { trace } from '@opentelemetry/api'`],
    ['src/steps/a.ts', `import { trace, type Span } from '@opentelemetry/api'`],
    ['src/pricing/a.ts', `import { a } from '@pydantic/other'`],
    ['src/chain/a.ts', `export type { A } from 'vitest'`],
    ['src/index.ts', `import { createHash } from 'node:crypto'`],
  ])('finds in %s the import of %j', (path, text) => {
    expect(findForeignPackages(sources({ [path]: text }))).toHaveLength(1)
  })

  it.each([
    ['src/checks/step/a.ts', `import { Ajv2020 } from 'ajv/dist/2020.js'`],
    ['src/steps/a.ts', `import type { Span } from '@opentelemetry/api'`],
    ['src/steps/a.ts', `import { type Span } from '@opentelemetry/api'`],
    ['src/otlp/a.ts', `import { createGunzip } from 'node:zlib'`],
    ['src/pricing/a.ts', `import { calcPrice } from '@pydantic/genai-prices'`],
  ])('lets %s import %j', (path, text) => {
    expect(findForeignPackages(sources({ [path]: text }))).toEqual([])
  })
})

describe('findCycles()', () => {
  it('finds two files that import each other, types only', () => {
    const found = findCycles(
      sources({
        'src/steps/a.ts': `import type { B } from './b.ts'`,
        'src/steps/b.ts': `import type { A } from './a.ts'`,
      }),
    )
    expect(found).toEqual(['src/steps/a.ts -> src/steps/b.ts -> src/steps/a.ts'])
  })

  it('finds a ring over several files and folders, and a file that imports itself', () => {
    const ring = findCycles(
      sources({
        'src/steps/a.ts': `import '../chain/b.ts'`,
        'src/chain/b.ts': `export { c } from './c.ts'`,
        'src/chain/c.ts': `export const c = () => import('../steps/a.ts')`,
        'src/steps/d.ts': `import './d.ts'`,
      }),
    )
    expect(ring).toHaveLength(2)
  })

  it('lets two files import the same third', () => {
    const files = {
      'src/a.ts': `import './b.ts'\nimport './c.ts'`,
      'src/b.ts': `import './c.ts'`,
      'src/c.ts': '',
    }
    expect(findCycles(sources(files))).toEqual([])
  })
})

describe('findStarExports()', () => {
  it.each([`export * from './b.ts'`, `export * as b from './b.ts'`, `export type * from './b.ts'`])(
    'finds %j',
    (text) => {
      expect(findStarExports(sources({ 'src/steps/a.ts': text }))).toEqual(['src/steps/a.ts'])
    },
  )

  it('lets the words stand in a comment', () => {
    expect(findStarExports(sources({ 'src/steps/a.ts': `// export * from './b.ts'` }))).toEqual([])
  })
})

describe('findDefaultExports()', () => {
  it.each([`export default 1`, `const a = 1\nexport { a as default }`, `export { default } from './b.ts'`])(
    'finds %j',
    (text) => {
      expect(findDefaultExports(sources({ 'src/steps/a.ts': text }))).toEqual(['src/steps/a.ts'])
    },
  )

  it('lets names begin with the word', () => {
    expect(findDefaultExports(sources({ 'src/steps/a.ts': `export const defaultLimit = 1` }))).toEqual([])
  })
})

describe('findBarrels()', () => {
  it.each([
    ['src/steps/index.ts', `export const a = 1`],
    ['src/steps/dialects/index.ts', `export { a } from './a.ts'`],
    ['src/steps/all.ts', `/** All of it. */\nexport { a } from './a.ts'\nexport type { B } from './b.ts'`],
  ])('finds %s with %j', (path, text) => {
    expect(findBarrels(sources({ [path]: text }))).toEqual([path])
  })

  it('lets the entries of the package re-export', () => {
    const text = `export { a } from './a.ts'`
    expect(findBarrels(sources({ 'src/index.ts': text, 'src/semconv/index.ts': text }))).toEqual([])
  })
})

describe('findProcessUses()', () => {
  it.each([
    `export const a = process.env['A']`,
    `export const a = globalThis.process`,
    `export const a = globalThis['process']`,
    `import { env } from 'node:process'`,
    'export const a = `${process.pid}`',
  ])('finds %j', (text) => {
    expect(findProcessUses(sources({ 'src/exporters/a.ts': text }))).toEqual(['src/exporters/a.ts'])
  })

  it.each([
    ['src/cli/main.ts', `process.exitCode = 1`],
    ['src/pipeline/environment.ts', `export const a = process.env['A']`],
    ['src/steps/a.ts', `// judged in process\nexport const a = 'in process'`],
    ['src/steps/a.ts', 'export const a = `${b} in process, ${c}`'],
    ['src/steps/a.ts', `export const a = span.process`],
  ])('lets %s hold %j', (path, text) => {
    expect(findProcessUses(sources({ [path]: text }))).toEqual([])
  })
})

describe('findVagueNames()', () => {
  it.each([
    'src/steps/utils.ts',
    'src/steps/util.ts',
    'src/common/a.ts',
    'src/cli/path-helpers.ts',
    'src/helper.ts',
  ])('finds %s', (path) => {
    expect(findVagueNames(sources({ [path]: '' }))).toEqual([path])
  })

  it('lets a name hold the letters', () => {
    expect(findVagueNames(sources({ 'src/steps/commonality.ts': '' }))).toEqual([])
  })
})

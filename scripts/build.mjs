// Builds the package: the code as CommonJS in dist/cjs, ES modules that hand it on and the command in dist/esm,
// declarations in both, and the JSON Schemas of the report and of the rules file.
//
//   node scripts/build.mjs [--quiet] [--out DIR]
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { loadLate } from './load-late.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({
  options: {
    quiet: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist') },
  },
})
const target = resolve(values.out)
/** Takes the place of what is there when all of it is made. */
const dist = `${target}.next`

const entries = ['index', 'semconv/index', 'cli/main', 'server/index', 'server/judge-thread']
const sourceOf = (entry) => join(root, 'src', `${entry}.ts`)

/** The same declarations serve both formats: the nearest manifest tells which one they speak of. */
function declare() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', join(dist, 'esm')]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  const commandLine = join(dist, 'esm/cli')
  cpSync(join(dist, 'esm'), join(dist, 'cjs'), {
    recursive: true,
    filter: (path) => path !== commandLine && !path.startsWith(commandLine + sep),
  })
}

/**
 * The file that a module goes into: one for each folder, and one for what the entry names. That is there from the
 * start; every other file is loaded when something in it is first used.
 */
function toChunk(id, graph) {
  if (graph.getModuleInfo(sourceOf('index'))?.importedIds.includes(id)) return 'start'
  const [, folder] = relative(root, id).split(sep)
  return entries.some((entry) => id === sourceOf(entry)) ? null : folder
}

/** Writes the code and tells what each entry exports. */
async function bundle() {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, sourceOf(entry)])),
    platform: 'node',
    optimization: { inlineConst: { mode: 'all', pass: 2 } },
    preserveEntrySignatures: 'allow-extension',
    plugins: [loadLate()],
    transform: { target: 'es2023' },
    onLog: (_, log) => {
      throw new Error(`Cannot bundle: ${log.message}`)
    },
  })
  const { output } = await build.write({
    dir: join(dist, 'cjs'),
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
    codeSplitting: {
      groups: [{ name: toChunk, debugName: 'folders of src', includeDependenciesRecursively: false }],
    },
  })
  await build.close()
  return new Map(output.filter((chunk) => chunk.isEntry).map((chunk) => [chunk.name, chunk.exports]))
}

/** One copy of the code serves both formats, so a program that loads both has its state once. */
function handOn(entry, names) {
  const path = join(dist, 'esm', `${entry}.js`)
  const from = relative(dirname(path), join(dist, 'cjs', `${entry}.js`)).replaceAll(sep, '/')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `export {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}'\n`)
}

rmSync(dist, { recursive: true, force: true })
declare()
const exportsOf = await bundle()
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
handOn('index', exportsOf.get('index'))
handOn('semconv/index', exportsOf.get('semconv/index'))
handOn('server/index', exportsOf.get('server/index'))
writeFileSync(join(dist, 'esm/cli/main.js'), `#!/usr/bin/env node\nimport '../../cjs/cli/main.js'\n`)
chmodSync(join(dist, 'esm/cli/main.js'), 0o755)
copyFileSync(join(root, 'src/report/chain-report.schema.json'), join(dist, 'chain-report.schema.json'))
copyFileSync(join(root, 'src/rules/rules.schema.json'), join(dist, 'agent-reach.rules.schema.json'))
rmSync(target, { recursive: true, force: true })
renameSync(dist, target)
if (!values.quiet) process.stdout.write(`built esm, cjs and the JSON Schemas in ${target}\n`)

// Builds the package: ES modules with the command line in dist/esm, CommonJS in dist/cjs, declarations in both, and
// the JSON Schemas of the report and of the rules file.
//
//   node scripts/build.mjs [--quiet] [--out DIR]
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { requiredPackages } from './required-packages.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({
  options: {
    quiet: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist') },
  },
})
const dist = resolve(values.out)

/** Few files instead of hundreds: opening each costs more than running it. */
async function bundle(format, names) {
  const folder = join(dist, format)
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, join(root, 'src', `${name}.ts`)])),
    platform: 'node',
    // A package is never part of ours: its licence, its fixes and its one copy stay with the user.
    external: (id) => !/^[./]/u.test(id) && !id.startsWith(root),
    plugins: [requiredPackages(format)],
    transform: { target: 'es2023' },
    logLevel: 'warn',
    onLog: (_, log) => {
      throw new Error(`Cannot bundle dist/${format}: ${log.message}`)
    },
  })
  try {
    await build.write({
      dir: folder,
      format,
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      exports: 'named',
    })
  } finally {
    await build.close()
  }
}

/** The same declarations serve both formats: which one they speak of, Node and TypeScript read from the nearest manifest. */
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

rmSync(dist, { recursive: true, force: true })
declare()
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
await bundle('esm', ['index', 'semconv/index', 'cli/main'])
await bundle('cjs', ['index', 'semconv/index'])
chmodSync(join(dist, 'esm/cli/main.js'), 0o755)
copyFileSync(join(root, 'src/report/chain-report.schema.json'), join(dist, 'chain-report.schema.json'))
copyFileSync(join(root, 'src/rules/rules.schema.json'), join(dist, 'agent-reach.rules.schema.json'))
if (!values.quiet) process.stdout.write(`built esm, cjs and the JSON Schemas in ${dist}\n`)

// Builds the package: ES modules with the command line in dist/esm, CommonJS in dist/cjs, declarations in both, and
// the JSON Schemas of the report and of the rules file.
//
//   node scripts/build.mjs [--quiet]
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const quiet = process.argv.includes('--quiet')

function compile(project) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

rmSync(join(root, 'dist'), { recursive: true, force: true })
compile('tsconfig.build.json')
compile('tsconfig.cjs.json')
writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n')
copyFileSync(join(root, 'src/report/chain-report.schema.json'), join(root, 'dist/chain-report.schema.json'))
copyFileSync(join(root, 'src/rules/rules.schema.json'), join(root, 'dist/agent-reach.rules.schema.json'))
chmodSync(join(root, 'dist/esm/cli/main.js'), 0o755)
if (!quiet) process.stdout.write('built dist/esm, dist/cjs and the JSON Schemas\n')

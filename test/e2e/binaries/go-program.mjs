import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.mjs'

/** The oldest Go that builds all programs: the Collector asks for it. */
const GO_MINOR = 26

/** @returns what is missing to build with Go; `null` where nothing is */
export function findMissingGo() {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' })
  const found = /^go1\.(?<minor>\d+)/u.exec(stdout ?? '')
  if (found === null) return `Go 1.${GO_MINOR} or later (there is no go)`
  return Number(found.groups.minor) < GO_MINOR ? `Go 1.${GO_MINOR} or later (it is ${stdout.trim()})` : null
}

/**
 * Builds a program unless the cache has it, for this version of Go and these inputs.
 *
 * @param {object} program
 * @param {string} program.name
 * @param {string} program.version
 * @param {string[]} program.inputs files, or texts, that it is made of
 * @param {string[]} [program.flags] further flags of `go build`
 * @param {(build: (folder: string, path: string) => Promise<void>) => Promise<void>} program.run calls `build` with the
 *   folder of the module and the package
 * @returns {Promise<string>} the path of the binary
 */
export async function buildProgram({ name, version, inputs, flags = [], run }) {
  const file = join(cacheFolder(), `${name}-${version}-${digest([...inputs, ...flags])}`)
  if (existsSync(file)) return file
  mkdirSync(cacheFolder(), { recursive: true })
  console.log(`build ${name} ${version}: some minutes, once`)
  const started = performance.now()
  // Another run may build the same: each writes a file of its own, and the last one stays.
  const made = `${file}.${process.pid}`
  await run((folder, path) => build({ folder, path, flags, made }))
  renameSync(made, file)
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  const size = (statSync(file).size / 2 ** 20).toFixed(0)
  console.log(`built ${name} ${version}: ${seconds} s, ${size} MiB, ${file}`)
  return file
}

function digest(inputs) {
  const go = spawnSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { encoding: 'utf8' }).stdout
  const hash = createHash('sha256').update(go)
  for (const input of inputs) hash.update('\0').update(existsSync(input) ? readFileSync(input) : input)
  return hash.digest('hex').slice(0, 12)
}

async function build({ folder, path, flags, made }) {
  // Without symbols it is a third smaller; without C it runs wherever the cache is copied to.
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', ...flags, '-o', made, path]
  const env = { ...process.env, CGO_ENABLED: '0' }
  const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', resolve)
  })
  if (code !== 0) throw new Error(`Cannot build ${path}: go ended with ${code}`)
}

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './cache-folder.mjs'
import { buildProgram } from './go-program.mjs'

const folderOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Builds what lies in a folder of its own beside this one. */
function buildOwn(name, version, flags = []) {
  const folder = folderOf(name)
  const inputs = ['main.go', 'go.mod', 'go.sum'].map((file) => join(folder, file))
  return buildProgram({ name, version, inputs, flags, run: (build) => build(folder, '.') })
}

/** Builds the Collector with the components that the shipped configurations name. */
export const buildCollector = () => buildOwn('collector', '0.161.0', ['-tags=grpcnotrace'])

/** Builds the sender in Go. */
export const buildGoSender = () => buildOwn('go-sender', '1')

/** The last tag of Jaeger that Go can fetch by its version; it is the same commit as v2.13.0. */
const jaeger = {
  module: 'github.com/jaegertracing/jaeger@v1.76.0',
  sum: 'h1:sWCOOF1dr+NL0PLil7mFo3BqqQL8k4WiM7aguFbc14g=',
}

/**
 * Builds Jaeger from its module, with memory storage and all; the page is a placeholder, since its assets are no part of
 * the module. `go install` refuses a module with replacements, so it is built in a copy, which may be written to.
 */
export const buildJaeger = () =>
  buildProgram({
    name: 'jaeger',
    version: '1.76.0',
    inputs: [jaeger.module, jaeger.sum],
    run: async (build) => {
      mkdirSync(cacheFolder(), { recursive: true })
      const copy = mkdtempSync(join(cacheFolder(), 'jaeger-source-'))
      try {
        cpSync(fetchModule(jaeger), copy, { recursive: true })
        makeWritable(copy)
        await build(copy, './cmd/jaeger')
      } finally {
        rmSync(copy, { recursive: true, force: true })
      }
    },
  })

/** @returns the folder of the module in the cache of Go */
function fetchModule({ module, sum }) {
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })
  const found = JSON.parse(stdout)
  if (found.Error !== undefined) throw new Error(`Cannot fetch ${module}: ${found.Error}`)
  if (found.Sum !== sum) throw new Error(`Cannot use ${module}: expected sum ${sum}, found ${found.Sum}`)
  return found.Dir
}

function makeWritable(folder) {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makeWritable(path)
    else if (entry.isFile()) chmodSync(path, 0o644)
  }
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sha256Hex } from '../src/steps/digest.ts'

const root = join(import.meta.dirname, '..')

/** The command line as it is shipped. */
export const command: string = join(root, 'dist/esm/cli/main.js')

/** One builder at a time, whatever runs the tests. */
const lock = join(tmpdir(), `agent-reach-build-${sha256Hex(root).slice(0, 16)}`)

/** One file of each part of the build, the last one last. */
const parts = [command, join(root, 'dist/cjs/package.json'), join(root, 'dist/chain-report.schema.json')]

/** Builds `dist` where it or a part of it is missing. One that is there is taken as it is: `npm run build` renews it. */
export async function buildDist(): Promise<void> {
  while (!parts.every((path) => existsSync(path))) {
    if (!tryLock()) {
      await delay(200)
      continue
    }
    try {
      const build = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], {
        cwd: root,
        encoding: 'utf8',
      })
      if (build.status !== 0) throw new Error(`Cannot build dist: ${build.stdout}${build.stderr}`)
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
}

function tryLock(): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    forgetOldLock()
    return false
  }
}

/** A build takes seconds: a lock that is older was left by a process that was killed. */
function forgetOldLock(): void {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
  if (made !== undefined && Date.now() - made > 60_000) rmSync(lock, { recursive: true, force: true })
}

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './cache-folder.mjs'

const requirements = fileURLToPath(new URL('../python/requirements.txt', import.meta.url))

/** @returns what is missing to run the sender in Python; `null` where nothing is */
export function findMissingPython() {
  const { status } = spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' })
  return status === 0 ? null : 'Python 3 with venv'
}

/**
 * Installs the pinned packages into an environment of their own, unless the cache has it.
 *
 * @returns {string} the path of its interpreter
 */
export function preparePython() {
  const version = execFileSync('python3', ['-VV'])
  const hash = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex')
  const folder = join(cacheFolder(), `python-${hash.slice(0, 12)}`)
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'complete')
  if (existsSync(done)) return python
  console.log('install the packages of the sender in Python, once')
  mkdirSync(cacheFolder(), { recursive: true })
  // An environment cannot be moved: one that was not finished is made anew.
  rmSync(folder, { recursive: true, force: true })
  execFileSync('python3', ['-m', 'venv', folder])
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
  execFileSync(python, [...install, '--requirement', requirements], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  writeFileSync(done, '')
  return python
}

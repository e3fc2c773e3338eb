import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findService, readCompose } from './read-compose.ts'
import { deploy } from './read-deployment.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-reach-prepare-'))
  mkdirSync(join(folder, 'token'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Prepares as Compose does, in a folder of its own, and tells the token. */
function prepare(env: Readonly<Record<string, string>>): string {
  const file = join(folder, 'token/token')
  const { uid, gid } = userInfo()
  const args = [join(deploy, 'compose/prepare.sh'), file, `${uid}:${gid}`, join(folder, 'collector')]
  const { status, stderr } = spawnSync('sh', args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return readFileSync(file, 'utf8')
}

describe('what is prepared before the services start', () => {
  it('is a token that nobody can guess, kept over the next starts', () => {
    const token = prepare({ AGENT_REACH_TOKEN: '' })
    expect(token).toMatch(/^[\da-f]{64}$/u)
    expect(prepare({})).toBe(token)
    rmSync(join(folder, 'token/token'))
    expect(prepare({})).not.toBe(token)
  })

  it('is the token that is given, in place of the one before', () => {
    prepare({})
    expect(prepare({ AGENT_REACH_TOKEN: "a 'token' $HOME %s" })).toBe("a 'token' $HOME %s")
    expect(prepare({})).toBe("a 'token' $HOME %s")
    expect(readdirSync(join(folder, 'token'))).toEqual(['token'])
  })

  it('is made anew where the file is empty', () => {
    writeFileSync(join(folder, 'token/token'), '')
    expect(prepare({})).toHaveLength(64)
  })

  it('can be read by any user of a container, and written by none but root', () => {
    prepare({})
    expect(statSync(join(folder, 'token/token')).mode & 0o777).toBe(0o644)
    expect(statSync(join(folder, 'collector')).uid).toBe(userInfo().uid)
  })

  it('is asked for with the folders that Compose mounts', () => {
    const service = findService(readCompose({}), 'prepare')
    const [shell, script, token, owner, ...folders] = [...(service['command'] ?? [])].map(String)
    expect([shell, script, token, owner]).toEqual([
      'sh',
      '/prepare.sh',
      '/run/agent-reach/token',
      '10001:10001',
    ])
    const mounts = [...(service['volumes'] ?? [])].map(String)
    expect(mounts).toEqual([
      './compose/prepare.sh:/prepare.sh:ro',
      'token:/run/agent-reach',
      ...folders.map((path) => `${path.slice(1)}:${path}`),
    ])
  })
})

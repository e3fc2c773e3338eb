import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDist, command } from '../build-dist.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-reach-serve-'))

beforeAll(buildDist)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [command, 'serve', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  })
}

describe('agent-reach serve', () => {
  it.each([
    [
      ['--settle', 'soon'],
      {},
      "Cannot read --settle: expected a time such as 500ms, 5s, 10m, 2h or 30d, found 'soon'",
    ],
    [
      ['--max-body', '64'],
      {},
      "Cannot read --max-body: expected a size such as 512KiB, 64MiB or 20GiB, found '64'",
    ],
    [['--port', '70000'], {}, "Cannot read --port: expected a whole number from 0 to 65535, found '70000'"],
    [['--forward', 'ftp://x'], {}, "Cannot read --forward: expected an http or https URL, found 'ftp://x'"],
    [
      ['--tls-cert', command],
      {},
      'Cannot use TLS: expected --tls-cert and --tls-key, found --tls-cert alone',
    ],
    [
      [],
      { AGENT_REACH_LOG_LEVEL: 'loud' },
      "Cannot read AGENT_REACH_LOG_LEVEL: expected debug, info, warn, error, found 'loud'",
    ],
    [
      [],
      { AGENT_REACH_TOKEN: 'two words' },
      'Cannot read AGENT_REACH_TOKEN: expected one line of printable characters, found something else',
    ],
    [
      ['--host', '0.0.0.0', '--store', ':memory:'],
      {},
      'Cannot listen on 0.0.0.0: expected a bearer token for an address that other machines reach, found none',
    ],
  ])('refuses %j with %j', (args, env, message) => {
    const { status, stderr } = serve(args, env)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })

  it('shows where each setting is from, and no secret', () => {
    const shown = serve(
      [
        '--print-config',
        '--settle',
        '2s',
        '--forward',
        'http://h',
        '--forward-headers',
        'api-key=secret,other=secret',
      ],
      {
        AGENT_REACH_IDLE: '1m',
        AGENT_REACH_SETTLE: '9s',
        AGENT_REACH_TOKEN: 'secret',
      },
    )
    expect(shown.stdout).not.toContain('secret')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      settle: { value: '2s', source: 'option' },
      idle: { value: '1m', source: 'AGENT_REACH_IDLE' },
      port: { value: '4318', source: 'default' },
      'forward-headers': { value: 'api-key=…,other=…' },
      token: { value: 'set' },
    })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('starts, answers, and ends with 0 on %s', async (signal) => {
    const args = [command, 'serve', '--port', '0', '--store', `${signal}.db`]
    const child = spawn(process.execPath, args, { cwd: folder })
    child.stderr.setEncoding('utf8')
    const [line] = (await once(child.stderr, 'data')) as [string]
    const { message, url } = JSON.parse(line) as { readonly message: string; readonly url: string }
    expect(message).toBe('service started')
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    const info = spawnSync(process.execPath, [command, 'store', 'info', '--store', `${signal}.db`], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(JSON.parse(info.stdout)).toMatchObject({ traces: 0, chains: 0 })
    const verified = spawnSync(process.execPath, [command, 'store', 'verify', '--store', `${signal}.db`], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(verified).toMatchObject({ status: 0, stdout: 'nothing is wrong\n' })
  })
})

describe('agent-reach store', () => {
  it.each([
    [['info', '--store', 'absent.db'], 'Cannot open the store absent.db: expected a file, found nothing'],
    [[], 'expected one of info, verify, export, compact, found nothing'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [command, 'store', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })
})

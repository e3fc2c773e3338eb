import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { request as askSecurely } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDist, command } from '../build-dist.ts'
import { createTraces } from '../docs/traces.ts'
import { runCommand, sendTraces, startCommand } from './service-command.ts'

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

/** Begins a request that is not over: its last byte is sent by `finish`, which gives the status. */
async function beginRequest(url: string): Promise<{ readonly finish: () => Promise<number | undefined> }> {
  const body = createTraces()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const message = ask(`${url}/v1/traces`, { method: 'POST', headers, agent: false })
  const answer = new Promise<number | undefined>((resolve, reject) => {
    message.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
  // Where the process ends under it, nobody waits for an answer.
  answer.catch(() => {})
  await new Promise((resolve) => message.write(body.slice(0, -2), resolve))
  // The service has it once it counts a request behind it.
  await fetch(`${url}/readyz`)
  return {
    finish: () => {
      message.end(body.slice(-2))
      return answer
    },
  }
}

describe('a service that runs', () => {
  const place = { cwd: folder }
  const memory = ['--store', ':memory:']

  it('asks for the token of the environment', async () => {
    const { url, child, ended } = await startCommand(memory, {
      ...place,
      env: { AGENT_REACH_TOKEN: 'sesame' },
    })
    expect(await sendTraces(url)).toBe(401)
    const headers = { authorization: 'Bearer sesame', 'content-type': 'application/json' }
    const sent = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body: createTraces() })
    expect(sent.status).toBe(200)
    child.kill()
    expect(await ended).toEqual([0, null])
  })

  it('asks for the token of a file rather than for that of the environment', async () => {
    writeFileSync(join(folder, 'token'), 'of-the-file\n')
    const { url, child, ended } = await startCommand([...memory, '--token-file', 'token'], {
      ...place,
      env: { AGENT_REACH_TOKEN: 'of-the-environment' },
    })
    const statusWith = async (token: string): Promise<number> =>
      (await fetch(`${url}/api/v1/chains`, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await statusWith('of-the-environment')).toBe(401)
    expect(await statusWith('of-the-file')).toBe(200)
    child.kill()
    await ended
  })

  it('speaks HTTPS with a certificate', async () => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem']
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { cwd: folder, stdio: 'ignore' })
    const { url, child, ended } = await startCommand(
      [...memory, '--tls-cert', 'cert.pem', '--tls-key', 'key.pem'],
      place,
    )
    const { protocol, port } = new URL(url)
    expect(protocol).toBe('https:')
    const ca = readFileSync(join(folder, 'cert.pem'))
    const status = await new Promise((resolve, reject) => {
      askSecurely(`https://localhost:${port}/healthz`, { ca, family: 4, agent: false }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
    child.kill()
    await ended
  })

  it('keeps its port and its store to itself, and cannot forward to itself', async () => {
    const { url, child, ended } = await startCommand(['--store', 'held.db'], place)
    const { port } = new URL(url)
    const samePort = runCommand(['serve', ...memory, '--port', port], place)
    expect(samePort.stderr).toContain(
      `Cannot listen on 127.0.0.1:${port}: expected a port that is free, found one that another program has`,
    )
    expect(samePort.status).toBe(2)
    const sameStore = runCommand(['serve', '--store', 'held.db', '--port', '0'], place)
    expect(sameStore.stderr).toContain('found one that another service has open')
    expect(sameStore.status).toBe(2)
    child.kill()
    await ended
    const loop = runCommand(['serve', ...memory, '--port', port, '--forward', url], place)
    expect(loop.stderr).toMatch(/^agent-reach: Cannot forward spans: /u)
    expect(loop.status).toBe(2)
  })

  it('does not start with rules that cannot be used', () => {
    writeFileSync(join(folder, 'rules.yaml'), 'version: 1\nnodez: {}\n')
    const { status, stderr } = runCommand(['serve', ...memory, '--rules', 'rules.yaml'], place)
    expect(stderr).toMatch(/^agent-reach: .*rules\.yaml.*nodez/u)
    expect(status).toBe(2)
  })

  it('answers and stores what was under way when it is told to stop', async () => {
    const { url, child, ended, waitForLine } = await startCommand(['--store', 'flight.db'], place)
    const { finish } = await beginRequest(url)
    child.kill('SIGTERM')
    await waitForLine('service stopping')
    expect(await finish()).toBe(200)
    expect(await ended).toEqual([0, null])
    const info = runCommand(['store', 'info', '--store', 'flight.db'], place)
    expect(JSON.parse(info.stdout)).toMatchObject({ traces: 1 })
  })

  it.each([
    ['SIGTERM', 'SIGINT', 130],
    ['SIGINT', 'SIGTERM', 143],
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGINT', 'SIGINT', 130],
  ] as const)(
    'ends at once on %s and then %s, and keeps what it acknowledged',
    async (first, second, code) => {
      const store = `${first}-${second}.db`
      const args = ['--store', store, '--stop-timeout', '10m', '--settle', '1h']
      const { url, child, ended, waitForLine } = await startCommand(args, place)
      expect(await sendTraces(url)).toBe(200)
      await beginRequest(url)
      child.kill(first)
      await waitForLine('service stopping')
      child.kill(second)
      expect(await ended).toEqual([code, null])
      // A service takes up what was left, and tells that it fits together.
      const next = await startCommand(['--store', store], place)
      next.child.kill()
      await next.ended
      expect(JSON.parse(runCommand(['store', 'info', '--store', store], place).stdout)).toMatchObject({
        traces: 1,
      })
      expect(runCommand(['store', 'verify', '--store', store], place).stdout).toBe('nothing is wrong\n')
    },
  )
})

describe('the environment', () => {
  it('has a variable for each kind of setting', () => {
    const env = {
      AGENT_REACH_STORE: ':memory:',
      AGENT_REACH_PORT: '0',
      AGENT_REACH_ALLOW_HOST: 'a.example,b.example',
      AGENT_REACH_SETTLE: '2s',
      AGENT_REACH_RETENTION_SIZE: '20GiB',
      AGENT_REACH_MAX_OPEN: '10',
      AGENT_REACH_MARK_STATUS: 'never',
      AGENT_REACH_FORWARD: 'https://h.example',
    }
    const shown = JSON.parse(serve(['--print-config'], env).stdout) as Readonly<Record<string, unknown>>
    for (const [variable, value] of Object.entries(env)) {
      const name = variable.slice('AGENT_REACH_'.length).toLowerCase().replaceAll('_', '-')
      expect([name, shown[name]]).toEqual([name, { value, source: variable }])
    }
  })

  it.each([
    ['AGENT_REACH_SETTLE', 'soon', 'expected a time'],
    ['AGENT_REACH_MAX_BODY', '64', 'expected a size'],
    ['AGENT_REACH_PORT', 'x', 'expected a whole number'],
    ['AGENT_REACH_FORWARD', 'ftp://x', 'expected an http or https URL'],
    ['AGENT_REACH_TOKEN_FILE', 'absent', 'expected a file that can be read'],
    ['AGENT_REACH_RULES', 'absent.yaml', 'absent.yaml'],
  ])('is refused where %s is %s', (variable, value, message) => {
    const { status, stderr } = serve([], { [variable]: value })
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })
})

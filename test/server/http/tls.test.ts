import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchangeRaw, openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

const makeCertificate = 'openssl'
let folder = ''
let tls: { cert: Buffer; key: Buffer }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-reach-tls-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  execFileSync(makeCertificate, ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  tls = { cert: readFileSync(cert), key: readFileSync(key) }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('with certificate and key the server speaks TLS', async () => {
  const { url, port } = await serve({ tls })
  expect(url).toBe(`https://127.0.0.1:${port}`)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(
      `https://localhost:${port}/echo`,
      { ca: tls.cert, family: 4, agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    asked.on('error', reject)
    asked.end()
  })
  expect(status).toBe(200)
})

test.each([
  ['TLSv1.1', false],
  ['TLSv1.2', true],
  ['TLSv1.3', true],
] as const)('%s is spoken: %s', async (version, isSpoken) => {
  const { port } = await serve({ tls })
  const spoken = await new Promise<boolean>((resolve) => {
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' }
    const socket = connect(
      { port, host: '127.0.0.1', ca: tls.cert, servername: 'localhost', ...versions },
      () => {
        resolve(socket.getProtocol() === version)
        socket.destroy()
      },
    )
    socket.on('error', () => resolve(false))
  })
  expect(spoken).toBe(isSpoken)
})

test('plain HTTP on a port of TLS gets nothing', async () => {
  const { port, log } = await serve({ tls })
  expect(await exchangeRaw(port, 'GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n')).not.toMatch(/200/u)
  expect(log).toEqual([])
})

test('a client that never shakes hands is let go, and does not hold up the end', async () => {
  const { port, server } = await serve({ tls, headMillis: 300 })
  const silent = await openRaw(port)
  expect(await silent.closed).toBe('')
  const other = await openRaw(port)
  const before = performance.now()
  await server.close(20_000)
  expect(performance.now() - before).toBeLessThan(5_000)
  await other.closed
})

import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readForwardUrl, refuseOwnAddress } from '../../../src/server/forward-address.ts'

describe('readForwardUrl()', () => {
  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['https://collector/', 'https://collector/v1/traces'],
    ['https://collector/otlp?key=1', 'https://collector/otlp?key=1'],
  ])('reads %s', (text, href) => {
    expect(readForwardUrl(text).href).toBe(href)
  })

  it.each(['collector:4318', 'ftp://collector', 'nothing', 'https://me:secret@collector'])(
    'refuses %s',
    (text) => {
      expect(() => readForwardUrl(text)).toThrow(
        /^Cannot forward spans: expected an http: or https: address/u,
      )
      expect(() => readForwardUrl(text)).not.toThrow(/secret/u)
    },
  )
})

const refusal =
  /^Cannot forward spans: expected an endpoint other than the address on which the service listens/u
const localAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address

describe('refuseOwnAddress()', () => {
  it.each([
    ['http://127.0.0.1:4318', '127.0.0.1', 4318],
    ['http://localhost:4318', '127.0.0.1', 4318],
    ['http://localhost:4318/other', 'localhost', 4318],
    ['http://[::1]:4318', '::1', 4318],
    ['http://[::1]:4318', '::', 4318],
    ['http://127.0.0.2:4318', '0.0.0.0', 4318],
    ['http://0.0.0.0:4318', '127.0.0.1', 4318],
    ['http://[::ffff:127.0.0.1]:4318', '127.0.0.1', 4318],
    ['http://127.0.0.1', '0.0.0.0', 80],
    ['https://127.0.0.1', '0.0.0.0', 443],
    ...(localAddress === undefined ? [] : [[`http://${localAddress}:4318`, '0.0.0.0', 4318] as const]),
  ] as const)('refuses %s where the service listens on %s port %i', async (url, host, port) => {
    await expect(refuseOwnAddress(new URL(url), { host, port })).rejects.toThrow(refusal)
  })

  it.each([
    ['http://127.0.0.1:4319', '127.0.0.1', 4318],
    ['http://192.0.2.7:4318', '0.0.0.0', 4318],
    ['http://nobody.invalid:4318', '127.0.0.1', 4318],
  ] as const)('allows %s where the service listens on %s port %i', async (url, host, port) => {
    await expect(refuseOwnAddress(new URL(url), { host, port })).resolves.toBeUndefined()
  })
})

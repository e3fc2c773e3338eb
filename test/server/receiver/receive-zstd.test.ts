import * as zlib from 'node:zlib'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { expect, test } from 'vitest'
import { readStatus } from './read-answer.ts'
import { post, protobufRequest, receive, TRACE } from './receive.ts'

const zstd = await Zstd.load()
const good = protobufRequest(['00f067aa0ba902b7'])
const hasZstd = 'createZstdDecompress' in zlib
const pack = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(zstd.compress(bytes))

test('Zstandard is taken where this Node.js has it, and refused elsewhere', async () => {
  const { url, intake } = await receive()
  const answer = await post(url, pack(good), { 'content-encoding': 'zstd' })
  expect(answer.status).toBe(hasZstd ? 200 : 415)
  expect(intake.spans).toEqual(hasZstd ? [`${TRACE}/00f067aa0ba902b7`] : [])
  const refused = await post(url, good, { 'content-encoding': 'br' })
  expect(refused.headers.get('accept-encoding')).toBe(hasZstd ? 'gzip, deflate, zstd' : 'gzip, deflate')
})

test('Zstandard that unpacks beyond the limit, is cut or wants a large window is never taken', async () => {
  const { url, intake } = await receive({ maxBodyBytes: 1024 * 1024 })
  const headers = { 'content-encoding': 'zstd' }
  const bomb = await post(url, pack(new Uint8Array(16 * 1024 * 1024)), headers)
  expect(bomb.status).toBe(hasZstd ? 413 : 415)
  const cut = await post(url, pack(good).slice(0, -5), headers)
  expect(cut.status).toBe(hasZstd ? 400 : 415)
  // Magic, no checksum and no size, a window of 2 GiB, and one empty block.
  const wide = await post(url, Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]), headers)
  expect(wide.status).toBe(hasZstd ? 400 : 415)
  expect(readStatus(wide).code).toBe(3)
  expect(intake.taken).toEqual([])
})

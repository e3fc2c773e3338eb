import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesField } from '../../otlp/wire-fields.ts'
import { post } from './receive.ts'

const MIB = 1024 * 1024

let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-reach-receiver-'))
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'measured-receiver.mjs'),
    platform: 'node',
    external: [/^node:/u],
    logLevel: 'silent',
  })
  await bundle.write({ file: join(folder, 'receiver.mjs'), format: 'esm' })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a receiver in its own process while `load` is put on it, and gives by how many MiB its memory grew at most. */
async function measure(load: (url: string) => Promise<void>): Promise<number> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [join(folder, 'receiver.mjs')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const readPeak = async (): Promise<number> => {
    child.stdin.write('peak\n')
    return Number((await lines.next()).value)
  }
  try {
    const port = Number((await lines.next()).value)
    const url = `http://127.0.0.1:${port}/v1/traces`
    await post(url, '{}')
    const before = await readPeak()
    await load(url)
    return ((await readPeak()) - before) / MIB
  } finally {
    child.kill()
  }
}

async function together(count: number, send: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, send))
  return answers.map(({ status }) => status)
}

test('forty bombs at a time take no more than the bodies in work may', async () => {
  const bomb = Uint8Array.from(gzipSync(Buffer.alloc(256 * MIB), { level: 1 }))
  const grownMib = await measure(async (url) => {
    const statuses = await together(40, async () => post(url, bomb, { 'content-encoding': 'gzip' }))
    for (const status of statuses) expect([413, 503]).toContain(status)
  })
  expect(grownMib).toBeLessThan(500)
})

test('bodies of a gigabyte together take no more than the bodies in work may', async () => {
  const body = Uint8Array.from(bytesField(1, bytesField(2, bytesField(9, Buffer.alloc(60_000_000)))))
  const grownMib = await measure(async (url) => {
    for (const status of await together(16, async () => post(url, body))) expect([200, 503]).toContain(status)
  })
  expect(grownMib).toBeLessThan(700)
})

test('JSON of millions of small values takes some times its size, one request after the other', async () => {
  const body = `{"resourceSpans":[],"a":[${'{},'.repeat(2_400_000)}1]}`
  const grownMib = await measure(async (url) => {
    expect(await together(4, async () => post(url, body))).toEqual([200, 200, 200, 200])
  })
  expect(grownMib).toBeLessThan(900)
})

test('of half a million spans of nothing, each of a trace of its own, those of 100,000 traces are taken', async () => {
  const spans = Array.from({ length: 500_000 }, (_, n) => {
    const span = Buffer.alloc(30)
    span.set([18, 28, 10, 16])
    span.writeUInt32BE(n + 1, 16)
    span.set([18, 8], 20)
    span.writeUInt32BE(n + 1, 26)
    return span
  })
  const body = Uint8Array.from(bytesField(1, bytesField(2, Buffer.concat(spans))))
  const grownMib = await measure(async (url) => {
    expect(await together(2, async () => post(url, body))).toEqual([200, 200])
  })
  expect(grownMib).toBeLessThan(1_000)
})

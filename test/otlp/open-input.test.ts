import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInput } from '../../src/otlp/open-input.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { collect } from './chunks.ts'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'open-input-'))
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

function fileOf(name: string, bytes: string | Uint8Array): string {
  const path = join(directory, name)
  writeFileSync(path, bytes)
  return path
}

describe('openInput()', () => {
  it('reads a file in chunks and tells how many bytes it has read', async () => {
    const bytes = Buffer.alloc(2_500_000, 'x')
    const counts: number[] = []
    const chunks = await collect(openInput(fileOf('plain', bytes), (count) => counts.push(count)))
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    expect(counts).toEqual([1_048_576, 1_048_576, 402_848])
  })

  it('reads a stream that is open already', async () => {
    let total = 0
    const stream = Readable.from([Buffer.from('{"a"'), Buffer.from(':1}')])
    const items = await collect(readDocuments(openInput(stream, (count) => (total += count))))
    expect(items).toEqual([{ line: 1, offset: 7, value: { a: 1 } }])
    expect(total).toBe(7)
  })

  it('counts the bytes as stored, whatever the name says', async () => {
    const packed = gzipSync('{"a":1}\n'.repeat(1_000))
    let total = 0
    const items = await collect(readDocuments(openInput(fileOf('traces.json', packed), (n) => (total += n))))
    expect(items).toHaveLength(1_000)
    expect(total).toBe(packed.length)
    expect(await collect(readDocuments(openInput(fileOf('plain.gz', '{"a":1}'))))).toHaveLength(1)
  })

  it('opens nothing before it is read, and throws what the file system says then', async () => {
    const input = openInput(join(directory, 'missing'))
    await expect(collect(input)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(collect(openInput(directory))).rejects.toMatchObject({ code: 'EISDIR' })
  })

  it('closes its file when the reader stops', async () => {
    const path = fileOf('many', '{"a":1}\n'.repeat(1_000_000))
    for await (const item of readDocuments(openInput(path))) {
      if ('value' in item) break
    }
    rmSync(path)
  })
})

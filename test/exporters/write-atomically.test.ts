import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type * as promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { syncFolder, writeAtomically } from '../../src/exporters/write-atomically.ts'

const disk = vi.hoisted(() => ({ isFull: false }))

vi.mock('node:fs/promises', async (load) => {
  const original = await load<typeof promises>()
  const open: typeof original.open = async (...args) => {
    const handle = await original.open(...args)
    const sync = handle.sync.bind(handle)
    handle.sync = () => (disk.isFull ? Promise.reject(new Error('no space left')) : sync())
    return handle
  }
  return { ...original, open }
})

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-atomically-'))
})

afterEach(async () => {
  disk.isFull = false
  await rm(folder, { recursive: true, force: true })
})

describe('writeAtomically()', () => {
  test('writes a new file and replaces an old one', async () => {
    const path = join(folder, 'report.json')
    await writeAtomically(path, 'one')
    expect(await readFile(path, 'utf8')).toBe('one')
    await writeAtomically(path, 'two 订单')
    expect(await readFile(path, 'utf8')).toBe('two 订单')
    expect(await readdir(folder)).toEqual(['report.json'])
  })

  test('leaves the old file as it was and nothing else where the disk is full', async () => {
    const path = join(folder, 'report.json')
    await writeFile(path, 'old')
    disk.isFull = true
    await expect(writeAtomically(path, 'new')).rejects.toThrow('no space left')
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['report.json'])
  })

  test('leaves nothing where there was nothing', async () => {
    disk.isFull = true
    await expect(writeAtomically(join(folder, 'report.json'), 'new')).rejects.toThrow('no space left')
    expect(await readdir(folder)).toEqual([])
  })

  test('rejects where there is no such folder', async () => {
    await expect(writeAtomically(join(folder, 'none', 'report.json'), 'new')).rejects.toThrow(/ENOENT/u)
  })
})

describe('syncFolder()', () => {
  test('never rejects', async () => {
    await syncFolder(folder)
    await syncFolder(join(folder, 'none'))
  })
})

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../src/exporters/make-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'make-folder-'))

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('makeFolder()', () => {
  it('makes all missing folders, also when asked twice at once', async () => {
    const path = join(root, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(root, 'a', 'd'))])
    expect(statSync(path).isDirectory()).toBe(true)
    await makeFolder(path)
  })

  it('rejects where a file stands in the way', async () => {
    writeFileSync(join(root, 'file'), '')
    await expect(makeFolder(join(root, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it.runIf(existsSync('/proc/self'))('ends where a file system denies that a parent is there', async () => {
    await expect(makeFolder('/proc/agent-reach/reports')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it that are missing; an existing one is left as it is.
 *
 * Node's own recursive `mkdir` never ends where a file system says that a folder's parent is missing although it is
 * there, as `/proc` does; here each level is tried once more after its parent, and no oftener.
 *
 * @throws {Error} the error of the file system, as when a file stands in the way (`EEXIST`, `ENOTDIR`)
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    await mkdir(path).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  }
}

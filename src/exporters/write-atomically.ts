import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file so that readers see either what was there before or all of the new text, never a part of it: into a
 * hidden temporary file in the same folder, onto the disk, then renamed. Where that fails the old file stays and the
 * temporary one is removed.
 *
 * @param path in a folder that exists
 * @throws {Error} the error of the file system, as when there is no space left (`ENOSPC`)
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeThrough(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * Brings the entries of a folder onto the disk, so that a renamed file is still there after a power cut. Systems that
 * cannot do that, such as Windows, do it by themselves or not at all: an error says nothing.
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch {
    // Nothing is lost but a guarantee that the system does not give.
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(text, 'utf8')
    await file.sync()
  } finally {
    await file.close()
  }
}

import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join, parse, resolve } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { syncFolder } from './write-atomically.ts'
import { codeOf, toWriteError } from './write-error.ts'

/** Which file is written, and how much of it is kept. */
export interface RotatingFileOptions {
  /** Absolute, or relative to where the program runs now; its folder is made when it is needed. */
  readonly path: string
  /** Bytes that the file has at most; one line that is longer has a file of its own. */
  readonly maxBytes: number
  /** Files that are kept, the one that is written included. */
  readonly maxFiles: number
}

/** A file of whole lines. Its methods are called one after another, never before the last has ended. */
export interface RotatingFile {
  /** Adds a line, which must end with a newline; rejects where it is not wholly in the file, and leaves no part of it. */
  append(line: string): Promise<void>
  /** Resolves when all lines are on the disk. */
  sync(): Promise<void>
  /** Brings all lines onto the disk and lets go of the file; a line after that opens it again. */
  close(): Promise<void>
}

interface OpenFile {
  readonly handle: FileHandle
  bytes: number
}

const NEWLINE = 0x0a

/**
 * Creates a file that grows by lines. When a line would make it too long, `name.jsonl` becomes `name.1.jsonl`, that
 * becomes `name.2.jsonl`, and so on; the oldest is deleted. A last line that a killed program left unfinished is ended
 * with a newline before anything is added. The file is opened by the first line; no other program may write it.
 */
export function createRotatingFile({ maxBytes, maxFiles, ...options }: RotatingFileOptions): RotatingFile {
  const path = resolve(options.path)
  let current: OpenFile | undefined

  const close = async (): Promise<void> => {
    const file = current
    current = undefined
    if (file !== undefined) await closeSynced(file.handle)
  }

  const append = async (bytes: Buffer): Promise<void> => {
    current ??= await openWhole(path)
    if (current.bytes > 0 && current.bytes + bytes.length > maxBytes) {
      await close()
      await rotate(path, maxFiles)
      current = await openWhole(path)
    }
    await appendWhole(current, bytes).catch(async (error: unknown) => {
      // What the file holds now is not known: it is looked at again before the next line.
      const { handle } = current as OpenFile
      current = undefined
      await handle.close().catch(() => {})
      throw error
    })
  }

  return {
    append: async (line) => {
      await append(Buffer.from(line)).catch((error: unknown) => {
        throw toWriteError(path, error)
      })
    },
    sync: async () => {
      await current?.handle.sync()
    },
    close,
  }
}

/** The name of a file that was set aside; 0 is the one that is written. */
function toRotatedPath(path: string, at: number): string {
  const { dir, name, ext } = parse(path)
  return at === 0 ? path : join(dir, `${name}.${at}${ext}`)
}

/** Sets the file aside, and those before it, from the oldest on, so that no name is taken twice. */
async function rotate(path: string, maxFiles: number): Promise<void> {
  await rm(toRotatedPath(path, maxFiles - 1), { force: true })
  for (let at = maxFiles - 2; at >= 0; at--) {
    await rename(toRotatedPath(path, at), toRotatedPath(path, at + 1)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }
  await syncFolder(dirname(path))
}

/** Opens a file, or makes it, and ends a line that was left unfinished. */
async function openWhole(path: string): Promise<OpenFile> {
  await makeFolder(dirname(path))
  const handle = await open(path, 'a+')
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Error('something that is not a file')
    const file = { handle, bytes: stat.size }
    if (file.bytes === 0) await syncFolder(dirname(path))
    else if ((await readLastByte(file)) !== NEWLINE) await appendWhole(file, Buffer.of(NEWLINE))
    return file
  } catch (error) {
    await handle.close().catch(() => {})
    throw error
  }
}

async function readLastByte({ handle, bytes }: OpenFile): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, bytes - 1)
  return buffer[0]
}

/** Writes all or, as far as the system lets it, nothing: what a full disk took of a line is cut off again. */
async function appendWhole(file: OpenFile, bytes: Buffer): Promise<void> {
  try {
    await file.handle.appendFile(bytes)
    file.bytes += bytes.length
  } catch (error) {
    await file.handle.truncate(file.bytes).catch(() => {})
    throw error
  }
}

async function closeSynced(handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

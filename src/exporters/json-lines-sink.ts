import type { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReportSink } from '../report/report-sink.ts'
import { toClosedError } from './closed-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { requireWholeNumber } from './require-whole-number.ts'
import { createRotatingFile } from './rotating-file.ts'
import { writeToStream } from './write-to-stream.ts'

/** A JSON Lines sink that writes a file. */
export interface JsonLinesFileOptions {
  /** The file, absolute or relative to where the program runs now; its folder is made when it is needed. */
  readonly path: string
  /**
   * Bytes that the file has at most before it is set aside as `name.1.jsonl`; a report that is longer has a file of
   * its own.
   *
   * @default no limit
   */
  readonly maxBytes?: number
  /**
   * Files that are kept where there is a limit of bytes, the one that is written included; the oldest is deleted.
   *
   * @default 5
   */
  readonly maxFiles?: number
}

/** A JSON Lines sink that writes to a stream. */
export interface JsonLinesStreamOptions {
  /** Standard output, a socket, a pipe; never closed. */
  readonly stream: Writable
}

/** What a JSON Lines sink is made of. */
export type JsonLinesSinkOptions = JsonLinesFileOptions | JsonLinesStreamOptions

/** Where lines go; used by one piece of work at a time. */
interface LineTarget {
  append(line: string): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a sink that writes one report a line, each revision on a line of its own, and only adds lines. A file holds
 * whole lines: a program that is killed leaves at most the last one unfinished, and the next start ends it with a
 * newline. No two programs may write the same file.
 *
 * `write` resolves when the line is handed to the system or the stream has taken it, and rejects where it cannot be;
 * `flush` resolves when a file is on the disk.
 *
 * @throws {TypeError} where `path` is empty
 * @throws {RangeError} where `maxBytes` or `maxFiles` is no whole number from 1
 */
export function createJsonLinesSink(options: JsonLinesSinkOptions): ReportSink {
  const target = 'stream' in options ? createStreamTarget(options.stream) : createFileTarget(options)
  const queue = createKeyedQueue(1)
  const inTurn = (work: () => Promise<void>): Promise<void> => queue.run('', work)
  let closed = false
  return {
    write: async (report) => {
      if (closed) throw toClosedError(report, 'JSON Lines sink')
      const line = `${JSON.stringify(report)}\n`
      await inTurn(() => target.append(line))
    },
    flush: () => inTurn(() => target.sync()),
    close: async () => {
      closed = true
      await inTurn(() => target.close())
    },
  }
}

function createFileTarget({ path, maxBytes, maxFiles = 5 }: JsonLinesFileOptions): LineTarget {
  const of = 'a JSON Lines sink'
  if (path === '') throw new TypeError(`Cannot create ${of}: expected path to be that of a file, found ''`)
  return createRotatingFile({
    path,
    maxBytes:
      maxBytes === undefined
        ? Infinity
        : requireWholeNumber({ of, name: 'maxBytes', value: maxBytes, minimum: 1 }),
    maxFiles: requireWholeNumber({ of, name: 'maxFiles', value: maxFiles, minimum: 1 }),
  })
}

function createStreamTarget(stream: Writable): LineTarget {
  let isListening = false
  return {
    append: async (line) => {
      // Errors are told by `write`; without a listener they would end the process too.
      if (!isListening) stream.on('error', ignore)
      isListening = true
      await writeToStream(stream, line).catch((cause: unknown) => {
        const found = cause instanceof Error ? cause.message : String(cause)
        throw new Error(`Cannot write to the stream: expected it to take a report, found ${found}`, { cause })
      })
    },
    sync: () => Promise.resolve(),
    close: async () => {
      // The event comes after the answer to the write that failed.
      await nextTurn()
      stream.off('error', ignore)
      isListening = false
    },
  }
}

function ignore(): void {}

import { type DocumentItem, notJson, tooLong, type UnreadDocument } from './document-item.ts'
import { isBlank, parseBytes } from './parse-bytes.ts'

const NEWLINE = 10
const LINE_BREAK = Buffer.from('\n')
const FIRST_CAPACITY = 4_096
const OPEN_OBJECT = 0x7b

/** The lines of a document that is not complete yet, as they stand in the input. */
export class HeldLines {
  /** The line on which the document begins, from 1. */
  readonly line: number
  /** Whether there were more bytes than allowed; they are then no longer held. */
  isTooLong = false
  readonly #start: number
  readonly #maxBytes: number
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_CAPACITY)
  #size = 0

  /**
   * @param line - The line on which the document begins.
   * @param start - Bytes of the input before it.
   * @param maxBytes - How many bytes are held at most.
   */
  constructor(line: number, start: number, maxBytes: number) {
    this.line = line
    this.#start = start
    this.#maxBytes = maxBytes
  }

  /** Adds what a line has of the document. */
  add(bytes: Buffer, isTerminated: boolean): void {
    this.#append(bytes)
    if (isTerminated) this.#append(LINE_BREAK)
  }

  /** The bytes of the document, given its last ones. */
  closedBy(bytes: Buffer): Buffer {
    return Buffer.concat([this.#held(), bytes])
  }

  /** Whether a line after the first is a JSON object of its own, as in a file of one document a line. */
  hasObjectLine(): boolean {
    const held = this.#held()
    for (let start = held.indexOf(NEWLINE) + 1; start > 0; start = held.indexOf(NEWLINE, start) + 1) {
      if (held[start] === OPEN_OBJECT && parseBytes(lineAt(held, start)) !== undefined) return true
    }
    return false
  }

  /** @yields Each line as a document of its own, or as none. */
  *singly(): Generator<DocumentItem> {
    const held = this.#held()
    let number = this.line
    for (let start = 0; start < held.length; number += 1) {
      const bytes = lineAt(held, start)
      start += bytes.length + 1
      if (isBlank(bytes)) continue
      const offset = this.#start + Math.min(start, held.length)
      const parsed = parseBytes(bytes)
      if (parsed === undefined) yield notJson(number, offset, bytes, start > held.length)
      else yield { line: number, offset, value: parsed.value }
    }
  }

  /** The document as one that ends too early. */
  torn(): UnreadDocument {
    return notJson(this.line, this.#start + this.#size, this.#held(), true)
  }

  /** The document as one of too many bytes. */
  tooLong(): UnreadDocument {
    return tooLong(this.line, this.#start + this.#size, this.#size, this.#maxBytes)
  }

  #held(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  #append(bytes: Buffer): void {
    const size = this.#size + bytes.length
    if (size > this.#maxBytes && !this.isTooLong) {
      this.isTooLong = true
      this.#bytes = Buffer.alloc(0)
    }
    if (!this.isTooLong) {
      if (size > this.#bytes.length) this.#grow(Math.max(size, this.#bytes.length * 2))
      this.#bytes.set(bytes, this.#size)
    }
    this.#size = size
  }

  #grow(capacity: number): void {
    const grown = Buffer.allocUnsafe(capacity)
    grown.set(this.#held())
    this.#bytes = grown
  }
}

function lineAt(bytes: Buffer, start: number): Buffer {
  const newline = bytes.indexOf(NEWLINE, start)
  return newline === -1 ? bytes.subarray(start) : bytes.subarray(start, newline)
}

import { type DocumentItem, notJson, tooLong } from './document-item.ts'
import { HeldLines } from './held-lines.ts'
import { JsonScanner } from './json-scanner.ts'
import { isBlank, parseBytes, withoutByteOrderMark } from './parse-bytes.ts'
import type { Line } from './split-lines.ts'

/**
 * Makes JSON documents of lines. A line that is JSON is a document. A line that is the beginning of a JSON object
 * or array is joined with those that continue it, as in pretty-printed files; as soon as one does not continue
 * it, the lines are taken one by one, so that a damaged line costs itself only. At the end of the input an
 * unfinished document is told once, as torn, unless one of its lines is an object of its own.
 */
export class DocumentAssembler {
  readonly #maxBytes: number
  readonly #scanner = new JsonScanner()
  #held: HeldLines | undefined

  /** @param maxBytes - How long a document of many lines may be. A longer one is skipped and told. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * @param line - The next line.
   * @yields The documents that it ends, and what has turned out to be none.
   */
  *add(line: Line): Generator<DocumentItem> {
    if (this.#held === undefined) yield* this.#addFirst(line)
    else if (line.bytes === undefined) yield* this.#giveUp(line, Buffer.alloc(0))
    else yield* this.#scan(line, line.bytes, line.start)
  }

  /** @yields What is left at the end of the input. */
  *end(): Generator<DocumentItem> {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) return
    if (held.isTooLong) yield held.tooLong()
    else if (held.hasObjectLine()) yield* held.singly()
    else yield held.torn()
  }

  *#addFirst(line: Line): Generator<DocumentItem> {
    if (line.bytes === undefined) {
      const size = line.end - line.start - (line.isTerminated ? 1 : 0)
      yield tooLong(line.number, line.end, size, this.#maxBytes)
      return
    }
    const bytes = withoutByteOrderMark(line.bytes)
    if (isBlank(bytes)) return
    const parsed = parseBytes(bytes)
    if (parsed === undefined) {
      this.#scanner.reset()
      yield* this.#scan(line, bytes, line.start + line.bytes.length - bytes.length)
    } else {
      yield { line: line.number, offset: line.end, value: parsed.value }
    }
  }

  // The bytes of a line, which begin at `start`, are the continuation of what is held, if anything is.
  *#scan(line: Line, bytes: Buffer, start: number): Generator<DocumentItem> {
    for (let from = 0; !isBlank(bytes.subarray(from)) || this.#held !== undefined;) {
      const state = this.#scanner.scan(bytes, from, line.isTerminated)
      const to = this.#scanner.position
      if (state === 'open') {
        this.#held ??= new HeldLines(line.number, start + from, this.#maxBytes)
        this.#held.add(bytes.subarray(from), line.isTerminated)
        return
      }
      const item = state === 'broken' ? undefined : this.#close(line, bytes.subarray(from, to), start + to)
      if (item === undefined) {
        yield* this.#giveUp(line, bytes.subarray(from))
        return
      }
      yield item
      from = to
    }
  }

  /** The document that `bytes` end, at `offset`; `undefined` where it is not JSON after all. */
  #close(line: Line, bytes: Buffer, offset: number): DocumentItem | undefined {
    const held = this.#held
    if (held?.isTooLong === true) {
      this.#held = undefined
      held.add(bytes, false)
      return held.tooLong()
    }
    const parsed = parseBytes(held === undefined ? bytes : held.closedBy(bytes))
    if (parsed === undefined) return undefined
    this.#held = undefined
    return { line: held?.line ?? line.number, offset, value: parsed.value }
  }

  // The lines up to here are not one document: those before are told, and this one begins anew.
  *#giveUp(line: Line, rest: Buffer): Generator<DocumentItem> {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) {
      yield notJson(line.number, line.end, rest, !line.isTerminated)
      return
    }
    if (held.isTooLong) yield held.tooLong()
    else yield* held.singly()
    yield* this.#addFirst(line)
  }
}

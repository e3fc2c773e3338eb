import { isWhiteSpace } from './parse-bytes.ts'

/**
 * Where a scan stopped: `closed` just past the end of a document, `open` at the end of the bytes inside a
 * document (or before one), `broken` at bytes that no document can have there.
 */
export type ScanState = 'closed' | 'open' | 'broken'

type Wanted = 'document' | 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

// Far more than OTLP needs, and a bound on the memory that hostile brackets can take.
const MAX_LEVELS = 10_000

/**
 * Follows the structure of JSON documents that extend over several lines, so that it is known at the first wrong
 * byte that the lines are not one document. It looks at brackets, commas, colons and where strings end; whether
 * the numbers and words are JSON is left to `JSON.parse`. Only objects and arrays are documents.
 */
export class JsonScanner {
  /** Index just past the last byte that was looked at. */
  position = 0
  #wanted: Wanted = 'document'
  #isObject = new Uint8Array(64)
  #levels = 0

  /** Forgets what was scanned; the next byte may start a document. */
  reset(): void {
    this.#wanted = 'document'
    this.#levels = 0
  }

  /**
   * Scans a whole line (or the rest of one) as the continuation of what was scanned since the last `closed` or
   * `reset`. No JSON string goes on behind a line's end; one that the input's end cuts off is `open`.
   *
   * @param line - The bytes of the line, without its newline.
   * @param from - Where in them to begin.
   * @param isTerminated - Whether the line has its newline.
   */
  scan(line: Buffer, from: number, isTerminated: boolean): ScanState {
    this.position = from
    while (this.position < line.length) {
      const byte = line[this.position] ?? 0
      if (isWhiteSpace(byte)) this.position += 1
      else if (!this.#accept(byte, line)) return 'broken'
      else if (this.#levels === 0) {
        this.reset()
        return 'closed'
      }
    }
    return this.position > line.length && isTerminated ? 'broken' : 'open'
  }

  #accept(byte: number, line: Buffer): boolean {
    switch (byte) {
      case OPEN_OBJECT:
        return this.#open(true)
      case OPEN_ARRAY:
        return this.#open(false)
      case CLOSE_OBJECT:
        return this.#close('key or end', true)
      case CLOSE_ARRAY:
        return this.#close('value or end', false)
      case COLON:
        return this.#step('colon', 'value')
      case COMMA:
        return this.#step('comma or end', this.#isObject[this.#levels - 1] === 1 ? 'key' : 'value')
      case QUOTE:
        return this.#passString(line)
      default:
        return this.#passWord(line)
    }
  }

  #step(wanted: Wanted, next: Wanted): boolean {
    if (this.#wanted !== wanted) return false
    this.#wanted = next
    this.position += 1
    return true
  }

  #wantsValue(): boolean {
    return this.#wanted === 'value' || this.#wanted === 'value or end'
  }

  #open(isObject: boolean): boolean {
    if ((!this.#wantsValue() && this.#wanted !== 'document') || this.#levels === MAX_LEVELS) return false
    if (this.#levels === this.#isObject.length) {
      const grown = new Uint8Array(this.#levels * 2)
      grown.set(this.#isObject)
      this.#isObject = grown
    }
    this.#isObject[this.#levels] = isObject ? 1 : 0
    this.#levels += 1
    this.#wanted = isObject ? 'key or end' : 'value or end'
    this.position += 1
    return true
  }

  #close(empty: Wanted, isObject: boolean): boolean {
    if (this.#wanted !== 'comma or end' && this.#wanted !== empty) return false
    if (this.#isObject[this.#levels - 1] !== (isObject ? 1 : 0)) return false
    this.#levels -= 1
    this.#wanted = 'comma or end'
    this.position += 1
    return true
  }

  #passString(line: Buffer): boolean {
    const isKey = this.#wanted === 'key' || this.#wanted === 'key or end'
    if (!isKey && !this.#wantsValue()) return false
    const start = this.position + 1
    let quote = line.indexOf(QUOTE, start)
    while (quote !== -1 && isEscaped(line, quote, start)) quote = line.indexOf(QUOTE, quote + 1)
    this.#wanted = isKey ? 'colon' : 'comma or end'
    // Past the end marks a string that is not finished.
    this.position = quote === -1 ? line.length + 1 : quote + 1
    return true
  }

  #passWord(line: Buffer): boolean {
    if (!this.#wantsValue()) return false
    const start = this.position
    while (isWordByte(line[this.position] ?? 0)) this.position += 1
    this.#wanted = 'comma or end'
    return this.position > start
  }
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x45
  )
}

function isEscaped(line: Buffer, quote: number, start: number): boolean {
  let first = quote
  while (first > start && line[first - 1] === BACKSLASH) first -= 1
  return (quote - first) % 2 === 1
}

import { toText } from './parse-bytes.ts'

const SLOTS = 1_024
// Keys of attributes and names of spans are rarely longer, and the cache stays below 200 KB.
const MAX_BYTES = 48

/**
 * Keeps short texts that were read last, so that a name that comes with every span is decoded once. There is one slot for
 * each hash; what has another text in its slot takes the slot.
 */
export class TextCache {
  readonly #bytes: (Uint8Array | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
  readonly #texts: string[] = Array.from({ length: SLOTS }, () => '')

  /** The text of the UTF-8 bytes from `start` to `end`; bytes that are not UTF-8 are read as U+FFFD. */
  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start
    if (length > MAX_BYTES) return toText(bytes.subarray(start, end))
    if (length === 0) return ''
    let hash = length
    for (let i = start; i < end; i++) hash = Math.imul(hash, 31) + (bytes[i] ?? 0)
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    const kept = this.#bytes[slot]
    if (kept !== undefined && kept.length === length && isAt(kept, bytes, start))
      return this.#texts[slot] ?? ''
    const text = toText(bytes.subarray(start, end))
    this.#bytes[slot] = new Uint8Array(bytes.subarray(start, end))
    this.#texts[slot] = text
    return text
  }
}

function isAt(part: Uint8Array, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < part.length; i++) {
    if (part[i] !== bytes[start + i]) return false
  }
  return true
}

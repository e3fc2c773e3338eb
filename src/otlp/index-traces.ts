import { decompress } from './decompress.ts'
import { listTraceIds } from './decode-message.ts'
import { detectFraming, type Framing, FRAMING_HEAD_BYTES } from './detect-framing.ts'
import { readHexId, TRACE_ID_DIGITS } from './hex-id.ts'
import { isWhiteSpace } from './parse-bytes.ts'
import { MAX_DOCUMENT_BYTES } from './read-documents.ts'
import { isTextContent, unpackRecord } from './read-record.ts'
import { RecordSplitter } from './split-records.ts'
import { withHead } from './with-head.ts'

/** A place in a list of inputs. */
export interface TracePosition {
  /** Which input, from 0. */
  readonly input: number
  /** Bytes of the unpacked input before the place; comparable with the offsets of `readDocuments`. */
  readonly offset: number
}

/** Where each trace of a list of inputs is mentioned for the last time. */
export interface TraceIndex {
  /** How many traces are mentioned. */
  readonly size: number
  /**
   * The last mention of a trace, by its id in lower case. Once a document of that input has been read whose
   * offset is greater, no further span of the trace comes.
   */
  lastMention(traceId: string): TracePosition | undefined
}

const KEY_START = Buffer.from('"trace')
const KEY_REST = Buffer.from('Id"')
const SNAKE_CASE_KEY_REST = Buffer.from('_id"')
const COLON = 0x3a
const QUOTE = 0x22
const MAX_WHITE_SPACE = 32
/** What ids of the OpenAI Agents SDK begin with. */
const AGENTS_PREFIX = Buffer.from('trace_')
// From the quote before the key to the one behind the id.
const MAX_MENTION_BYTES =
  '"trace_id":""'.length + 2 * MAX_WHITE_SPACE + AGENTS_PREFIX.length + TRACE_ID_DIGITS

/**
 * Finds the last mention of every trace. In text it looks, without parsing, for the keys `traceId` and `trace_id` with a
 * value of 32 hex digits, behind `trace_` where the OpenAI Agents SDK wrote it (with at most 32 characters of white space on each side of the colon). Links and
 * nested objects count as mentions, which only makes a trace seem longer. A key that is written with escapes,
 * which no known exporter does, is missed.
 *
 * In records every span of a message is a mention.
 *
 * @param inputs - The inputs in the order in which they will be read, packed or not, one read at a time.
 */
export async function indexTraces(inputs: Iterable<AsyncIterable<Uint8Array>>): Promise<TraceIndex> {
  const last = new Map<string, TracePosition>()
  let input = 0
  for (const chunks of inputs) {
    const onMention: OnMention = (traceId, offset) => last.set(traceId, { input, offset })
    let scanner: Scanner | undefined
    // Problems are told when the documents are read; the bytes are the same then.
    for await (const chunk of withHead(
      decompress(chunks, () => {}),
      FRAMING_HEAD_BYTES,
    )) {
      scanner ??= createScanner(detectFraming(chunk), onMention)
      scanner.add(chunk)
    }
    scanner?.end()
    input += 1
  }
  return { size: last.size, lastMention: (traceId) => last.get(traceId) }
}

type OnMention = (traceId: string, offset: number) => void

interface Scanner {
  add(chunk: Buffer): void
  end(): void
}

function createScanner(framing: Framing, onMention: OnMention): Scanner {
  return framing === 'lines' ? new MentionScanner(onMention) : new RecordScanner(framing, onMention)
}

/** Looks into records one by one; a mention counts where its record begins. */
class RecordScanner implements Scanner {
  readonly #records: RecordSplitter
  readonly #onMention: OnMention

  constructor(framing: Exclude<Framing, 'lines'>, onMention: OnMention) {
    this.#records = new RecordSplitter(framing, MAX_DOCUMENT_BYTES)
    this.#onMention = onMention
  }

  add(chunk: Buffer): void {
    for (const { start, bytes } of this.#records.add(chunk)) {
      if (bytes !== undefined) this.#look(bytes, start)
    }
  }

  /** A record that is cut short is not read. */
  end(): void {}

  #look(bytes: Buffer, start: number): void {
    const content = unpackRecord(bytes, MAX_DOCUMENT_BYTES)
    if (!Buffer.isBuffer(content)) return
    if (isTextContent(content)) {
      const scanner = new MentionScanner((traceId) => this.#onMention(traceId, start))
      scanner.add(content)
      scanner.end()
    } else {
      for (const traceId of listTraceIds(content)) this.#onMention(traceId, start)
    }
  }
}

class MentionScanner implements Scanner {
  readonly #onMention: OnMention
  /** The end of the bytes so far, where a mention may have begun. */
  #tail: Buffer = Buffer.alloc(0)
  #tailOffset = 0

  constructor(onMention: OnMention) {
    this.#onMention = onMention
  }

  add(chunk: Buffer): void {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const end = Math.max(0, bytes.length - MAX_MENTION_BYTES)
    this.#scan(bytes, end)
    this.#tail = Buffer.from(bytes.subarray(end))
    this.#tailOffset += end
  }

  end(): void {
    this.#scan(this.#tail, this.#tail.length)
  }

  /** Reports the mentions that begin before `end`. */
  #scan(bytes: Buffer, end: number): void {
    let key = bytes.indexOf(KEY_START)
    while (key !== -1 && key < end) {
      const traceId = readMention(bytes, key)
      if (traceId !== undefined) this.#onMention(traceId, this.#tailOffset + key)
      key = bytes.indexOf(KEY_START, key + KEY_START.length)
    }
  }
}

function readMention(bytes: Buffer, key: number): string | undefined {
  const start = valueStart(bytes, key + KEY_START.length)
  const value = startsWith(bytes, AGENTS_PREFIX, start) ? start + AGENTS_PREFIX.length : start
  const end = value + TRACE_ID_DIGITS
  if (start === -1 || bytes[end] !== QUOTE) return undefined
  const traceId = readHexId(bytes.toString('latin1', value, end), TRACE_ID_DIGITS)
  return traceId === '' ? undefined : traceId
}

/** Where the text of the value begins, given where the key goes on behind `"trace`; -1 if it is another key. */
function valueStart(bytes: Buffer, keyRest: number): number {
  let at = keyRest
  if (startsWith(bytes, KEY_REST, at)) at += KEY_REST.length
  else if (startsWith(bytes, SNAKE_CASE_KEY_REST, at)) at += SNAKE_CASE_KEY_REST.length
  else return -1
  at = skipWhiteSpace(bytes, at)
  if (bytes[at] !== COLON) return -1
  at = skipWhiteSpace(bytes, at + 1)
  return bytes[at] === QUOTE ? at + 1 : -1
}

function startsWith(bytes: Buffer, text: Buffer, at: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[at + i] !== text[i]) return false
  }
  return true
}

function skipWhiteSpace(bytes: Buffer, start: number): number {
  let at = start
  while (at - start < MAX_WHITE_SPACE && isWhiteSpace(bytes[at] ?? 0)) at += 1
  return at
}

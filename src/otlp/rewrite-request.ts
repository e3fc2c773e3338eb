import {
  type EventMatch,
  type PartMatches,
  readSpanId,
  readSpanParts,
  type SpanParts,
} from './read-span-parts.ts'
import {
  type RaisedStatus,
  type SpanEdit,
  writeSpanAttributes,
  writeSpanEvent,
  writeSpanStatus,
} from './span-edit.ts'
import { WIRE_BYTES, WireCursor, WireFault } from './wire-cursor.ts'
import { WireWriter } from './wire-writer.ts'

/** What is taken off spans, and which spans are left out. */
export interface RewriteOptions {
  /** Keys of attributes that are taken off every span. */
  readonly keys?: ReadonlySet<string>
  /** Events that are taken off every span. */
  readonly events?: readonly EventMatch[]
  /** Key of the attribute that says `true` where the status of a span is ours: then it is taken off, too. */
  readonly statusKey?: string
  /**
   * Which spans stay, by id, by position among all spans of the request, from 0, and by the length of its bytes. The id of a damaged one is `''`.
   *
   * @default all
   */
  readonly keeps?: (spanId: string, position: number, size: number) => boolean
}

/**
 * Changes spans of an `ExportTraceServiceRequest` in protobuf: takes attributes and events off, adds others at the end,
 * and may raise a status. Everything else keeps its bytes and its order, fields that OTLP does not have included. What
 * is left empty because its spans are left out is left out, too. A span that is damaged passes as it is, and so does
 * all of a list in which spans cannot be told apart. To do it again with the same arguments changes nothing.
 *
 * @param edit what to change in the span of an id (16 lower-case hex digits); `null` for nothing
 * @returns the same buffer where nothing is to be changed
 */
export function rewriteRequest(
  body: Buffer,
  edit: (spanId: string) => SpanEdit | null,
  options: RewriteOptions = {},
): Buffer {
  const rewritten = new Rewriter(body, edit, options).rewrite()
  return rewritten === SAME ? body : Buffer.concat(rewritten ?? [])
}

/** A span in a request. */
export interface ListedSpan {
  /** 16 lower-case hex digits; `''` where the span is damaged. */
  readonly spanId: string
  /** Length of its bytes. */
  readonly size: number
}

/** The spans of a request in their order. */
export function listSpans(body: Buffer): readonly ListedSpan[] {
  const spans: ListedSpan[] = []
  const keeps = (spanId: string, _: number, size: number): boolean => spans.push({ spanId, size }) > 0
  new Rewriter(body, null, { keeps }).rewrite()
  return spans
}

/** `resource_spans`, `scope_spans` and `spans`, from the outside in. */
const LISTS: readonly number[] = [1, 2, 2]

const SAME = Symbol('same')
const NO_KEYS: ReadonlySet<string> = new Set()

/** The parts that a message is made of now; `null` where it is left out. */
type Rewritten = readonly Buffer[] | null | typeof SAME

class Rewriter {
  readonly #body: Buffer
  readonly #cursor: WireCursor
  readonly #edit: ((spanId: string) => SpanEdit | null) | null
  readonly #options: RewriteOptions
  readonly #matches: PartMatches
  #position = 0

  /** @param edit `null` where spans are chosen and stay as they are */
  constructor(body: Buffer, edit: ((spanId: string) => SpanEdit | null) | null, options: RewriteOptions) {
    this.#body = body
    this.#cursor = new WireCursor(body)
    this.#edit = edit
    this.#options = options
    this.#matches = { events: options.events ?? [], statusKey: options.statusKey ?? null }
  }

  rewrite(): Rewritten {
    return this.#unlessDamaged(() => this.#rewriteList(0, this.#body.length), SAME)
  }

  /** @param damaged what is said of damaged bytes */
  #unlessDamaged<T>(work: () => T, damaged: T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof WireFault) return damaged
      throw error
    }
  }

  #rewriteList(level: number, end: number): Rewritten {
    const cursor = this.#cursor
    const number = LISTS[level] as number
    const patch = new Patch(this.#body, cursor.at)
    let kept = 0
    let left = 0
    while (cursor.at < end) {
      const start = cursor.at
      const tag = cursor.readTag(end)
      if (tag !== number * 8 + WIRE_BYTES) {
        cursor.skip(tag, end)
        continue
      }
      const stop = cursor.readEnd(end)
      const element = this.#unlessDamaged(() => this.#rewriteElement(level, stop), SAME)
      cursor.at = stop
      if (element === null) left++
      else kept++
      if (element !== SAME) patch.replace(start, stop, element === null ? [] : toField(number, element))
    }
    return kept === 0 && left > 0 ? null : patch.finish(end)
  }

  #rewriteElement(level: number, end: number): Rewritten {
    return level + 1 < LISTS.length ? this.#rewriteList(level + 1, end) : this.#rewriteSpan(end)
  }

  #rewriteSpan(end: number): Rewritten {
    const position = this.#position++
    const start = this.#cursor.at
    const keeps = (spanId: string): boolean => this.#options.keeps?.(spanId, position, end - start) !== false
    if (this.#edit === null) {
      const spanId = this.#unlessDamaged(() => readSpanId(this.#cursor, end), '')
      return keeps(spanId) ? SAME : null
    }
    const parts = this.#unlessDamaged(() => readSpanParts(this.#cursor, end, this.#matches), null)
    if (!keeps(parts?.spanId ?? '')) return null
    if (parts === null) return SAME
    const edit = this.#edit(parts.spanId)
    const raised = edit?.error != null && takesError(parts, edit.error) ? edit.error : null
    const patch = new Patch(this.#body, start)
    for (const { from, to } of this.#listRemoved(parts, edit, raised)) patch.replace(from, to, [])
    return patch.finish(end, this.#write(parts, edit, raised))
  }

  #listRemoved(parts: SpanParts, edit: SpanEdit | null, raised: RaisedStatus | null): readonly Range[] {
    const { keys = NO_KEYS } = this.#options
    const isWritten = (key: string): boolean =>
      (edit !== null && Object.hasOwn(edit.attributes, key)) ||
      (raised !== null && Object.hasOwn(raised.attributes, key))
    return [
      ...parts.attributes.filter(({ key }) => keys.has(key) || isWritten(key)),
      ...parts.events,
      ...(raised !== null || parts.isStatusOurs ? parts.statuses : []),
    ]
      .map(({ start, end }) => ({ from: start, to: end }))
      .sort((a, b) => a.from - b.from)
  }

  #write(parts: SpanParts, edit: SpanEdit | null, raised: RaisedStatus | null): Buffer | null {
    const clears = parts.isStatusOurs && parts.statusRest.length > 0
    if (edit === null && !clears) return null
    const writer = new WireWriter()
    if (edit !== null) writeSpanAttributes(writer, edit.attributes)
    if (raised !== null) writeSpanAttributes(writer, raised.attributes)
    for (const event of edit?.events ?? []) writeSpanEvent(writer, event)
    const rest = parts.statusRest.map(({ start, end }) => this.#body.subarray(start, end))
    if (raised !== null) writeSpanStatus(writer, raised.message, rest)
    else if (clears) writeSpanStatus(writer, null, rest)
    return writer.finish()
  }
}

function toField(number: number, parts: readonly Buffer[]): readonly Buffer[] {
  let length = 0
  for (const part of parts) length += part.length
  const writer = new WireWriter(HEADER_BYTES)
  writer.header(number, length)
  return [writer.finish(), ...parts]
}

/** What a writer reserves for the header of a field. */
const HEADER_BYTES = 20

interface Range {
  readonly from: number
  readonly to: number
}

function takesError(parts: SpanParts, { unlessKeys }: RaisedStatus): boolean {
  if (parts.hasStatus && !parts.isStatusOurs) return false
  return !parts.attributes.some(({ key }) => unlessKeys.includes(key))
}

/** Bytes of which some are replaced; what lies between is not copied before the end. */
class Patch {
  readonly #bytes: Buffer
  readonly #parts: Buffer[] = []
  #from: number
  #isChanged = false

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes
    this.#from = from
  }

  replace(from: number, to: number, by: readonly Buffer[]): void {
    if (from > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, from))
    for (const part of by) this.#parts.push(part)
    this.#from = to
    this.#isChanged = true
  }

  finish(end: number, added: Buffer | null = null): Rewritten {
    if (!this.#isChanged && (added?.length ?? 0) === 0) return SAME
    this.replace(end, end, added === null ? [] : [added])
    return this.#parts
  }
}

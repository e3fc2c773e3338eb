import type { DialectName, FieldKey } from '../semconv/field-key.ts'
import { canonicalJson } from './canonical-json.ts'
import { isJsonPrefix } from './json-prefix.ts'

/**
 * What is known about a content: `seen` whole; `partial`, longer than {@link CONTENT_LIMIT} so that only its
 * beginning is looked at; or not seen at all: `absent` (never recorded), `redacted`, `truncated` (cut by a length
 * limit), `dropped` (absent on a span of which an SDK limit dropped attributes). Absent is never empty.
 */
export type ContentState = 'seen' | 'partial' | 'absent' | 'redacted' | 'truncated' | 'dropped'

/** The most that a step check sees of one content, in UTF-16 code units: 65,536. */
export const CONTENT_LIMIT = 65_536

/** How many times JSON text inside JSON text is decoded: 3. */
export const NESTING_LIMIT = 3

const REDACTED =
  /^[\s*_[\](){}<>#-]*(?:redacted|filtered|masked|hidden|removed|scrubbed)[\s*_[\](){}<>#-]*$/iu
const STARS = /^[*•█xX]{3,}$/u
const CUT_SUFFIX = /(?:\.{3}|…)?\s*[[<(]?truncated[\])>]?\s*$|…$|\.{3}$/iu

interface Decoded {
  readonly value: unknown
  readonly state: ContentState
  readonly malformed: boolean
}

/** One recorded content of a step (arguments, a result, messages), decoded when it is first asked for. */
export class Content {
  /** The attribute key that won, or `null` where the content is not recorded. */
  readonly key: string | null
  readonly dialect: DialectName | null
  readonly #raw: unknown
  readonly #json: boolean
  readonly #missing: 'absent' | 'dropped'
  #decoded: Decoded | undefined

  private constructor(raw: unknown, source: FieldKey | null, missing: 'absent' | 'dropped') {
    this.#raw = raw
    this.key = source?.key ?? null
    this.dialect = source?.dialect ?? null
    this.#json = source?.json ?? false
    this.#missing = missing
  }

  /** A content recorded under `source`; `json` in the row means that its text must be JSON. */
  static recorded(raw: unknown, source: FieldKey): Content {
    return new Content(raw, source, 'absent')
  }

  /** A content that no key of the span holds. `dropped` where an SDK limit dropped attributes of the span. */
  static missing(reason: 'absent' | 'dropped'): Content {
    return new Content(undefined, null, reason)
  }

  get state(): ContentState {
    return this.#decode().state
  }

  /** True where the whole content can be judged. */
  get seen(): boolean {
    return this.state === 'seen'
  }

  /** True where the content had to be JSON, and is text that no addition at its end could make JSON. */
  get malformed(): boolean {
    return this.#decode().malformed
  }

  /** The decoded value: JSON text inside strings is decoded up to {@link NESTING_LIMIT} times. */
  get value(): unknown {
    return this.#decode().value
  }

  /** The recorded text, or canonical JSON of a recorded map or list; at most {@link CONTENT_LIMIT} long. */
  get text(): string {
    const raw = this.#raw
    if (raw === undefined) return ''
    return (typeof raw === 'string' ? raw : canonicalJson(raw)).slice(0, CONTENT_LIMIT)
  }

  /**
   * One text for equal contents: canonical JSON with nested JSON text decoded, so that an object, its JSON text
   * and its twice encoded text agree; the exact text where it is not JSON. White space inside strings counts.
   * `null` where the content is not seen. A content above the limit is compared by its exact text.
   */
  get identity(): string | null {
    const { state, value } = this.#decode()
    if (state === 'partial') return typeof this.#raw === 'string' ? this.#raw : canonicalJson(this.#raw)
    return state === 'seen' ? canonicalJson(decodeNested(value, NESTING_LIMIT)) : null
  }

  #decode(): Decoded {
    this.#decoded ??= decodeRaw(this.#raw, this.#json, this.#missing)
    return this.#decoded
  }
}

function decodeRaw(raw: unknown, json: boolean, missing: ContentState): Decoded {
  if (raw === undefined) return { value: undefined, state: missing, malformed: false }
  if (typeof raw !== 'string') return decodeNative(raw)
  if (isRedacted(raw)) return { value: undefined, state: 'redacted', malformed: false }
  if (raw.length > CONTENT_LIMIT) return { value: undefined, state: 'partial', malformed: false }
  return decodeText(raw, json)
}

function decodeNative(raw: unknown): Decoded {
  const size = typeof raw === 'object' && raw !== null ? canonicalJson(raw).length : 0
  if (size > CONTENT_LIMIT) return { value: undefined, state: 'partial', malformed: false }
  return { value: raw, state: 'seen', malformed: false }
}

function decodeText(text: string, json: boolean): Decoded {
  const parsed = parseJson(text, json)
  if (parsed === undefined) {
    if (isCut(text)) return { value: undefined, state: 'truncated', malformed: false }
    return { value: text, state: 'seen', malformed: json && text.trim() !== '' }
  }
  let value = parsed.value
  for (let level = 1; level < NESTING_LIMIT && typeof value === 'string'; level++) {
    const inner = parseJson(value, false)
    if (inner === undefined) break
    value = inner.value
  }
  return typeof value === 'string' && isRedacted(value)
    ? { value: undefined, state: 'redacted', malformed: false }
    : { value, state: 'seen', malformed: false }
}

/** Parses text that is, or where `json` is false only looks like, JSON: an object, an array or a string. */
function parseJson(text: string, json: boolean): { readonly value: unknown } | undefined {
  if (!json && !/^\s*[[{"]/u.test(text)) return undefined
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function isCut(text: string): boolean {
  if (!/^\s*[[{"]/u.test(text)) return /[[<(]truncated[\])>]\s*$/iu.test(text)
  return isJsonPrefix(text) || (CUT_SUFFIX.test(text) && isJsonPrefix(text.replace(CUT_SUFFIX, '')))
}

function isRedacted(text: string): boolean {
  return text.length <= 64 && (REDACTED.test(text) || STARS.test(text))
}

/** Decodes JSON text in the strings of a value, `levels` deep, so that differently nested encodings agree. */
export function decodeNested(value: unknown, levels: number, depth = 0): unknown {
  if (levels <= 0 || depth >= MAX_DEPTH) return value
  if (typeof value === 'string') {
    if (!/^\s*[[{]/u.test(value)) return value
    const parsed = parseJson(value, false)
    return parsed === undefined ? value : decodeNested(parsed.value, levels - 1, depth)
  }
  if (Array.isArray(value)) return value.map((item) => decodeNested(item, levels, depth + 1))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const entries = Object.entries(value).map(([key, item]) => [key, decodeNested(item, levels, depth + 1)])
  return Object.fromEntries(entries)
}

const MAX_DEPTH = 200

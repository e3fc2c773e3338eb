import type { DialectName, FieldKey } from '../semconv/field-key.ts'
import { canonicalJson } from './canonical-json.ts'
import { isJsonPrefix, type JsonOutline, outlineJson } from './json-outline.ts'

/**
 * What is known about a content: `seen` whole; `partial`, longer than {@link CONTENT_LIMIT} so that only its
 * beginning is looked at; or not seen at all: `absent` (never recorded), `redacted`, `truncated` (cut by a length
 * limit), `dropped` (absent on a span of which an SDK limit dropped attributes). Absent is never empty.
 */
export type ContentState = 'seen' | 'partial' | 'absent' | 'redacted' | 'truncated' | 'dropped'

/** The most that a step check sees of one content, in UTF-16 code units: 65,536. */
export const CONTENT_LIMIT = 65_536

/** How much of the canonical JSON of a recorded map or list is compared, in UTF-16 code units: 1,048,576. */
const NATIVE_LIMIT = 1_048_576

/** How many times JSON text inside JSON text is decoded: 3. */
export const NESTING_LIMIT = 3

/**
 * Up to this length, in UTF-16 code units, a text is parsed to tell its state: 4,096. A longer one that begins and
 * ends as JSON does is taken for whole without parsing it, so that a large result costs no more than a small one.
 */
export const EAGER_LIMIT = 4_096

/** What redaction leaves in place of a text. A bare `removed` or `hidden` may be a result, so signs must be there. */
const REDACTED =
  /^\s*redacted\s*$|^\s*[*_[({<#-]+\s*(?:redacted[\w :.-]*|filtered|masked|hidden|removed|scrubbed)\s*[*_\])}>#-]+\s*$/iu
const STARS = /^[*•█xX]{3,}$/u
const CUT_MARK = /(?:\.{3}|…)? {0,8}(?:[[<(]truncated[^\])>]{0,32}[\])>]|truncated)$|…$|\.{3}$/iu

/** Longer than any mark of a cut, in UTF-16 code units. */
const MARK_LENGTH = 64

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
  #outline: JsonOutline | null | undefined
  #endsWell: boolean | undefined

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
    return reason === 'dropped' ? Content.#dropped : Content.#absent
  }

  /** Shared, as most spans lack a content that is asked for. */
  static readonly #absent = new Content(undefined, null, 'absent')
  static readonly #dropped = new Content(undefined, null, 'dropped')

  get state(): ContentState {
    return this.#takenForWhole || this.#isOutlined ? 'seen' : this.#decode().state
  }

  /** True where the text is longer than {@link EAGER_LIMIT}: a check parses it only with a reason. */
  get isLong(): boolean {
    return typeof this.#raw === 'string' && this.#raw.length > EAGER_LIMIT
  }

  /** True where the whole content can be judged. */
  get seen(): boolean {
    return this.state === 'seen'
  }

  /** True where the content had to be JSON, and is text that no addition at its end could make JSON. */
  get malformed(): boolean {
    return !this.#isOutlined && this.#decode().malformed
  }

  /**
   * The outline of a text of at most {@link EAGER_LIMIT} that is the JSON of an object or a list; `null` for any other
   * content. Most results have nothing wrong with them, and this tells so in less time than decoding them.
   */
  get outline(): JsonOutline | null {
    if (this.#outline === undefined) this.#outline = outlineRaw(this.#raw)
    return this.#outline
  }

  /** For a reader that wants the value in any case: the state is told by that, too, and not by a look of its own. */
  decode(): void {
    this.#decode()
  }

  /** Not asked of what is decoded already: that knows as much. */
  get #isOutlined(): boolean {
    return this.#decoded === undefined && this.outline !== null
  }

  /**
   * True where a long text that was taken for whole turns out to be cut once it is parsed. Its state stays as it was
   * told; a check of its structure has nothing to judge.
   */
  get turnsOutCut(): boolean {
    const { value } = this.#decode()
    return this.#takenForWhole && value === this.#raw && isJsonPrefix(value as string)
  }

  /** The decoded value: JSON text inside strings is decoded up to {@link NESTING_LIMIT} times. */
  get value(): unknown {
    return this.#decode().value
  }

  /** The recorded text, or canonical JSON of a recorded map or list; at most {@link CONTENT_LIMIT} long. */
  get text(): string {
    const raw = this.#raw
    if (raw === undefined) return ''
    return (typeof raw === 'string' ? raw : canonicalJson(raw, CONTENT_LIMIT)).slice(0, CONTENT_LIMIT)
  }

  /**
   * One text for equal contents: canonical JSON with nested JSON text decoded, so that an object, its JSON text
   * and its twice encoded text agree; the exact text where it is not JSON. White space inside strings counts.
   * `null` where the content is not seen. A content above the limit is compared by its exact text.
   */
  get identity(): string | null {
    const { state, value } = this.#decode()
    if (state === 'partial') return this.exactText
    return state === 'seen' ? canonicalJson(decodeNested(value, NESTING_LIMIT)) : null
  }

  /** The whole recorded text, or canonical JSON of a recorded map or list; `null` where the content is not seen. */
  get exactText(): string | null {
    const { state } = this
    if (state !== 'seen' && state !== 'partial') return null
    return typeof this.#raw === 'string' ? this.#raw : canonicalJson(this.#raw, NATIVE_LIMIT)
  }

  /** Decided by the text alone, so that it does not matter what was asked for first. */
  get #takenForWhole(): boolean {
    return (this.#endsWell ??= this.isLong && endsAsItBegins(this.#raw as string))
  }

  #decode(): Decoded {
    if (this.#decoded !== undefined) return this.#decoded
    const decoded = decodeRaw(this.#raw, this.#json, this.#missing)
    const broken = decoded.state === 'truncated' && this.#takenForWhole
    this.#decoded = broken ? { value: this.#raw, state: 'seen', malformed: false } : decoded
    return this.#decoded
  }
}

function outlineRaw(raw: unknown): JsonOutline | null {
  if (typeof raw !== 'string' || raw.length > EAGER_LIMIT) return null
  const opening = openingOf(raw)
  if (opening !== '{' && opening !== '[') return null
  const outline = outlineJson(raw)
  return outline.state === 'whole' ? outline : null
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['"', '"'],
])

function endsAsItBegins(text: string): boolean {
  if (text.length > CONTENT_LIMIT) return false
  const first = text[0] ?? ''
  const closer = CLOSERS.get(first > ' ' && first <= '~' ? first : (/\S/u.exec(text.slice(0, 64))?.[0] ?? ''))
  return closer !== undefined && (text.endsWith(closer) || text.slice(-64).trimEnd().endsWith(closer))
}

function decodeRaw(raw: unknown, json: boolean, missing: ContentState): Decoded {
  if (raw === undefined) return { value: undefined, state: missing, malformed: false }
  if (typeof raw !== 'string') return decodeNative(raw)
  if (raw.length > CONTENT_LIMIT) return { value: undefined, state: 'partial', malformed: false }
  return decodeText(raw, json)
}

function decodeNative(raw: unknown): Decoded {
  const size = typeof raw === 'object' && raw !== null ? canonicalJson(raw, CONTENT_LIMIT).length : 0
  if (size > CONTENT_LIMIT) return { value: undefined, state: 'partial', malformed: false }
  return { value: raw, state: 'seen', malformed: false }
}

function decodeText(text: string, json: boolean): Decoded {
  const parsed = parseJson(text, json)
  if (parsed === undefined) {
    if (isRedacted(text)) return { value: undefined, state: 'redacted', malformed: false }
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
  if (!json && !beginsAsJson(text)) return undefined
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** What a text of JSON begins with. Most texts, JSON or not, tell by their first character. */
function openingOf(text: string): string | undefined {
  const first = text[0] ?? ''
  return first > ' ' ? first : /^\s*([[{"])/u.exec(text)?.[1]
}

function beginsAsJson(text: string): boolean {
  const opening = openingOf(text)
  return opening === '{' || opening === '[' || opening === '"'
}

function isCut(text: string): boolean {
  if (!/^\s*[[{"]/u.test(text))
    return /[[<(]truncated[^\])>]{0,32}[\])>]\s*$/iu.test(text.slice(-MARK_LENGTH))
  const marked = text.trimEnd()
  const length = cutMarkLength(marked)
  return isJsonPrefix(text) || (length > 0 && isJsonPrefix(marked.slice(0, -length)))
}

/** True for text at whose end something noted that it was cut. */
export function hasCutMark(text: string): boolean {
  return cutMarkLength(text.trimEnd()) > 0
}

function cutMarkLength(text: string): number {
  return CUT_MARK.exec(text.slice(-MARK_LENGTH))?.[0].length ?? 0
}

/** True for a text that redaction left in place of another. */
export function isRedacted(text: string): boolean {
  return text.length <= 64 && (REDACTED.test(text) || STARS.test(text))
}

/** Decodes JSON text in the strings of a value, `levels` deep, so that differently nested encodings agree. */
export function decodeNested(value: unknown, levels: number, depth = 0): unknown {
  if (levels <= 0 || depth >= MAX_DEPTH) return value
  if (typeof value === 'string') {
    const inner = unwrapText(value, levels)
    return inner === undefined ? value : decodeNested(inner.value, inner.levels, depth)
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Array.isArray(value) ? decodeItems(value, levels, depth) : decodeMembers(value, levels, depth)
}

/** The same list where none of its strings holds JSON text, as in most lists. */
function decodeItems(items: readonly unknown[], levels: number, depth: number): readonly unknown[] {
  const decoded = items.map((item) => decodeNested(item, levels, depth + 1))
  return decoded.every((item, index) => item === items[index]) ? items : decoded
}

/** The same object where none of its strings holds JSON text, as in most objects. */
function decodeMembers(members: object, levels: number, depth: number): object {
  const keys = Object.keys(members)
  const values = members as Readonly<Record<string, unknown>>
  const decoded = keys.map((key) => decodeNested(values[key], levels, depth + 1))
  if (keys.every((key, index) => values[key] === decoded[index])) return members
  return Object.fromEntries(keys.map((key, index) => [key, decoded[index]])) as object
}

const MAX_DEPTH = 200

/** The list or map that a text holds, encoded at most `levels` times. A text that holds another text stays one. */
function unwrapText(
  text: string,
  levels: number,
): { readonly value: object; readonly levels: number } | undefined {
  let value: unknown = text
  for (let left = levels - 1; left >= 0 && typeof value === 'string'; left--) {
    value = parseJson(value, false)?.value
    if (typeof value === 'object' && value !== null) return { value, levels: left }
  }
  return undefined
}

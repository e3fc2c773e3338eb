import type { Field, FieldKey } from '../semconv/field-key.ts'
import { fieldsByKey, type RankedKey } from '../semconv/key-table.ts'
import { Content, CONTENT_LIMIT } from './content.ts'
import {
  readMember,
  toFields,
  unwrapCallArguments,
  unwrapMember,
  unwrapMessage,
  unwrapText,
} from './recorded-member.ts'
import type { Attributes } from './span-view.ts'

/** The longest name or id that is kept, in UTF-16 code units: 1,024. */
const NAME_LIMIT = 1_024

/** The longest text for people that is kept, an error message for one, in UTF-16 code units: 4,096. */
const MESSAGE_LIMIT = 4_096

/** The most entries that are read of one list of names: 1,000. */
const LIST_LIMIT = 1_000

/** Which key gave a field: what `--explain` shows. */
export interface FieldSource {
  readonly field: string
  readonly key: string
  readonly dialect: string
  readonly version: string
}

/**
 * Reads canonical fields from the attributes of one span, whatever dialect each key belongs to. Values of the
 * wrong type count as absent, and so does `null`: processors write it, or `undefined`, under keys that they have no
 * value for. Empty strings count as absent for names and ids.
 */
export class FieldReader {
  readonly attributes: Attributes
  /** The keys of all attributes that the span carries. */
  readonly keys: readonly string[]
  /** The known keys that the span carries, the one with the least rank first; so few that a scan is quickest. */
  readonly #recorded: RankedKey[] = []
  /** The value under each of them. */
  readonly #values: unknown[] = []
  #contents: Map<Field, Content> | null = null
  /** An SDK limit dropped attributes of the span, so what is not there may have been. */
  readonly dropped: boolean
  readonly #trace: FieldSource[] | null

  /**
   * @param attributes what the span carries
   * @param dropped an SDK limit dropped attributes of this span
   * @param trace where given, each field that is read adds its source here
   */
  constructor(attributes: Attributes, dropped: boolean, trace: FieldSource[] | null = null) {
    this.attributes = attributes
    this.dropped = dropped
    this.#trace = trace
    this.keys = Object.keys(attributes)
    for (const key of this.keys) this.#index(key)
  }

  /**
   * A name or id, cut after {@link NAME_LIMIT}; numbers become their decimal text. `null` where absent, empty or of
   * another type.
   */
  text(field: Field): string | null {
    return this.#first(field, toNameText)
  }

  /** A text for people, cut after {@link MESSAGE_LIMIT}. */
  message(field: Field): string | null {
    return this.#first(field, toMessage)
  }

  /** A finite number, also where it is recorded as decimal text; `null` otherwise. */
  number(field: Field): number | null {
    return this.#first(field, toFiniteNumber)
  }

  /** A token count: a finite number that is not negative; `null` otherwise. */
  count(field: Field): number | null {
    const value = this.number(field)
    return value === null || value < 0 ? null : value
  }

  /** A list of texts, recorded as an array, as JSON text of an array, as text joined by commas, or as one text. */
  texts(field: Field): readonly string[] {
    return this.#first(field, toTexts) ?? NO_TEXTS
  }

  /** A boolean, also where it is recorded as text; `null` where absent or of another type. */
  flag(field: Field): boolean | null {
    return this.#first(field, toFlag)
  }

  /** A content with its evidence state. */
  content(field: Field, fallback: Field | null = null): Content {
    const found = this.#readContent(field) ?? (fallback === null ? null : this.#readContent(fallback))
    return found ?? Content.missing(this.dropped ? 'dropped' : 'absent')
  }

  /** True where the span carries a key of one of these fields. */
  carriesAny(fields: ReadonlySet<Field>): boolean {
    return this.#recorded.some(({ field }) => fields.has(field))
  }

  /** A content is decoded once, however often it is asked for. */
  #readContent(field: Field): Content | null {
    const known = this.#contents?.get(field)
    if (known !== undefined) return known
    const content = this.#first(field, toContent)
    if (content !== null) (this.#contents ??= new Map()).set(field, content)
    return content
  }

  /** Notes where a field came from that no key table describes (flattened lists, span names). */
  note(source: FieldSource): void {
    this.#trace?.push(source)
  }

  /** One look at each key of the span is cheaper than asking for each of the keys that a field may have. */
  #index(key: string): void {
    const rows = fieldsByKey.get(key)
    if (rows === undefined) return
    const value = this.attributes[key] ?? null
    if (value === null) return
    const recorded = this.#recorded
    const values = this.#values
    let members: ReturnType<typeof toFields> | undefined
    for (const row of rows) {
      if (row.beside !== undefined && (this.attributes[row.beside] ?? null) === null) continue
      if (row.member !== undefined && members === undefined) members = toFields(value)
      const held = row.member === undefined ? value : (readMember(members ?? null, row.member) ?? null)
      if (held === null) continue
      let at = recorded.length
      for (; at > 0 && (recorded[at - 1] as RankedKey).rank > row.rank; at--) {
        recorded[at] = recorded[at - 1] as RankedKey
        values[at] = values[at - 1]
      }
      recorded[at] = row
      values[at] = held
    }
  }

  #first<T>(field: Field, read: (value: unknown, row: FieldKey) => T | null): T | null {
    const recorded = this.#recorded
    for (let at = 0; at < recorded.length; at++) {
      const row = recorded[at] as RankedKey
      if (row.field !== field) continue
      const result = read(this.#values[at], row)
      if (result === null) continue
      const key = row.member === undefined ? row.key : `${row.key}#${row.member}`
      this.#trace?.push({ field, key, dialect: row.dialect, version: row.version })
      return result
    }
    return null
  }
}

const NO_TEXTS: readonly string[] = []

function toContent(value: unknown, row: FieldKey): Content {
  return Content.recorded(unwrapRecorded(value, row), row)
}

function unwrapRecorded(
  recorded: unknown,
  { wrappers, wrappedText, callArguments, langchainMessage }: FieldKey,
): unknown {
  let value = recorded
  if (callArguments === true) value = unwrapCallArguments(value)
  if (langchainMessage === true) value = unwrapMessage(value)
  if (wrappers !== undefined) value = unwrapMember(value, wrappers)
  return wrappedText === undefined ? value : unwrapText(value, wrappedText)
}

/** A recorded value as a name: text, or the decimal text of a number; `null` where it is neither. */
export function toNameText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : toName(value)
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
  return isNumber ? toName(String(value)) : null
}

/** A recorded value as a text for people, well-formed and cut after {@link MESSAGE_LIMIT}. */
export function toMessage(value: unknown): string | null {
  if (typeof value !== 'string') return toNameText(value)
  return value === '' ? null : value.slice(0, MESSAGE_LIMIT).toWellFormed()
}

/** A text as the name of something: well-formed, cut after {@link NAME_LIMIT}. */
export function toName(text: string): string {
  return text.slice(0, NAME_LIMIT).toWellFormed()
}

function toFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : null
}

/** A decimal number and nothing else. No two parts can match the same digits, so a long text costs no more. */
const DECIMAL = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/u

function toFiniteNumber(value: unknown): number | null {
  const isDecimal = typeof value === 'string' && value.length <= NAME_LIMIT && DECIMAL.test(value)
  if (typeof value !== 'number' && typeof value !== 'bigint' && !isDecimal) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

function toTexts(value: unknown): readonly string[] | null {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? splitList(value) : null
  if (list === null) return null
  const texts = list.filter((item): item is string => typeof item === 'string' && item !== '')
  return texts.slice(0, LIST_LIMIT).map(toName)
}

function splitList(recorded: string): readonly unknown[] | null {
  const text = recorded.slice(0, CONTENT_LIMIT)
  if (text.trim() === '') return null
  if (text.trimStart().startsWith('[')) {
    try {
      return JSON.parse(text) as unknown[]
    } catch {
      return [text]
    }
  }
  return text.split(',').map((part) => part.trim())
}

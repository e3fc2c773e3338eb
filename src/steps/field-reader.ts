import type { Field, FieldKey } from '../semconv/field-key.ts'
import { fieldsByKey, type RankedKey } from '../semconv/key-table.ts'
import { Content } from './content.ts'
import type { Attributes } from './span-view.ts'

/** Which key gave a field: what `--explain` shows. */
export interface FieldSource {
  readonly field: string
  readonly key: string
  readonly dialect: string
  readonly version: string
}

/**
 * Reads canonical fields from the attributes of one span, whatever dialect each key belongs to. Values of the
 * wrong type count as absent; `null` and empty strings count as absent for names and ids.
 */
export class FieldReader {
  readonly attributes: Attributes
  /** How many attributes the span carries. */
  readonly size: number
  /** The recorded keys of each field, the one with the least rank first. */
  readonly #recorded = new Map<Field, RankedKey[]>()
  readonly #dropped: boolean
  readonly #trace: FieldSource[] | null

  /**
   * @param attributes what the span carries
   * @param dropped an SDK limit dropped attributes of this span
   * @param trace where given, each field that is read adds its source here
   */
  constructor(attributes: Attributes, dropped: boolean, trace: FieldSource[] | null = null) {
    this.attributes = attributes
    this.#dropped = dropped
    this.#trace = trace
    const keys = Object.keys(attributes)
    this.size = keys.length
    for (const key of keys) this.#index(key)
  }

  /** A name or id; numbers become their decimal text. `null` where absent, empty or of another type. */
  text(field: Field): string | null {
    return this.#first(field, toText)
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
    return this.#first(field, toTexts) ?? []
  }

  /** A boolean; `null` where absent or of another type. */
  flag(field: Field): boolean | null {
    return this.#first(field, (value) => (typeof value === 'boolean' ? value : null))
  }

  /** A content with its evidence state. */
  content(field: Field, ...fallbacks: readonly Field[]): Content {
    for (const name of [field, ...fallbacks]) {
      const found = this.#first(name, (value, row) =>
        value === undefined ? null : Content.recorded(value, row),
      )
      if (found !== null) return found
    }
    return Content.missing(this.#dropped ? 'dropped' : 'absent')
  }

  /** Notes where a field came from that no key table describes (flattened lists, span names). */
  note(source: FieldSource): void {
    this.#trace?.push(source)
  }

  /** One look at each key of the span is cheaper than asking for each of the keys that a field may have. */
  #index(key: string): void {
    const rows = fieldsByKey.get(key)
    if (rows === undefined || this.attributes[key] === undefined) return
    for (const row of rows) {
      const known = this.#recorded.get(row.field)
      if (known === undefined) this.#recorded.set(row.field, [row])
      else known.splice(known.findLastIndex((other) => other.rank < row.rank) + 1, 0, row)
    }
  }

  #first<T>(field: Field, read: (value: unknown, row: FieldKey) => T | null): T | null {
    for (const row of this.#recorded.get(field) ?? []) {
      const result = read(this.attributes[row.key], row)
      if (result === null) continue
      this.#trace?.push({ field, key: row.key, dialect: row.dialect, version: row.version })
      return result
    }
    return null
  }
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value.toWellFormed()
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

function toFiniteNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string' || !/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/u.test(value))
    return null
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : null
}

function toTexts(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string')
  if (typeof value !== 'string' || value === '') return null
  if (value.trimStart().startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(value)
      if (Array.isArray(parsed)) return parsed.filter((item) => typeof item === 'string')
    } catch {
      return [value]
    }
  }
  return value.split(',').map((part) => part.trim())
}

import type { Attributes } from '../steps/span-view.ts'
import type { RejectionLog } from './rejection-log.ts'

/** How many levels of lists and maps an attribute value may have. What lies deeper is read as `null`. */
export const MAX_VALUE_LEVELS = 64

/** Attributes that are being read. */
export type Bag = Record<string, unknown>

/**
 * Objects of this class inherit nothing: `in` sees recorded keys only, and a recorded `__proto__` is an ordinary key.
 * Unlike `Object.create(null)` they keep the engine's fast layout.
 */
export const Bag: new () => Bag = function () {} as unknown as new () => Bag
Bag.prototype = Object.create(null)

/**
 * Reads a list of OTLP `KeyValue` into one object. Of equal keys the last wins. Values become what the SDK
 * records: text, numbers, booleans, arrays, maps, `Uint8Array` for bytes, and `null` for an empty value; an
 * integer beyond 2^53 is its decimal text. What cannot be read is `null` and noted in `log`.
 *
 * @param list - The parsed list; absent is empty.
 * @param path - The list's path below the log's position.
 * @returns An object without a prototype, safe for any key.
 */
export function decodeAttributes(list: unknown, path: string, log: RejectionLog): Attributes {
  const attributes = new Bag()
  if (list === undefined || list === null) return attributes
  if (!Array.isArray(list)) {
    log.warn('invalid_shape', path, 'An array of key and value', list)
    return attributes
  }
  for (let i = 0; i < list.length; i++) {
    readKeyValue(list[i], attributes, 1, log)
    log.release(path, i)
  }
  return attributes
}

interface KeyValueJson {
  readonly key?: unknown
  readonly value?: unknown
}

function readKeyValue(entry: unknown, into: Bag, level: number, log: RejectionLog): void {
  if (typeof entry !== 'object' || entry === null) {
    log.hold('invalid_shape', 'An object with key and value', entry)
    return
  }
  const { key, value } = entry as KeyValueJson
  if (typeof key === 'string') into[key] = readAnyValue(value, level, log)
  else if (key === undefined || key === null) into[''] = readAnyValue(value, level, log)
  else log.hold('invalid_shape', 'A text as key', key)
}

interface StringValueJson {
  readonly stringValue?: unknown
}

function readAnyValue(value: unknown, level: number, log: RejectionLog): unknown {
  if (value === undefined || value === null) return null
  if (typeof value !== 'object') {
    log.hold('invalid_value', 'An object such as {"stringValue": "text"}', value)
    return null
  }
  const text = (value as StringValueJson).stringValue
  if (typeof text === 'string') return text
  // A value has one field; the loop finds it under either spelling without asking for each in turn.
  for (const key in value) {
    const field = (value as Bag)[key]
    if (field === undefined || field === null) continue
    const read = readField(key, field, level, log)
    if (read !== undefined) return read
  }
  return null
}

/** Reads one field of an `AnyValue`; `undefined` for a field that OTLP does not have. */
function readField(key: string, field: unknown, level: number, log: RejectionLog): unknown {
  switch (key) {
    case 'stringValue':
    case 'string_value':
      return typeof field === 'string' ? field : unreadable('A text', field, log)
    case 'intValue':
    case 'int_value':
      return readInteger(field, log)
    case 'boolValue':
    case 'bool_value':
      return typeof field === 'boolean' ? field : unreadable('true or false', field, log)
    case 'doubleValue':
    case 'double_value':
      return readDouble(field, log)
    case 'arrayValue':
    case 'array_value':
      return readArray(field, level, log)
    case 'kvlistValue':
    case 'kvlist_value':
      return readMap(field, level, log)
    case 'bytesValue':
    case 'bytes_value':
      if (typeof field !== 'string') return unreadable('Bytes in base64', field, log)
      // A copy, since a small Buffer shares, and so keeps, the memory of its neighbours.
      return new Uint8Array(Buffer.from(field, 'base64'))
    default:
      return undefined
  }
}

/** Holds in `log` that a value cannot be read, and gives what stands for it. */
export function unreadable(expected: string, found: unknown, log: RejectionLog): null {
  log.hold('invalid_value', expected, found)
  return null
}

/**
 * Reads an `intValue`: a number, or decimal text where it cannot hold it; a number that is no integer of 64 bits, which
 * was written as a double, stays as it is; `null`, held in `log`, for anything else.
 */
export function readInteger(field: unknown, log: RejectionLog): number | string | null {
  if (typeof field === 'number') {
    // SDKs in JavaScript write every double without a fraction as an integer; beyond 64 bits it was a double.
    if (Number.isSafeInteger(field)) return withoutSign(field)
    if (!Number.isInteger(field) || Math.abs(field) > 2 ** 63) return field
    return String(field)
  }
  if (typeof field !== 'string') return unreadable('An integer', field, log)
  const number = Number(field)
  if (Number.isSafeInteger(number) && field.trim() !== '') return withoutSign(number)
  return isDecimal(field) ? field : unreadable('An integer', field, log)
}

/** There is one zero among integers. */
function withoutSign(integer: number): number {
  return integer === 0 ? 0 : integer
}

function isDecimal(text: string): boolean {
  const start = text.startsWith('-') ? 1 : 0
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return false
  }
  return text.length > start
}

/** Reads a `doubleValue`, a number or its text; `null`, held in `log`, for anything else. */
export function readDouble(field: unknown, log: RejectionLog): number | null {
  if (typeof field === 'number') return field
  if (typeof field !== 'string' || field.trim() === '') return unreadable('A number', field, log)
  const number = Number(field)
  return Number.isNaN(number) && field !== 'NaN' ? unreadable('A number', field, log) : number
}

interface ValuesJson {
  readonly values?: unknown
}

/** The `values` of an `ArrayValue` or `KeyValueList`; `undefined`, held in `log`, where they cannot be read. */
export function readValues(field: unknown, level: number, log: RejectionLog): readonly unknown[] | undefined {
  if (level > MAX_VALUE_LEVELS) {
    log.hold('nested_too_deep', `At most ${MAX_VALUE_LEVELS} levels of lists and maps`, field)
    return undefined
  }
  const values = typeof field === 'object' ? (field as ValuesJson).values : field
  if (Array.isArray(values)) return values as readonly unknown[]
  if (values === undefined || values === null) return []
  log.hold('invalid_shape', 'An object with an array of values', values)
  return undefined
}

function readArray(field: unknown, level: number, log: RejectionLog): readonly unknown[] | null {
  const values = readValues(field, level, log)
  if (values === undefined) return null
  const array: unknown[] = []
  for (let i = 0; i < values.length; i++) array.push(readAnyValue(values[i], level + 1, log))
  return array
}

function readMap(field: unknown, level: number, log: RejectionLog): Attributes | null {
  const values = readValues(field, level, log)
  if (values === undefined) return null
  const map = new Bag()
  for (let i = 0; i < values.length; i++) readKeyValue(values[i], map, level + 1, log)
  return map
}

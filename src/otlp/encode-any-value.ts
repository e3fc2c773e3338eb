import { readDouble, readInteger, readValues, unreadable } from './any-value.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { WireWriter } from './wire-writer.ts'

interface KeyValueJson {
  readonly key?: unknown
  readonly value?: unknown
}

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n
/** A sign and digits. */
const MAX_INT64_LENGTH = 20

/**
 * Writes a list of OTLP/JSON `KeyValue` in protobuf, each as a field of that number. What `decodeAttributes` cannot read is
 * left out or written as an empty value, and told in the same words.
 *
 * @param list - The parsed list; absent is empty.
 * @param path - The list's path below the log's position.
 */
export function encodeAttributes(
  field: number,
  list: unknown,
  path: string,
  { writer, log }: AttributeTarget,
): void {
  if (list === undefined || list === null) return
  if (!Array.isArray(list)) {
    log.warn('invalid_shape', path, 'An array of key and value', list)
    return
  }
  const encoder = new ValueEncoder(writer, log)
  for (let i = 0; i < list.length; i++) {
    encoder.writeKeyValue(field, list[i], 1)
    log.release(path, i)
  }
}

/** Where attributes are written to, and what cannot be read of them. */
export interface AttributeTarget {
  readonly writer: WireWriter
  readonly log: RejectionLog
}

class ValueEncoder {
  readonly #writer: WireWriter
  readonly #log: RejectionLog

  constructor(writer: WireWriter, log: RejectionLog) {
    this.#writer = writer
    this.#log = log
  }

  writeKeyValue(field: number, entry: unknown, level: number): void {
    if (typeof entry !== 'object' || entry === null) {
      this.#log.hold('invalid_shape', 'An object with key and value', entry)
      return
    }
    const { key, value } = entry as KeyValueJson
    if (typeof key !== 'string' && key !== undefined && key !== null) {
      this.#log.hold('invalid_shape', 'A text as key', key)
      return
    }
    const start = this.#writer.begin(field)
    this.#writer.text(1, key ?? '')
    this.#writeValue(2, value, level)
    this.#writer.end(start)
  }

  #writeValue(field: number, value: unknown, level: number): void {
    const start = this.#writer.begin(field)
    if (typeof value === 'object' && value !== null) {
      const fields = value as Readonly<Record<string, unknown>>
      const text = fields['stringValue']
      if (typeof text === 'string') this.#writer.text(1, text)
      else this.#writeFirstField(fields, level)
    } else if (value !== undefined && value !== null) {
      this.#log.hold('invalid_value', 'An object such as {"stringValue": "text"}', value)
    }
    this.#writer.end(start)
  }

  #writeFirstField(fields: Readonly<Record<string, unknown>>, level: number): void {
    for (const key in fields) {
      const field = fields[key]
      if (field !== undefined && field !== null && this.#writeField(key, field, level)) return
    }
  }

  /** @returns whether OTLP has such a field */
  #writeField(key: string, value: unknown, level: number): boolean {
    switch (key) {
      case 'stringValue':
      case 'string_value':
        if (typeof value === 'string') this.#writer.text(1, value)
        else unreadable('A text', value, this.#log)
        return true
      case 'intValue':
      case 'int_value':
        this.#writeInteger(readInteger(value, this.#log))
        return true
      case 'boolValue':
      case 'bool_value':
        if (typeof value === 'boolean') this.#writer.bool(2, value)
        else unreadable('true or false', value, this.#log)
        return true
      case 'doubleValue':
      case 'double_value':
        this.#writeDouble(readDouble(value, this.#log))
        return true
      default:
        return this.#writeBytesField(key, value, level)
    }
  }

  #writeBytesField(key: string, value: unknown, level: number): boolean {
    switch (key) {
      case 'arrayValue':
      case 'array_value':
        this.#writeList(5, value, level)
        return true
      case 'kvlistValue':
      case 'kvlist_value':
        this.#writeList(6, value, level)
        return true
      case 'bytesValue':
      case 'bytes_value':
        if (typeof value === 'string') this.#writer.bytes(7, Buffer.from(value, 'base64'))
        else unreadable('Bytes in base64', value, this.#log)
        return true
      default:
        return false
    }
  }

  #writeInteger(value: number | string | null): void {
    if (value === null) return
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) this.#writer.int64(3, BigInt(value))
      else this.#writer.double(4, value)
      return
    }
    const integer = toInt64(value)
    // What does not fit is read as its text, and is kept as that.
    if (integer === undefined) this.#writer.text(1, value)
    else this.#writer.int64(3, integer)
  }

  #writeDouble(value: number | null): void {
    if (value !== null) this.#writer.double(4, value)
  }

  /** @param field 5 for a list of values, 6 for one of keys and values */
  #writeList(field: 5 | 6, value: unknown, level: number): void {
    const values = readValues(value, level, this.#log)
    if (values === undefined) return
    const start = this.#writer.begin(field)
    for (let i = 0; i < values.length; i++) {
      if (field === 5) this.#writeValue(1, values[i], level + 1)
      else this.writeKeyValue(1, values[i], level + 1)
    }
    this.#writer.end(start)
  }
}

/** The number that decimal text is the usual form of; `undefined` where it is another form, or has more than 64 bits. */
function toInt64(text: string): bigint | undefined {
  // To read millions of digits takes minutes.
  if (text.length > MAX_INT64_LENGTH) return undefined
  const integer = BigInt(text)
  return integer >= MIN_INT64 && integer <= MAX_INT64 && String(integer) === text ? integer : undefined
}

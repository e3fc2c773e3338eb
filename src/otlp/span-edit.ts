import { WireWriter } from './wire-writer.ts'

/** What an attribute that is written may hold. */
export type EditValue = string | number | boolean | readonly string[]

/** Attributes that are written, by their keys. */
export type EditAttributes = Readonly<Record<string, EditValue>>

/** An event that is added to a span. */
export interface EditEvent {
  readonly name: string
  /** Nanoseconds since the Unix epoch. */
  readonly timeNs: bigint
  readonly attributes: EditAttributes
}

/** A status ERROR for a span that has no status. */
export interface RaisedStatus {
  readonly message: string
  /** Written where the status is. */
  readonly attributes: EditAttributes
  /** A span that has one of these attributes keeps its status. */
  readonly unlessKeys: readonly string[]
}

/** What is changed in a span. */
export interface SpanEdit {
  /** Each takes the place of an attribute with the same key. */
  readonly attributes: EditAttributes
  readonly events: readonly EditEvent[]
  /** Raised where nobody has set a status or a message; `null` leaves the status as it is. */
  readonly error: RaisedStatus | null
}

const SPAN_ATTRIBUTES = 9
const SPAN_EVENTS = 11
const SPAN_STATUS = 15
const STATUS_ERROR = 2

/** Writes attributes as fields of a span. */
export function writeSpanAttributes(writer: WireWriter, attributes: EditAttributes): void {
  writeAttributes(writer, SPAN_ATTRIBUTES, attributes)
}

/** Writes an event as a field of a span. */
export function writeSpanEvent(writer: WireWriter, { name, timeNs, attributes }: EditEvent): void {
  const event = writer.begin(SPAN_EVENTS)
  writer.fixed64(1, BigInt.asUintN(64, timeNs))
  writer.text(2, name)
  writeAttributes(writer, 3, attributes)
  writer.end(event)
}

/**
 * Writes a status as a field of a span.
 *
 * @param message the message of an ERROR; `null` for a status that says nothing
 * @param rest fields that OTLP does not have, as they came
 */
export function writeSpanStatus(writer: WireWriter, message: string | null, rest: readonly Buffer[]): void {
  if (message === null) {
    writer.bytes(SPAN_STATUS, Buffer.concat(rest))
    return
  }
  const said = new WireWriter()
  if (message !== '') said.text(2, message)
  said.varint(3, STATUS_ERROR)
  writer.bytes(SPAN_STATUS, Buffer.concat([...rest, said.finish()]))
}

function writeAttributes(writer: WireWriter, field: number, attributes: EditAttributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    const attribute = writer.begin(field)
    writer.text(1, key)
    const start = writer.begin(2)
    writeValue(writer, value)
    writer.end(start)
    writer.end(attribute)
  }
}

/** As the exporters of the SDK write it: a number without a fraction is an integer. */
function writeValue(writer: WireWriter, value: EditValue): void {
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.bool(2, value)
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) writer.int64(3, BigInt(value))
    else writer.double(4, value)
  } else {
    const list = writer.begin(5)
    for (const text of value) {
      const start = writer.begin(1)
      writer.text(1, text)
      writer.end(start)
    }
    writer.end(list)
  }
}

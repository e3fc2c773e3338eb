/**
 * How a field is written, and what it is in the JSON form: `hex` and `base64` are bytes, `int64` and `fixed64` become
 * decimal text where a number would not do.
 */
export type ScalarType =
  | 'text'
  | 'hex'
  | 'base64'
  | 'bool'
  | 'int64'
  | 'uint32'
  | 'enum'
  | 'fixed32'
  | 'fixed64'
  | 'double'

/** A field of a message, by its name in the JSON form. */
export interface MessageField {
  readonly name: string
  readonly type: ScalarType | MessageType
  readonly isList: boolean
}

/** A message of protobuf: its fields by their numbers. Others are passed over. */
export interface MessageType {
  readonly fields: ReadonlyMap<number, MessageField>
  /** Whether of all fields only the last that comes counts. */
  readonly isOneof: boolean
}

type Row = readonly [number: number, name: string, type: ScalarType | MessageType]

function message(one: readonly Row[], lists: readonly Row[] = []): MessageType {
  return { fields: toFields(one, lists), isOneof: false }
}

function toFields(one: readonly Row[], lists: readonly Row[]): Map<number, MessageField> {
  const fields = new Map<number, MessageField>()
  for (const [number, name, type] of one) fields.set(number, { name, type, isList: false })
  for (const [number, name, type] of lists) fields.set(number, { name, type, isList: true })
  return fields
}

// A value may hold lists and maps of values, so that the three have to know each other before they are complete.
const valueFields = new Map<number, MessageField>()
const anyValue: MessageType = { fields: valueFields, isOneof: true }
const keyValue = message([
  [1, 'key', 'text'],
  [2, 'value', anyValue],
])
const valueRows: readonly Row[] = [
  [1, 'stringValue', 'text'],
  [2, 'boolValue', 'bool'],
  [3, 'intValue', 'int64'],
  [4, 'doubleValue', 'double'],
  [5, 'arrayValue', message([], [[1, 'values', anyValue]])],
  [6, 'kvlistValue', message([], [[1, 'values', keyValue]])],
  [7, 'bytesValue', 'base64'],
]
for (const [number, field] of toFields(valueRows, [])) valueFields.set(number, field)

/** The resource of a list of spans. */
export const resourceMessage: MessageType = message(
  [[2, 'droppedAttributesCount', 'uint32']],
  [[1, 'attributes', keyValue]],
)

/** The instrumentation scope of a list of spans. */
export const scopeMessage: MessageType = message(
  [
    [1, 'name', 'text'],
    [2, 'version', 'text'],
    [4, 'droppedAttributesCount', 'uint32'],
  ],
  [[3, 'attributes', keyValue]],
)

const event = message(
  [
    [1, 'timeUnixNano', 'fixed64'],
    [2, 'name', 'text'],
    [4, 'droppedAttributesCount', 'uint32'],
  ],
  [[3, 'attributes', keyValue]],
)

const link = message(
  [
    [1, 'traceId', 'hex'],
    [2, 'spanId', 'hex'],
    [3, 'traceState', 'text'],
    [5, 'droppedAttributesCount', 'uint32'],
    [6, 'flags', 'fixed32'],
  ],
  [[4, 'attributes', keyValue]],
)

const status = message([
  [2, 'message', 'text'],
  [3, 'code', 'enum'],
])

const spanIdentity: readonly Row[] = [
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [7, 'startTimeUnixNano', 'fixed64'],
  [8, 'endTimeUnixNano', 'fixed64'],
]

/** A span. */
export const spanMessage: MessageType = message(
  [
    ...spanIdentity,
    [3, 'traceState', 'text'],
    [4, 'parentSpanId', 'hex'],
    [5, 'name', 'text'],
    [6, 'kind', 'enum'],
    [10, 'droppedAttributesCount', 'uint32'],
    [12, 'droppedEventsCount', 'uint32'],
    [14, 'droppedLinksCount', 'uint32'],
    [15, 'status', status],
    [16, 'flags', 'fixed32'],
  ],
  [
    [9, 'attributes', keyValue],
    [11, 'events', event],
    [13, 'links', link],
  ],
)

/** `ExportTraceServiceRequest` and `TracesData`, which are written alike. */
export const traceRequest: MessageType = message(
  [],
  [
    [
      1,
      'resourceSpans',
      message(
        [
          [1, 'resource', resourceMessage],
          [3, 'schemaUrl', 'text'],
        ],
        [
          [
            2,
            'scopeSpans',
            message(
              [
                [1, 'scope', scopeMessage],
                [3, 'schemaUrl', 'text'],
              ],
              [[2, 'spans', spanMessage]],
            ),
          ],
        ],
      ),
    ],
  ],
)

/** The same with nothing but ids and times, to see quickly which traces a request speaks of, if of any. */
export const traceOutline: MessageType = message(
  [],
  [
    [
      1,
      'resourceSpans',
      message([], [[2, 'scopeSpans', message([], [[2, 'spans', message(spanIdentity)]])]]),
    ],
  ],
)

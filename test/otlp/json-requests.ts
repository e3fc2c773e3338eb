import * as fc from 'fast-check'

// Documents of OTLP/JSON as liberal, and as wrong, as senders write them. Texts are well-formed, and counts have no more
// than 32 bits: what is beyond that protobuf does not have.

type Json = fc.Arbitrary<unknown>

const pick = <T>(...list: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...list)
const mostly = (usual: Json, ...odd: readonly Json[]): Json =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.oneof(...odd) })

const nothing = pick<unknown>(undefined, null)
const junk = pick<unknown>(null, true, 7, -1.5, 'junk', [], {}, [[]], { a: 1 })
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const inAnyCase = (id: string): Json => pick(id, id.toUpperCase())
const traceId = mostly(
  pick('0af7651916cd43dd8448eb211c80319c', 'ff000000000000000000000000000001').chain(inAnyCase),
  pick<unknown>('0'.repeat(32), 'abcd', '', 'g'.repeat(32), 5, null),
)
const spanId = mostly(
  fc.integer({ min: 1, max: 2 ** 32 }).chain((id) => inAnyCase(id.toString(16).padStart(16, '0'))),
  pick<unknown>('0'.repeat(16), 'ab', '', 5, null),
)
const nanoseconds = mostly(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  fc.nat(),
  pick<unknown>(undefined, null, '', 'soon', -1, '18446744073709551616', 1.5, 1_764_460_800_000_000_000),
)
const count = mostly(fc.nat(), fc.nat().map(String), junk)
const integer = mostly(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.integer(),
  fc.integer().map(String),
  fc.double({ noNaN: true }),
  pick<unknown>(
    '007',
    '-0',
    -0,
    '1e3',
    ' 12 ',
    '9223372036854775808',
    '99999999999999999999999',
    '',
    'x',
    2 ** 63,
    true,
  ),
  pick<unknown>('-009223372036854775807', 2 ** 53, -(2 ** 60), 1e300),
)
const double = mostly(
  fc.double().map((value) => (Number.isFinite(value) ? value : String(value))),
  fc.double().map(String),
  pick<unknown>('Infinity', '-Infinity', 'NaN', '', 'x', null, true),
)
const base64 = mostly(
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  junk,
)

/** Under one of its names. */
const named = (names: readonly string[], value: Json): Json =>
  fc.tuple(pick(...names), value).map(([name, inner]) => ({ [name]: inner }))

const key = fc.oneof(pick('a', 'b', '__proto__', ''), text)

const { attributes } = fc.letrec<{ anyValue: unknown; attributes: unknown }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: named(['stringValue', 'string_value'], mostly(text, junk)) },
    { weight: 1, arbitrary: named(['boolValue', 'bool_value'], mostly(fc.boolean(), junk)) },
    { weight: 4, arbitrary: named(['intValue', 'int_value'], integer) },
    { weight: 2, arbitrary: named(['doubleValue', 'double_value'], double) },
    { weight: 1, arbitrary: named(['bytesValue', 'bytes_value'], base64) },
    { weight: 1, arbitrary: junk },
    {
      weight: 1,
      arbitrary: fc.record({ unknown: junk, intValue: integer, stringValue: text }, { requiredKeys: [] }),
    },
    { weight: 2, arbitrary: named(['arrayValue', 'array_value'], listOf(tie('anyValue'))) },
    {
      weight: 2,
      arbitrary: named(
        ['kvlistValue', 'kvlist_value'],
        mostly(fc.record({ values: tie('attributes') }), junk),
      ),
    },
  ),
  attributes: mostly(
    fc.array(
      mostly(fc.record({ key: mostly(key, junk), value: tie('anyValue') }, { requiredKeys: [] }), junk),
      { maxLength: 4 },
    ),
    junk,
  ),
}))

function listOf(value: Json): Json {
  return mostly(
    fc.record({ values: mostly(fc.array(value, { maxLength: 4 }), junk) }, { requiredKeys: [] }),
    junk,
  )
}

/** An object with some of the fields, each under one of its names. */
function object(fields: Readonly<Record<string, Json>>): Json {
  const entries = Object.entries(fields).map(([name, value]) => {
    const snakeCase = name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
    const hasTwo = !ONE_NAME.has(name)
    return fc.option(fc.tuple(hasTwo ? pick(name, snakeCase) : fc.constant(name), value), {
      nil: undefined,
      freq: 6,
    })
  })
  return fc.tuple(...entries).map((list) => Object.fromEntries(list.filter((entry) => entry !== undefined)))
}

/** Without a part that a reader of JSON tells with words, while it does not reach protobuf at all. */
const ONE_NAME = new Set([
  'name',
  'kind',
  'flags',
  'status',
  'code',
  'message',
  'events',
  'links',
  'attributes',
])

const event = object({
  timeUnixNano: nanoseconds,
  name: mostly(text, junk),
  attributes,
  droppedAttributesCount: count,
})
const link = object({
  traceId,
  spanId,
  traceState: text,
  attributes,
  droppedAttributesCount: count,
  flags: count,
})
const status = object({
  code: mostly(pick<unknown>(0, 1, 2, 3, '2', 'STATUS_CODE_ERROR', 'STATUS_CODE_OK'), junk),
  message: mostly(text, junk),
})
const span = fc
  .tuple(
    fc.record({ traceId, spanId }),
    object({
      parentSpanId: spanId,
      traceState: text,
      flags: mostly(pick<unknown>(0x101, 0x301, '769', 2 ** 32 - 1, 2 ** 40 + 0x300), junk),
      name: mostly(text, junk),
      kind: mostly(pick<unknown>(0, 1, 3, 5, 6, '4', 'SPAN_KIND_CLIENT', 2 ** 32 + 2), junk),
      startTimeUnixNano: nanoseconds,
      endTimeUnixNano: nanoseconds,
      attributes,
      droppedAttributesCount: count,
      events: mostly(fc.array(mostly(event, junk), { maxLength: 3 }), junk),
      droppedEventsCount: count,
      links: fc.array(link, { maxLength: 2 }),
      droppedLinksCount: count,
      status: mostly(status, junk),
    }),
  )
  .map(([ids, more]) => ({ ...ids, ...(more as object) }))

const scope = mostly(object({ name: mostly(text, junk), version: mostly(text, junk) }), nothing)
const scopeSpans = fc
  .tuple(
    pick('scope', 'instrumentationLibrary', 'instrumentation_library').chain((name) => named([name], scope)),
    fc.record({ spans: mostly(fc.array(mostly(span, junk), { maxLength: 4 }), junk), schemaUrl: text }),
  )
  .map((parts) => Object.assign({}, ...parts) as unknown)
const lists = [
  'scopeSpans',
  'scope_spans',
  'instrumentationLibrarySpans',
  'instrumentation_library_spans',
] as const
const resourceSpans = fc
  .tuple(
    fc.record({ resource: mostly(object({ attributes, droppedAttributesCount: count }), junk, nothing) }),
    named(lists, mostly(fc.array(mostly(scopeSpans, junk), { maxLength: 3 }), junk)),
    named(lists, mostly(fc.array(scopeSpans, { maxLength: 2 }), junk)),
  )
  .map((parts) => Object.assign({}, ...parts) as unknown)

/** A parsed document of traces in which anything may be wrong; it has one resource, as each is told of once. */
export const jsonRequest: Json = named(
  ['resourceSpans', 'resource_spans'],
  mostly(fc.array(mostly(resourceSpans, junk), { maxLength: 1 }), junk),
).map((document) => JSON.parse(JSON.stringify(document)) as unknown)

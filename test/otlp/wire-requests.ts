import * as fc from 'fast-check'
import {
  bytesField,
  doubleField,
  fixed32Field,
  fixed64Field,
  groupField,
  numberField,
} from './wire-fields.ts'

// Requests as no SDK writes them, but as protobuf may have them: fields in any order, more than once, of the wrong kind,
// unknown, as groups; texts that are no UTF-8; ids of the wrong length.

const pick = <T>(...list: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...list)

/** Few ids, so that traces meet; some are none. */
const TRACE_IDS = [
  '0af7651916cd43dd8448eb211c80319c',
  'ff000000000000000000000000000001',
  '00'.repeat(16),
  'abcd',
]
const traceId = fc.oneof(
  { weight: 20, arbitrary: pick(...TRACE_IDS.slice(0, 2)) },
  { weight: 1, arbitrary: pick(...TRACE_IDS) },
)
const spanId = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.integer({ min: 1, max: 0xffff_ffff }).map((n) => n.toString(16).padStart(16, '0')),
  },
  { weight: 1, arbitrary: pick('00'.repeat(8), 'ab', '') },
)
const hexField = (field: number, id: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  id.map((text) => bytesField(field, Buffer.from(text, 'hex')))

const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => Buffer.from(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: pick('ed a0 80', 'c0 80', 'f4 90 80 80', 'e2 82', 'ef bb bf 61').map((hex) =>
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
    ),
  },
)
const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  pick(
    0n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    999_999_999n,
    1_000_000_000n,
  ),
  pick(-1n, -(2n ** 53n) - 1n).map((value) => BigInt.asUintN(64, value)),
)
const time = fc.oneof(uint64, fc.bigInt({ min: 1_700_000_000n * 10n ** 9n, max: 1_900_000_000n * 10n ** 9n }))

/** A field that OTLP does not have, or has in another way. */
const oddField = fc.oneof(
  fc.tuple(pick(17, 100, 1_000, 2 ** 29 - 1), uint64).map(([field, value]) => numberField(field, value)),
  fc.tuple(fc.integer({ min: 1, max: 17 }), uint64).map(([field, value]) => numberField(field, value)),
  fc.tuple(fc.integer({ min: 1, max: 17 }), uint64).map(([field, value]) => fixed64Field(field, value)),
  fc
    .tuple(fc.integer({ min: 1, max: 17 }), fc.nat(0xffff_ffff))
    .map(([field, value]) => fixed32Field(field, value)),
  fc.tuple(pick(18, 1_000), text).map(([field, bytes]) => bytesField(field, bytes)),
  fc
    .tuple(fc.integer({ min: 1, max: 20 }), text)
    .map(([field, bytes]) => groupField(field, bytesField(1, bytes), groupField(3, numberField(2, 5)))),
)

type Field = fc.Arbitrary<Buffer>

/** Up to so many of the fields one after the other, some of them odd. */
function fields(maxLength: number, ...list: readonly Field[]): Field {
  const odd = { weight: 1, arbitrary: oddField }
  const usual = { weight: 12, arbitrary: fc.oneof(...list) }
  return fc.array(fc.oneof(usual, odd), { maxLength }).map((parts) => Buffer.concat(parts))
}

const inField = (field: number, message: Field): Field => message.map((bytes) => bytesField(field, bytes))
const textField = (field: number): Field => inField(field, text)

// Few keys, so that some come twice.
const key: Field = fc.oneof(
  pick('a', 'b', '__proto__', '', 'gen_ai.request.model').map((value) => Buffer.from(value)),
  text,
)
const { keyValue } = fc.letrec<{ anyValue: Buffer; keyValue: Buffer }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    { weight: 4, arbitrary: textField(1) },
    { weight: 1, arbitrary: uint64.map((value) => numberField(2, value & 1n)) },
    { weight: 3, arbitrary: uint64.map((value) => numberField(3, value)) },
    { weight: 2, arbitrary: fc.double().map((value) => doubleField(4, value)) },
    { weight: 1, arbitrary: textField(7) },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
    { weight: 2, arbitrary: inField(5, fields(4, inField(1, tie('anyValue')))) },
    { weight: 2, arbitrary: inField(6, fields(4, inField(1, tie('keyValue')))) },
    // A message that comes in parts, and a value that is said twice.
    { weight: 2, arbitrary: fields(3, tie('anyValue')) },
  ),
  keyValue: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(inField(1, key), inField(2, tie('anyValue'))).map((parts) => Buffer.concat(parts)),
    },
    { weight: 1, arbitrary: fields(4, inField(1, key), inField(2, tie('anyValue'))) },
  ),
}))

const uint32 = fc.oneof(fc.nat(10), uint64)
const attributes = (field: number): Field => inField(field, keyValue)
const countField = (field: number): Field => uint32.map((value) => numberField(field, value))
const timeField = (field: number): Field => time.map((value) => fixed64Field(field, value))

const resource = fields(4, attributes(1), countField(2))
const scope = fields(3, textField(1), textField(2), attributes(3), countField(4))
const event = fields(5, timeField(1), textField(2), attributes(3), countField(4))
const link = fields(5, hexField(1, traceId), hexField(2, spanId), textField(3), attributes(4))
const flags = pick(0, 0x1, 0x100, 0x300, 0x301, 0xffff_ffff).map((value) => fixed32Field(16, value))
const spanFields = fields(
  10,
  textField(3),
  hexField(4, spanId),
  textField(5),
  fc.oneof(fc.nat(6), uint64).map((value) => numberField(6, value)),
  timeField(7),
  timeField(8),
  attributes(9),
  attributes(9),
  attributes(9),
  countField(10),
  inField(11, event),
  countField(12),
  inField(13, link),
  countField(14),
  inField(
    15,
    fields(
      3,
      textField(2),
      fc.oneof(fc.nat(3), uint64).map((value) => numberField(3, value)),
    ),
  ),
  flags,
)
const span: Field = fc
  .tuple(spanFields, hexField(1, traceId), hexField(2, spanId), spanFields)
  .map((parts) => Buffer.concat(parts))

const scopeSpans = fields(6, inField(1, scope), inField(2, span), inField(2, span), textField(3))
const resourceSpans = fields(
  5,
  inField(1, resource),
  inField(2, scopeSpans),
  inField(2, scopeSpans),
  textField(3),
)

/** A request in protobuf that is whole, whatever its fields say. */
export const wireRequest: Field = fields(4, inField(1, resourceSpans))

/** How bytes are damaged: bits are changed, some are cut off, taken out or put in, or stand at two places. */
const damages = fc.array(
  fc.record({
    // A bit leaves most of a request to read, what changes its length little.
    kind: pick('bit', 'bit', 'bit', 'byte', 'byte', 'cut', 'remove', 'insert', 'length', 'splice'),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    other: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.nat(255),
  }),
  { minLength: 1, maxLength: 2 },
)

/** A request that was whole before some of its bytes were changed. */
export const damagedRequest: Field = fc.tuple(wireRequest, damages).map(([bytes, list]) =>
  list.reduce((before, { kind, place, other, byte }) => {
    const at = Math.floor(place * before.length)
    const [head, tail] = [before.subarray(0, at), before.subarray(at)]
    if (kind === 'cut') return head
    if (kind === 'remove') return Buffer.concat([head, tail.subarray(1 + (byte & 7))])
    if (kind === 'byte') return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)])
    if (kind === 'bit')
      return Buffer.concat([head, Buffer.from([(tail[0] ?? 0) ^ (1 << (byte & 7))]), tail.subarray(1)])
    if (kind === 'insert') return Buffer.concat([head, Buffer.from([byte]), tail])
    if (kind === 'length') return Buffer.concat([head, Buffer.from('0affffffff0f', 'hex'), tail])
    const from = Math.floor(other * before.length)
    return Buffer.concat([head, before.subarray(from, from + 40), tail])
  }, bytes),
)

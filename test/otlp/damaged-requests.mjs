// Requests that were damaged in every way that a seed leads to: as bytes, and in JSON as what the bytes say.
import { deflateSync, gzipSync } from 'node:zlib'

const oddBytes = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x0b, 0x0c]
const signs = Buffer.from('{}[]",:\\0-.eE \n')
const names = [
  'resourceSpans',
  'resource_spans',
  'instrumentationLibrarySpans',
  'spans',
  'attributes',
  'value',
  'values',
  'key',
  'stringValue',
  'int_value',
  'doubleValue',
  'boolValue',
  'bytesValue',
  'arrayValue',
  'kvlist_value',
  'startTimeUnixNano',
  'traceId',
  'parent_span_id',
  'flags',
  'kind',
  '__proto__',
  '',
]
const junk = [
  [null, true, false, 0, -0, -1, 0.5, 1e300, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, -(2 ** 63)],
  ['', ' ', '0', '-', '-0', '007', '1e400', 'NaN', '-Infinity', '0x10', '18446744073709551616'],
  ['9'.repeat(400), '0'.repeat(32), 'f'.repeat(32), 'f'.repeat(16), '\u{d800}', '\u{0}', 'ü', '🙂'],
  [[], {}, [[]], [null], { values: {} }, { stringValue: 1, intValue: '5' }, { toString: 1 }],
].flat()
const numerals = ['1e999', '-1e999', '9'.repeat(400), '0.1e-400', '-0', `1${'0'.repeat(30)}`, '1e20']
const wrappers = [
  ['{"arrayValue":{"values":[', ']}}'],
  ['{"kvlistValue":{"values":[{"key":"k","value":', '}]}}'],
  ['[', ']'],
  ['{"value":', '}'],
]

/**
 * Makes a source of damaged requests.
 *
 * @param {() => number} random numbers from 0 to below 1
 * @param {{protobuf: readonly Buffer[], json: readonly Buffer[]}} whole what is damaged
 */
export function createDamage(random, { protobuf, json }) {
  const below = (limit) => Math.floor(random() * limit)
  const pick = (list) => list[below(list.length)]

  function damageBytes(whole, odd) {
    let bytes = Buffer.from(whole)
    // Most of a request is text; its head is where lengths stand close together.
    if (random() < 0.3) bytes = bytes.subarray(0, 1 + below(Math.min(bytes.length, 600)))
    for (let left = 1 + below(6); left > 0 && bytes.length > 0; left--) bytes = changeBytes(bytes, odd)
    return bytes
  }

  function changeBytes(bytes, odd) {
    const at = below(bytes.length)
    const kind = below(5)
    if (kind < 2) {
      bytes[at] = kind === 0 ? below(256) : pick(odd)
      return bytes
    }
    if (kind === 2) return bytes.subarray(0, 1 + at)
    if (kind === 3) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(16))])
    const from = below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + below(400)), bytes.subarray(at)])
  }

  function damageJson(whole) {
    const document = { root: JSON.parse(whole.toString()) }
    for (let left = 1 + below(4); left > 0; left--) changeNode(document)
    let text = JSON.stringify(document.root) ?? 'null'
    // What JSON.stringify cannot write: numbers beyond a double, and what lies deeper than its stack.
    if (random() < 0.3) text = replaceMatch(text, /(?<=:)(?:-?\d[\d.eE+-]*|"\d+")/gu, () => pick(numerals))
    if (random() < 0.2) text = replaceMatch(text, /\{"\w+Value":"[^"\\]*"\}/gu, nest)
    return Buffer.from(text)
  }

  function changeNode(document) {
    const places = []
    listPlaces(document, places)
    const [parent, key] = pick(places)
    const [otherParent, otherKey] = pick(places)
    const kind = below(5)
    if (kind === 0) parent[key] = pick(junk)
    else if (kind === 1) delete parent[key]
    else if (kind === 2) parent[key] = structuredClone(otherParent[otherKey])
    else if (kind === 3) parent[pick(names)] = structuredClone(parent[key])
    else if (typeof parent[key] === 'string') parent[key] = changeText(parent[key])
    else parent[key] = JSON.stringify(parent[key]) ?? ''
    document.root ??= null
  }

  function changeText(value) {
    const at = below(value.length + 1)
    const kind = below(3)
    if (kind === 0) return value.slice(0, at)
    if (kind === 1) return value.toUpperCase()
    return `${value.slice(0, at)}${pick(['\u{dc00}', 'g', '0', '-', '\u{0}'])}${value.slice(at)}`
  }

  function nest(text) {
    const levels = pick([1, 3, 62, 63, 64, 65, 66, 300, 20_000])
    const [open, close] = pick(wrappers)
    return `${open.repeat(levels)}${text}${close.repeat(levels)}`
  }

  function replaceMatch(text, pattern, replace) {
    const matches = [...text.matchAll(pattern)]
    if (matches.length === 0) return text
    const { index, 0: found } = pick(matches)
    return `${text.slice(0, index)}${replace(found)}${text.slice(index + found.length)}`
  }

  const sources = {
    protobuf: () => damageBytes(pick(protobuf), oddBytes),
    json: () => (random() < 0.3 ? damageBytes(pick(json), signs) : damageJson(pick(json))),
    gzip: () => damageBytes(gzipSync(pick(json), { level: 1 }), oddBytes),
    deflate: () => damageBytes(deflateSync(pick(protobuf), { level: 1 }), oddBytes),
  }
  return sources
}

/** All places of a document as the object or list that they are in, and their key there. */
function listPlaces(value, places) {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    places.push([value, key])
    listPlaces(value[key], places)
  }
}

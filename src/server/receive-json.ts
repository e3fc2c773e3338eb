import { isUtf8 } from 'node:buffer'
import { encodeRequest } from '../otlp/encode-request.ts'
import { HttpProblem } from './http/http-problem.ts'

/** A request in JSON, as one in protobuf. */
export interface ReadJsonRequest {
  readonly body: Buffer
  /** Spans that could not be read, and are not in the body. */
  readonly rejectedSpans: number
  /** How many of them say to which trace they belong, by its id. */
  readonly rejectedByTrace: ReadonlyMap<string, number>
  /** Why the first of them could not be read. */
  readonly reason: string | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b

// A value of three bytes, such as `{},`, takes 60 in memory, and 64 MiB of them would take a gigabyte.
const MAX_VALUES = 5_000_000

/**
 * Reads an `ExportTraceServiceRequest` in JSON.
 *
 * @throws {HttpProblem} 400 where it is no JSON in UTF-8, or of metrics, logs or profiles; 413 where it holds more than
 *   some million values
 */
export function readJsonRequest(bytes: Buffer): ReadJsonRequest {
  if (!isUtf8(bytes)) throw toBadRequest('The body is not UTF-8')
  if (countValues(bytes) > MAX_VALUES) {
    throw new HttpProblem(413, `A body may hold ${MAX_VALUES} values; send it as protobuf or in parts`)
  }
  const json = parse(bytes)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw toBadRequest('The body is no object')
  }
  const { signal, body, rejectedSpans, rejectedByTrace, rejected } = encodeRequest(json)
  if (signal === 'other') throw toBadRequest('The body holds no spans, but another signal')
  const first = rejected.find(({ kept }) => !kept)
  return {
    body,
    rejectedSpans,
    rejectedByTrace,
    reason:
      first === undefined ? undefined : `${first.path}: expected ${first.expected}, found ${first.found}`,
  }
}

/** Makes the problem of a body that cannot be read. */
export function toBadRequest(description: string): HttpProblem {
  return new HttpProblem(400, description, { members: { violations: [{ field: '', description }] } })
}

function parse(bytes: Buffer): unknown {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  try {
    return JSON.parse(bytes.toString('utf8', start)) as unknown
  } catch {
    // What the parser says quotes the body.
    throw toBadRequest('The body is not JSON')
  }
}

/** How many values the text would become, at least: all but the first of a list, and the lists. */
function countValues(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count++
  }
  return count
}

function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (bytes[before] === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
  return bytes.length
}

import type { IncomingHttpHeaders } from 'node:http'
import { WireWriter } from '../otlp/wire-writer.ts'
import type { HttpAnswer } from './http/http-handler.ts'
import type { HttpProblem } from './http/http-problem.ts'

/** The two encodings of OTLP over HTTP. A request is answered in its own. */
export type ReceiveEncoding = 'protobuf' | 'json'

/** Spans that were left out. */
export interface PartialSuccess {
  readonly rejectedSpans: number
  readonly errorMessage: string
}

interface Violation {
  readonly field: string
  readonly description: string
}

// Exactly so: senders pass over what an answer of another type says, also one that names its charset.
const CONTENT_TYPES: Readonly<Record<ReceiveEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}

const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'

/** Codes of google.rpc by status of HTTP. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  404: 12,
  405: 12,
  413: 8,
  415: 3,
  421: 7,
  503: 14,
}
const UNKNOWN = 2

/** The encoding that a content type names; parameters, such as the charset, are passed over. */
export function readEncoding(contentType: string | undefined): ReceiveEncoding | undefined {
  const type = contentType?.split(';', 1).join('').trim().toLowerCase()
  if (type === CONTENT_TYPES.protobuf) return 'protobuf'
  return type === CONTENT_TYPES.json ? 'json' : undefined
}

/** Makes the answer to a request whose spans were taken: an `ExportTraceServiceResponse`. */
export function toExportAnswer(encoding: ReceiveEncoding, partial: PartialSuccess | null): HttpAnswer {
  const body = encoding === 'json' ? writeJsonResponse(partial) : writeResponse(partial)
  return { status: 200, headers: { 'content-type': CONTENT_TYPES[encoding] }, body }
}

/** Makes the answer to a request that failed: a `google.rpc.Status`, in protobuf where the request is not JSON. */
export function toStatusAnswer(problem: HttpProblem, headers: IncomingHttpHeaders): HttpAnswer {
  const encoding = readEncoding(headers['content-type']) ?? 'protobuf'
  const code = CODES[problem.status] ?? UNKNOWN
  const violations = (problem.options.members?.['violations'] ?? []) as readonly Violation[]
  const { message } = problem
  const body =
    encoding === 'json' ? writeJsonStatus(code, message, violations) : writeStatus(code, message, violations)
  return {
    status: problem.status,
    headers: {
      ...problem.options.headers,
      'content-type': CONTENT_TYPES[encoding],
      'cache-control': 'no-store',
    },
    body,
  }
}

function writeJsonResponse(partial: PartialSuccess | null): string {
  if (partial === null) return '{}'
  const { rejectedSpans, errorMessage } = partial
  return JSON.stringify({ partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } })
}

function writeResponse(partial: PartialSuccess | null): Buffer {
  const writer = new WireWriter()
  if (partial === null) return writer.finish()
  const start = writer.begin(1)
  writer.varint(1, partial.rejectedSpans)
  writer.text(2, partial.errorMessage)
  writer.end(start)
  return writer.finish()
}

function writeJsonStatus(code: number, message: string, violations: readonly Violation[]): string {
  const details = [{ '@type': BAD_REQUEST, fieldViolations: violations }]
  return JSON.stringify({ code, message, ...(violations.length > 0 && { details }) })
}

function writeStatus(code: number, message: string, violations: readonly Violation[]): Buffer {
  const writer = new WireWriter()
  writer.varint(1, code)
  writer.text(2, message)
  if (violations.length === 0) return writer.finish()
  const detail = writer.begin(3)
  writer.text(1, BAD_REQUEST)
  const value = writer.begin(2)
  for (const { field, description } of violations) {
    const violation = writer.begin(1)
    writer.text(1, field)
    writer.text(2, description)
    writer.end(violation)
  }
  writer.end(value)
  writer.end(detail)
  return writer.finish()
}

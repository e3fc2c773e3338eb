import { WIRE_BYTES, WIRE_VARINT, WireCursor, WireFault } from '../otlp/wire-cursor.ts'

/** What an endpoint says of a request that it took. */
export interface PartialSuccess {
  readonly rejectedSpans: number
  /** Empty where it says nothing. */
  readonly message: string
}

const ALL_TAKEN: PartialSuccess = { rejectedSpans: 0, message: '' }

const PARTIAL_SUCCESS = 8 + WIRE_BYTES
const REJECTED_SPANS = 8 + WIRE_VARINT
const ERROR_MESSAGE = 16 + WIRE_BYTES

/**
 * Reads an `ExportTraceServiceResponse`, in JSON where its content type says so, else in protobuf. Of one that cannot be
 * read nothing is known but that all was taken.
 */
export function readPartialSuccess(body: Buffer, contentType: string): PartialSuccess {
  return /^application\/json\b/iu.test(contentType) ? readJson(body) : readProtobuf(body)
}

function readProtobuf(body: Buffer): PartialSuccess {
  try {
    const cursor = new WireCursor(body)
    const found = { ...ALL_TAKEN }
    while (cursor.at < body.length) {
      const tag = cursor.readTag(body.length)
      if (tag === PARTIAL_SUCCESS) readFields(cursor, cursor.readEnd(body.length), found)
      else cursor.skip(tag, body.length)
    }
    return found
  } catch (error) {
    if (error instanceof WireFault) return ALL_TAKEN
    throw error
  }
}

function readFields(cursor: WireCursor, end: number, into: { rejectedSpans: number; message: string }): void {
  while (cursor.at < end) {
    const tag = cursor.readTag(end)
    if (tag === REJECTED_SPANS) into.rejectedSpans = toCount(cursor.readInt64(end))
    else if (tag === ERROR_MESSAGE) into.message = cursor.readText(end)
    else cursor.skip(tag, end)
  }
}

interface ResponseJson {
  readonly partialSuccess?: { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown } | null
}

function readJson(body: Buffer): PartialSuccess {
  try {
    const { partialSuccess } = JSON.parse(body.toString()) as ResponseJson
    const { rejectedSpans, errorMessage } = partialSuccess ?? {}
    return {
      rejectedSpans: toCount(rejectedSpans),
      message: typeof errorMessage === 'string' ? errorMessage : '',
    }
  } catch {
    return ALL_TAKEN
  }
}

function toCount(value: unknown): number {
  const count = Number(value ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

import protobuf from 'protobufjs'
import type { Answer } from './receive.ts'

const { root } = protobuf.parse(`
  syntax = "proto3";
  message PartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
  message ExportTraceServiceResponse { PartialSuccess partial_success = 1; }
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message FieldViolation { string field = 1; string description = 2; }
  message BadRequest { repeated FieldViolation field_violations = 1; }
`)

/** A `google.rpc.Status` in either encoding. */
export interface ReadStatus {
  readonly code: number
  readonly message: string
  /** Of its `BadRequest`. */
  readonly violations: readonly string[]
}

/** Reads the status of an answer by another reader than ours. */
export function readStatus({ type, body }: Answer): ReadStatus {
  if (type === 'application/json') {
    const { code, message, details = [] } = JSON.parse(body.toString()) as JsonStatus
    const violations = details.flatMap(({ fieldViolations }) => fieldViolations)
    return { code, message, violations: violations.map(({ description }) => description) }
  }
  const status = decode('Status', body) as unknown as WireStatus
  const violations = (status.details ?? []).flatMap(({ typeUrl, value }) => {
    if (typeUrl !== 'type.googleapis.com/google.rpc.BadRequest') throw new Error(`Unknown detail ${typeUrl}`)
    return (decode('BadRequest', value) as unknown as WireBadRequest).fieldViolations
  })
  const { code, message } = status
  return { code, message, violations: violations.map(({ description }) => description) }
}

/** Reads the answer to a request that was taken: how many spans were rejected, and why. */
export function readResponse({ type, body }: Answer): { rejected: number; message: string } | null {
  const response = (
    type === 'application/json' ? JSON.parse(body.toString()) : decode('ExportTraceServiceResponse', body)
  ) as { partialSuccess?: { rejectedSpans: string; errorMessage: string } }
  const { partialSuccess } = response
  if (partialSuccess === undefined) return null
  return { rejected: Number(partialSuccess.rejectedSpans), message: partialSuccess.errorMessage }
}

interface JsonStatus {
  readonly code: number
  readonly message: string
  readonly details?: readonly { readonly fieldViolations: readonly { readonly description: string }[] }[]
}

interface WireStatus {
  readonly code: number
  readonly message: string
  readonly details?: readonly { readonly typeUrl: string; readonly value: Uint8Array }[]
}

interface WireBadRequest {
  readonly fieldViolations: readonly { readonly description: string }[]
}

function decode(type: string, bytes: Uint8Array): Record<string, unknown> {
  const reader = root.lookupType(type)
  return reader.toObject(reader.decode(bytes), { longs: String })
}

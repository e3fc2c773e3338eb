import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import protobuf from 'protobufjs'

const TRACE_PROTO = readFileSync(join(import.meta.dirname, 'trace.proto'), 'utf8')

/** `ExportTraceServiceRequest` as protobufjs reads and writes it. */
const TraceRequest: protobuf.Type = protobuf.parse(TRACE_PROTO).root.lookupType('Request')

/** A value of an attribute: at most one of its fields. */
export interface ProtoValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  /** Decimal text. */
  readonly intValue?: string
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values: readonly ProtoValue[] }
  readonly kvlistValue?: { readonly values: readonly ProtoKeyValue[] }
  readonly bytesValue?: Uint8Array
}

export interface ProtoKeyValue {
  readonly key: string
  readonly value?: ProtoValue | null | undefined
}

export interface ProtoSpan {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly traceState: string
  readonly parentSpanId: Uint8Array
  readonly flags: number
  readonly name: string
  readonly kind: number
  /** Decimal text, and so are all times. */
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly ProtoKeyValue[]
  readonly droppedAttributesCount: number
  readonly events: readonly {
    readonly timeUnixNano: string
    readonly name: string
    readonly attributes: readonly ProtoKeyValue[]
    readonly droppedAttributesCount: number
  }[]
  readonly droppedEventsCount: number
  readonly links: readonly {
    readonly traceId: Uint8Array
    readonly spanId: Uint8Array
    readonly traceState: string
    readonly attributes: readonly ProtoKeyValue[]
    readonly droppedAttributesCount: number
    readonly flags: number
  }[]
  readonly droppedLinksCount: number
  readonly status?: { readonly code: number; readonly message: string } | null | undefined
}

export interface ProtoRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes: readonly ProtoKeyValue[] } | null | undefined
    readonly schemaUrl: string
    readonly scopeSpans: readonly {
      readonly scope?: { readonly name: string; readonly version: string } | null | undefined
      readonly schemaUrl: string
      readonly spans: readonly ProtoSpan[]
    }[]
  }[]
}

/** @throws {Error} where protobufjs cannot read it */
export function decodeWithOracle(bytes: Uint8Array): ProtoRequest {
  const options = { longs: String, arrays: true, defaults: true, bytes: Buffer }
  return TraceRequest.toObject(TraceRequest.decode(bytes), options) as ProtoRequest
}

/** The bytes that protobufjs makes of a request. */
export function encodeWithOracle(request: ProtoRequest): Buffer {
  return Buffer.from(TraceRequest.encode(TraceRequest.fromObject(request as object)).finish())
}

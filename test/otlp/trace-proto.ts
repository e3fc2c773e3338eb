import protobuf from 'protobufjs'

// The messages of an OTLP trace request (OTLP 1.11), written down once more and apart from what `src` knows of them.
const TRACE_PROTO = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Scope {
  string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4;
}
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12;
  repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15;
}
message Event {
  fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4;
}
message Link {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4;
  uint32 dropped_attributes_count = 5; fixed32 flags = 6;
}
message Status { reserved 1; string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
`

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

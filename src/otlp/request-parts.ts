/** Where something stands in the bytes of a request. */
export interface WirePart {
  readonly start: number
  end: number
}

/** What the spans of a resource share. A message may come in several parts, which count as if they were one. */
export class ResourceParts {
  readonly resource: WirePart[] = []
  schemaUrl: WirePart | undefined
  /** The fields as they stand in the body of each trace, once they are asked for. */
  shared: Buffer | undefined
}

/** What the spans of a scope share; no parts, no scope. */
export class ScopeParts {
  readonly around: ResourceParts
  readonly scope: WirePart[] = []
  schemaUrl: WirePart | undefined
  /** The fields as they stand in the body of each trace, once they are asked for. */
  shared: Buffer | undefined

  constructor(around: ResourceParts) {
    this.around = around
  }
}

/** What a span says of itself without its content. Places are offsets in the request; -1 is a field that is absent. */
export class SpanFields {
  /** Where the field begins whose content the span is. */
  fieldAt = 0
  start = 0
  end = 0
  traceIdAt = -1
  traceIdBytes = 0
  spanIdAt = -1
  spanIdBytes = 0
  parentAt = -1
  parentBytes = 0
  nameAt = 0
  nameEnd = 0
  kind = 0
  startTimeAt = -1
  endTimeAt = -1
  droppedAttributes = 0
  hasEvents = false
  hasStatus = false
  statusCode = 0
  messageAt = 0
  messageEnd = 0
  flags = 0

  reset(fieldAt: number, start: number, end: number): void {
    this.fieldAt = fieldAt
    this.start = start
    this.end = end
    this.traceIdAt = this.spanIdAt = this.parentAt = this.startTimeAt = this.endTimeAt = -1
    this.traceIdBytes = this.spanIdBytes = this.parentBytes = 0
    this.nameAt = this.nameEnd = this.messageAt = this.messageEnd = 0
    this.kind = this.droppedAttributes = this.statusCode = this.flags = 0
    this.hasEvents = this.hasStatus = false
  }
}

/** Takes the spans of a request one after the other. The fields are those of the next span at the next call. */
export interface SpanSink {
  /** A span that is whole as protobuf; its ids may be none. */
  take(span: SpanFields, scope: ScopeParts): void
  /** A span that is damaged; the fields are those before the damage. It is in the log. */
  leaveOut(span: SpanFields): void
}

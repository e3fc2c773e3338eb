import { canonicalJson, compareCodeUnits } from '../steps/canonical-json.ts'
import type { StepRecord } from './step-record.ts'

/**
 * The records of one trace, each span once. Of two copies of a span (deliveries are at least once, and some
 * exporters resend a grown span) the one with the later end stays, then the one with more attributes, then the one
 * whose record has the greater canonical bytes, so that the order of arrival never matters.
 */
export class TraceRecords {
  readonly traceId: string
  readonly #bySpanId = new Map<string, StepRecord>()
  #duplicates = 0

  constructor(traceId: string) {
    this.traceId = traceId
  }

  /** Adds a record, or keeps the better of two copies. */
  add(record: StepRecord): void {
    const known = this.#bySpanId.get(record.spanId)
    if (known !== undefined) this.#duplicates++
    if (known === undefined || compareCopies(record, known) > 0) this.#bySpanId.set(record.spanId, record)
  }

  /** How many distinct spans are held. */
  get size(): number {
    return this.#bySpanId.size
  }

  /** How many spans came again. */
  get duplicates(): number {
    return this.#duplicates
  }

  get(spanId: string): StepRecord | undefined {
    return this.#bySpanId.get(spanId)
  }

  /** The same records and more; these stay as they are. */
  with(more: readonly StepRecord[]): TraceRecords {
    const all = new TraceRecords(this.traceId)
    for (const record of this.values()) all.add(record)
    for (const record of more) all.add(record)
    all.#duplicates = this.#duplicates
    return all
  }

  has(spanId: string): boolean {
    return this.#bySpanId.has(spanId)
  }

  values(): Iterable<StepRecord> {
    return this.#bySpanId.values()
  }
}

function compareCopies(a: StepRecord, b: StepRecord): number {
  if (a.endNs !== b.endNs) return a.endNs > b.endNs ? 1 : -1
  if (a.attributeCount !== b.attributeCount) return a.attributeCount - b.attributeCount
  return compareCodeUnits(canonicalRecord(a), canonicalRecord(b))
}

function canonicalRecord(record: StepRecord): string {
  return canonicalJson({ ...record, resource: record.resource.attributes })
}

/**
 * A point in time as OpenTelemetry JS records it: whole seconds since the Unix epoch, and the nanoseconds
 * within that second (0 to 999,999,999).
 */
export type HrTime = readonly [seconds: number, nanoseconds: number]

/** Attributes as recorded: primitives, and from SDK 3.x or OTLP also maps, mixed arrays, `null` and bytes. */
export type Attributes = Readonly<Record<string, unknown>>

/** One timed event of a span. */
export interface EventView {
  readonly name: string
  readonly time: HrTime
  readonly attributes?: Attributes | undefined
}

/**
 * The smallest read-only view of a finished span that the pipeline needs. It is structural: a `ReadableSpan` of
 * OpenTelemetry SDK 1.x, 2.x or 3.x fits it as it is, and so does a span decoded from OTLP.
 */
export interface SpanView {
  readonly name: string
  spanContext(): { readonly traceId: string; readonly spanId: string }
  /** The parent in SDK 2.x and 3.x; absent on a root. */
  readonly parentSpanContext?:
    | { readonly spanId: string; readonly isRemote?: boolean | undefined }
    | undefined
  /** The parent in SDK 1.x; absent on a root. */
  readonly parentSpanId?: string | undefined
  readonly startTime: HrTime
  readonly endTime: HrTime
  /** `code` is OpenTelemetry's `SpanStatusCode`: 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly attributes: Attributes
  readonly events: readonly EventView[]
  readonly resource: { readonly attributes: Attributes }
  readonly instrumentationScope?: { readonly name: string; readonly version?: string | undefined } | undefined
  /** How many attributes an SDK limit dropped; 0 or absent means that none was. */
  readonly droppedAttributesCount?: number | undefined
}

/** The latest time that OTLP can hold, in nanoseconds: 2^64-1. */
const LATEST_NS = 18_446_744_073_709_551_615n

/**
 * Nanoseconds since the Unix epoch of a recorded time, between 0 and what OTLP can hold. Fractions of a second or a
 * nanosecond are cut off; a part that is no number counts as 0.
 */
export function toNanoseconds(time: HrTime): bigint {
  const [seconds, rest] = time
  // As any SDK records it: big integers are dear, so the second is made of the same digits only once.
  if (seconds === lastSecond.seconds && Number.isInteger(rest) && rest >= 0 && rest < 1e9) {
    return lastSecond.nanoseconds + BigInt(rest)
  }
  const whole = toWhole(seconds) * 1_000_000_000n
  if (Number.isInteger(seconds) && seconds >= 0 && seconds < LATEST_SECOND) {
    lastSecond = { seconds, nanoseconds: whole }
  }
  const nanoseconds = whole + toWhole(rest)
  if (nanoseconds < 0n) return 0n
  return nanoseconds > LATEST_NS ? LATEST_NS : nanoseconds
}

/** The last whole second in which nothing has to be cut. */
const LATEST_SECOND = 18_446_744_073

let lastSecond = { seconds: 0, nanoseconds: 0n }

function toWhole(part: number): bigint {
  return Number.isFinite(part) ? BigInt(Math.trunc(part)) : 0n
}

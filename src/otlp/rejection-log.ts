import { describeValue } from './excerpt.ts'

/** Why a part of an OTLP/JSON document could not be read as it stands. */
export type RejectionReason =
  | 'invalid_trace_id'
  | 'invalid_span_id'
  | 'invalid_parent_span_id'
  | 'invalid_time'
  | 'invalid_value'
  | 'invalid_shape'
  | 'nested_too_deep'
  | 'too_many_parts'

/** One part of an OTLP/JSON document that could not be read as it stands. */
export interface Rejection {
  readonly reason: RejectionReason
  /** Where it stands, by its keys in lowerCamelCase: `resourceSpans[0].scopeSpans[0].spans[3].spanId`. */
  readonly path: string
  /** What OTLP asks for there. */
  readonly expected: string
  /** What stands there, cut to 40 characters. */
  readonly found: string
  /** `false`: the whole part (a span, a list) was left out. `true`: it was kept without the bad value. */
  readonly kept: boolean
}

type Fault = Omit<Rejection, 'path' | 'found'>

// A document of nothing but bad values must not become a list many times its own size.
const MAX_ENTRIES = 1_000

/** Collects rejections while a document is walked, and builds their paths only when one is needed. */
export class RejectionLog {
  /** The first 1,000 rejections. */
  readonly entries: Rejection[] = []
  /** Keys and indexes of the part that is being read, outermost first. The walker keeps it up to date. */
  readonly position: (string | number)[] = []
  #held: { readonly fault: Fault; readonly found: unknown } | undefined

  /** Notes a part that is left out. `suffix` is the path below the current position. */
  reject(reason: RejectionReason, suffix: string, expected: string, found: unknown): void {
    this.#add(suffix, { reason, expected, kept: false }, found)
  }

  /** Notes a part that is kept without its bad value. `suffix` is the path below the current position. */
  warn(reason: RejectionReason, suffix: string, expected: string, found: unknown): void {
    this.#add(suffix, { reason, expected, kept: true }, found)
  }

  /** Remembers a bad value whose place the caller does not know. Only the first before a `release` counts. */
  hold(reason: RejectionReason, expected: string, found: unknown): void {
    this.#held ??= { fault: { reason, expected, kept: true }, found }
  }

  /** Notes what was held, if anything, at `suffix` and `index` below the current position. */
  release(suffix: string, index: number): void {
    if (this.#held === undefined) return
    const { fault, found } = this.#held
    this.#add(`${suffix}[${index}]`, fault, found)
    this.#held = undefined
  }

  #add(suffix: string, fault: Fault, found: unknown): void {
    if (this.entries.length >= MAX_ENTRIES) return
    let path = ''
    for (const part of [...this.position, suffix]) {
      if (typeof part === 'number') path += `[${part}]`
      else if (part !== '') path += path === '' ? part : `.${part}`
    }
    const { reason, expected, kept } = fault
    this.entries.push({ reason, path, expected, found: describeValue(found), kept })
  }
}

import type { EventView } from '../steps/span-view.ts'
import type { LiveSpan, MarkAttributes, MarkValue } from './live-span.ts'

/** OpenTelemetry's default for the attributes and for the events of a span. */
const DEFAULT_LIMIT = 128

/** Limits as spans of SDK 2.x and 3.x carry them; not part of their public face, so they may be absent. */
interface LimitedSpan {
  readonly _spanLimits?: {
    readonly attributeCountLimit?: number | undefined
    readonly eventCountLimit?: number | undefined
  }
  /** What the SDK has counted: attributes that were deleted since take up room, too. */
  readonly _attributesCount?: number
}

/** What is behind the read-only face of a span. */
interface MutableSpan {
  attributes: Record<string, unknown>
  events: EventView[]
  status: { code: number; message?: string }
}

/**
 * Writes marks on a span that is about to end or has ended. A span that is about to end takes them by its own methods
 * as long as its limits have room; what would be dropped there, or push an event of the program out, is written past
 * them, and so is everything on a span that has ended.
 */
export class SpanWriter {
  readonly #span: LiveSpan
  readonly #hasEnded: boolean
  /** How many attributes the limit of the span leaves room for. */
  #room: number

  /** @param hasEnded the SDK told of the end only after it, as those without `onEnding` do */
  constructor(span: LiveSpan, hasEnded: boolean, attributeCount: number) {
    const { _spanLimits: limits, _attributesCount: counted = 0 } = span as LiveSpan & LimitedSpan
    this.#span = span
    this.#hasEnded = hasEnded
    this.#room = (limits?.attributeCountLimit ?? DEFAULT_LIMIT) - Math.max(attributeCount, counted)
  }

  writeAttributes(attributes: MarkAttributes): void {
    for (const key in attributes) {
      const value = attributes[key]
      if (value !== undefined) this.#writeAttribute(key, value)
    }
  }

  #writeAttribute(key: string, value: MarkValue): void {
    const { attributes } = this.#span as unknown as MutableSpan
    if (this.#hasEnded) {
      attributes[key] = value
      return
    }
    const isNew = !Object.hasOwn(attributes, key)
    if (isNew && this.#room <= 0) attributes[key] = value
    else this.#span.setAttribute(key, value)
    if (isNew) this.#room--
  }

  /** The event has the time at which the span ended. */
  writeEvent(name: string, attributes: MarkAttributes): void {
    const { endTime } = this.#span
    const { events } = this.#span as unknown as MutableSpan
    const limit = (this.#span as LiveSpan & LimitedSpan)._spanLimits?.eventCountLimit ?? DEFAULT_LIMIT
    if (!this.#hasEnded && events.length < limit) {
      this.#span.addEvent(name, attributes, [endTime[0], endTime[1]])
      return
    }
    const event = { name, attributes, time: endTime, droppedAttributesCount: 0 }
    events.push(event)
  }

  /** Raises the status to ERROR. */
  writeError(message: string): void {
    const status = { code: 2, message }
    if (this.#hasEnded) (this.#span as unknown as MutableSpan).status = status
    else this.#span.setStatus(status)
  }
}

import type { SpanView } from '../steps/span-view.ts'

/** What an attribute of a span, an event or a log record may hold in every SDK line. */
export type MarkValue = string | number | boolean | string[]

/** Attributes that we write. */
export type MarkAttributes = Record<string, MarkValue>

/**
 * A span as an SDK hands it to its processors: readable, and writable until it has ended. Structural, so that spans
 * of SDK 1.x, 2.x and 3.x fit it as they are.
 */
export interface LiveSpan extends SpanView {
  setAttribute(key: string, value: MarkValue): unknown
  addEvent(name: string, attributes: MarkAttributes, time: [number, number]): unknown
  setStatus(status: { code: number; message?: string }): unknown
}

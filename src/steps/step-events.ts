import {
  ATTR_AGENT_REACH_CHECKPOINT_DATA,
  ATTR_AGENT_REACH_CHECKPOINT_ID,
  ATTR_AGENT_REACH_CHECKPOINT_NAME,
  ATTR_AGENT_REACH_CHECKPOINT_STATUS,
  ATTR_AGENT_REACH_OPEN_SPAN_ID,
  ATTR_AGENT_REACH_OPEN_SPAN_NAME,
  ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID,
  ATTR_AGENT_REACH_OPEN_SPAN_START_TIME,
  EVENT_AGENT_REACH_CHECKPOINT,
  EVENT_AGENT_REACH_OPEN_SPAN,
} from '../semconv/agent-reach.ts'
import type { FieldReader } from './field-reader.ts'
import { type EventView, type SpanView, toNanoseconds } from './span-view.ts'
import type { OpenSpan, RecordedCheckpoint, StepError } from './step.ts'

/** The longest error message that is kept, in UTF-16 code units: 4,096. */
const MESSAGE_LIMIT = 4_096

/**
 * Reads what went wrong. A span failed when its status is ERROR or it carries `error.type`
 * (OpenTelemetry, Recording errors); an exception event alone may be a handled exception and is not enough.
 *
 * @param raisedByUs the processor raised the status, so it says nothing
 */
export function readError(span: SpanView, reader: FieldReader, raisedByUs: boolean): StepError | null {
  const errorType = reader.text('error.type')
  const failed = (span.status.code === 2 && !raisedByUs) || errorType !== null
  if (!failed) return null
  const exception = span.events.findLast((event) => event.name === 'exception')
  const message =
    text(exception, 'exception.message') ?? span.status.message ?? reader.text('error.message') ?? ''
  return {
    type: text(exception, 'exception.type') ?? errorType,
    message: message.slice(0, MESSAGE_LIMIT).toWellFormed(),
  }
}

/** Reads the checkpoints a span recorded as events. */
export function readCheckpoints(span: SpanView): readonly RecordedCheckpoint[] {
  return span.events.flatMap((event) => {
    if (event.name !== EVENT_AGENT_REACH_CHECKPOINT) return []
    const id = text(event, ATTR_AGENT_REACH_CHECKPOINT_ID)
    if (id === null) return []
    const status = text(event, ATTR_AGENT_REACH_CHECKPOINT_STATUS) === 'failed' ? 'failed' : 'passed'
    return [
      {
        id,
        name: text(event, ATTR_AGENT_REACH_CHECKPOINT_NAME),
        status,
        timeNs: toNanoseconds(event.time),
        data: text(event, ATTR_AGENT_REACH_CHECKPOINT_DATA),
      },
    ]
  })
}

/** Reads which spans below were still open when this root ended. An entry without a usable id or time is left out. */
export function readOpenSpans(span: SpanView): readonly OpenSpan[] {
  return span.events.flatMap((event) => {
    if (event.name !== EVENT_AGENT_REACH_OPEN_SPAN) return []
    const spanId = text(event, ATTR_AGENT_REACH_OPEN_SPAN_ID)?.toLowerCase()
    const startNs = text(event, ATTR_AGENT_REACH_OPEN_SPAN_START_TIME)
    if (spanId === undefined || !/^[0-9a-f]{16}$/u.test(spanId)) return []
    if (startNs === null || !/^\d{1,20}$/u.test(startNs)) return []
    return [
      {
        spanId,
        parentSpanId: text(event, ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID)?.toLowerCase() ?? null,
        name: text(event, ATTR_AGENT_REACH_OPEN_SPAN_NAME) ?? 'unnamed',
        startNs: BigInt(startNs),
      },
    ]
  })
}

function text(event: EventView | undefined, key: string): string | null {
  const value = event?.attributes?.[key]
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null
}

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
import { LANGFUSE_ERROR_LEVEL } from '../semconv/langfuse-keys.ts'
import {
  LANGSMITH_EXCEPTION_TYPE,
  LANGSMITH_OUTPUTS,
  LANGSMITH_SPAN_KIND,
} from '../semconv/langsmith-keys.ts'
import { type FieldReader, toMessage, toNameText } from './field-reader.ts'
import { type EventView, type SpanView, toNanoseconds } from './span-view.ts'
import type { OpenSpan, RecordedCheckpoint, StepError } from './step.ts'

const SPAN_ID = /^[0-9a-f]{16}$/u

/**
 * Reads what went wrong. A span failed when its status is ERROR or it carries `error.type`
 * (OpenTelemetry, Recording errors), or where its own level says so, as Langfuse leaves the status of a function that
 * threw unset, or a run of LangSmith has an error and no outputs; an exception event alone may be a handled exception
 * and is not enough.
 *
 * @param raisedByUs the processor raised the status, so it says nothing
 */
export function readError(span: SpanView, reader: FieldReader, raisedByUs: boolean): StepError | null {
  const errorType = reader.text('error.type')
  const failed = (span.status.code === 2 && !raisedByUs) || errorType !== null
  const isTold = failed || reader.text('error.level') === LANGFUSE_ERROR_LEVEL || isFailedRun(span, reader)
  if (!isTold) return null
  const exception = findException(span)
  const message = text(exception, 'exception.message') ?? toMessage(span.status.message)
  return {
    type: name(exception, 'exception.type') ?? errorType,
    message: message ?? reader.message('error.message') ?? '',
  }
}

/**
 * True for a run of LangSmith that failed. It sets the status to OK when a run begins, which is final, and so cannot set
 * it to ERROR any more; what is left is an exception that it made of the error, and that there are no outputs.
 */
function isFailedRun(span: SpanView, { attributes }: FieldReader): boolean {
  const isRun = typeof attributes[LANGSMITH_SPAN_KIND] === 'string'
  if (!isRun || (attributes[LANGSMITH_OUTPUTS] ?? null) !== null) return false
  return name(findException(span), 'exception.type') === LANGSMITH_EXCEPTION_TYPE
}

function findException({ events }: SpanView): EventView | undefined {
  return events.findLast((event) => event.name === 'exception')
}

/** Reads the checkpoints a span recorded as events. */
export function readCheckpoints(span: SpanView): readonly RecordedCheckpoint[] {
  return span.events.flatMap((event) => {
    if (event.name !== EVENT_AGENT_REACH_CHECKPOINT) return []
    const id = name(event, ATTR_AGENT_REACH_CHECKPOINT_ID)
    if (id === null) return []
    const status = text(event, ATTR_AGENT_REACH_CHECKPOINT_STATUS) === 'failed' ? 'failed' : 'passed'
    return [
      {
        id,
        name: name(event, ATTR_AGENT_REACH_CHECKPOINT_NAME),
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
    const spanId = hexId(event, ATTR_AGENT_REACH_OPEN_SPAN_ID)
    const startNs = name(event, ATTR_AGENT_REACH_OPEN_SPAN_START_TIME)
    if (spanId === null || startNs === null || !/^\d{1,20}$/u.test(startNs)) return []
    return [
      {
        spanId,
        parentSpanId: hexId(event, ATTR_AGENT_REACH_OPEN_SPAN_PARENT_ID),
        name: name(event, ATTR_AGENT_REACH_OPEN_SPAN_NAME) ?? 'unnamed',
        startNs: BigInt(startNs),
      },
    ]
  })
}

function name(event: EventView | undefined, key: string): string | null {
  return toNameText(event?.attributes?.[key])
}

function text(event: EventView | undefined, key: string): string | null {
  return toMessage(event?.attributes?.[key])
}

function hexId(event: EventView, key: string): string | null {
  const id = name(event, key)?.toLowerCase() ?? ''
  return SPAN_ID.test(id) ? id : null
}

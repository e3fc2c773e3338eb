import * as api from '@opentelemetry/api'
import { VERSION } from '../pipeline/version.ts'
import type { LiveSpan, MarkAttributes } from './live-span.ts'

/** The part of the Logs API that is used; the same in `api` 1.10 and in `api-logs` 0.2xx. */
interface LogEmitter {
  emit(record: {
    readonly eventName: string
    readonly severityNumber: number
    readonly attributes: MarkAttributes
    readonly context: api.Context
    readonly timestamp: readonly [number, number]
  }): void
}

interface LogProvider {
  getLogger(name: string, version?: string): LogEmitter
}

/**
 * Where `@opentelemetry/api-logs` 0.2xx keeps the provider that was registered with it. Read there, as that package
 * is there only for those who write logs, and a bundler refuses to leave an import open.
 */
const API_LOGS = Symbol.for('io.opentelemetry.js.api.logs')

/** The compatibility version that its getter wants. */
const API_LOGS_VERSION = 1

/** `SeverityNumber` of the Logs API, by what an alert or a finding calls it. */
export const severityNumbers = { info: 9, warn: 13, error: 17 } as const

/**
 * Emits a log record in the context of a span, with the logger provider that the program has registered, whichever
 * of the two Logs APIs it used. Does nothing where it has registered none.
 */
export function emitLogRecord(
  span: LiveSpan,
  eventName: string,
  severity: keyof typeof severityNumbers,
  attributes: MarkAttributes,
): void {
  const spanContext = span.spanContext() as api.SpanContext
  const record = {
    eventName,
    severityNumber: severityNumbers[severity],
    attributes,
    context: api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext),
    timestamp: span.endTime,
  }
  for (const provider of logProviders()) provider.getLogger('agent-reach', VERSION).emit(record)
}

/** With the newer API a program may have registered a provider with the older one, too; only one holds a real one. */
function logProviders(): readonly LogProvider[] {
  const { logs } = api as { readonly logs?: { getLoggerProvider(): LogProvider } }
  const places = globalThis as unknown as Record<symbol, ((version: number) => LogProvider) | undefined>
  const older = places[API_LOGS]?.(API_LOGS_VERSION)
  return [logs?.getLoggerProvider(), older].filter((provider) => provider !== undefined)
}

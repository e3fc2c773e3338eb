import { findTracker } from './process-hub.ts'
import type { CapturedContent } from '../steps/captured-content.ts'

/** The part of a span that is needed to find it again. */
interface IdentifiedSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string }
}

/**
 * Hands the content of a step to the checks of this process without recording it: nothing of it is exported, the span
 * carries the verdict alone. Values are taken as they are at the end of the span. Content that the span records itself
 * is judged in place of what is captured.
 *
 * @param span one that is open; `trace.getActiveSpan()` of the OpenTelemetry API gives that of the running code
 * @returns `false` where nobody follows the span: no processor of ours, not recorded, or ended
 */
export function capture(span: IdentifiedSpan, content: CapturedContent): boolean {
  try {
    const { traceId, spanId } = span.spanContext()
    return findTracker()?.capture(traceId, spanId, content) ?? false
  } catch {
    // An observer must not break what it looks at, whatever it was given for a span.
    return false
  }
}

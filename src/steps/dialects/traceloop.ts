import {
  TRACELOOP_REQUEST_TYPE,
  TRACELOOP_SPAN_KIND,
  traceloopRequestKinds,
  traceloopSpanKinds,
} from '../../semconv/traceloop-keys.ts'
import type { Dialect } from './dialect.ts'
import { hasKnownOperation } from './known-operation.ts'
import { lookUpKind } from './look-up-kind.ts'

/**
 * Traceloop (OpenLLMetry). Its kinds come before the telltales of the GenAI conventions, as it copies model and usage to
 * the span above the calls, and after their operations: a tool of LangChain is a task to it.
 */
export const traceloop: Dialect = {
  name: 'traceloop',
  kindKeys: [TRACELOOP_SPAN_KIND, TRACELOOP_REQUEST_TYPE],
  readKind(reader) {
    if (hasKnownOperation(reader)) return null
    const { attributes } = reader
    const kind = lookUpKind(traceloopSpanKinds, attributes[TRACELOOP_SPAN_KIND])
    if (kind !== null) return { kind, key: TRACELOOP_SPAN_KIND }
    const requested = lookUpKind(traceloopRequestKinds, attributes[TRACELOOP_REQUEST_TYPE])
    return requested === null ? null : { kind: requested, key: TRACELOOP_REQUEST_TYPE }
  },
  readKindAtLast(reader) {
    const isNamed = typeof reader.attributes[TRACELOOP_SPAN_KIND] === 'string'
    return isNamed ? { kind: 'workflow', key: TRACELOOP_SPAN_KIND } : null
  },
}

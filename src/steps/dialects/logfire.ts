import { LOGFIRE_SPAN_TYPE } from '../../semconv/logfire-keys.ts'
import { isStandIn } from '../is-stand-in.ts'
import type { Dialect } from './dialect.ts'

/**
 * Logfire, whose model and tool calls are spans of the GenAI conventions. What it adds is that a span may stand in for
 * another one that is still open: with all that makes that one a step, and no step itself.
 */
export const logfire: Dialect = {
  name: 'logfire',
  kindKeys: [LOGFIRE_SPAN_TYPE],
  readKind(reader) {
    return isStandIn(reader) ? { kind: 'other', key: LOGFIRE_SPAN_TYPE } : null
  },
}

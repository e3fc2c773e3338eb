import { MASTRA_SPAN_TYPE, mastraSpanKinds } from '../../semconv/mastra-keys.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'

/** Mastra, by its exporter or its bridge: the GenAI conventions for calls, keys of its own for what is around them. */
export const mastra: Dialect = {
  name: 'mastra',
  kindKeys: [MASTRA_SPAN_TYPE],
  readKind(reader) {
    const kind = lookUpKind(mastraSpanKinds, reader.attributes[MASTRA_SPAN_TYPE])
    return kind === null ? null : { kind, key: MASTRA_SPAN_TYPE }
  },
  readKindAtLast(reader) {
    const isNamed = typeof reader.attributes[MASTRA_SPAN_TYPE] === 'string'
    return isNamed ? { kind: 'workflow', key: MASTRA_SPAN_TYPE } : null
  },
  /** A span is named after its operation and what that is done with; where no tool runs here, nothing else names it. */
  readToolName(reader, spanName) {
    const type = reader.attributes[MASTRA_SPAN_TYPE]
    if (typeof type !== 'string' || !spanName.startsWith(`${type} `)) return null
    const name = spanName.slice(type.length + 1)
    return name === '' ? null : name
  },
}

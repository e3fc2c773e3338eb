import { frameworkTelltales } from '../../semconv/framework-keys.ts'
import { protocolKeys } from '../../semconv/protocol-keys.ts'
import type { Dialect } from './dialect.ts'
import { isRecorded } from './numbered-keys.ts'

/** Spans that a framework marks as its own and that no convention describes: units of work. */
export const framework: Dialect = {
  name: 'framework',
  kindKeys: frameworkTelltales,
  readKind: () => null,
  readKindAtLast({ attributes }) {
    const key = frameworkTelltales.find((telltale) => isRecorded(attributes, telltale))
    // A mark that stands on every span of the program makes no step of a request or a query.
    const isProtocol = protocolKeys.some((protocol) => isRecorded(attributes, protocol))
    return key === undefined || isProtocol ? null : { kind: 'workflow', key }
  },
}

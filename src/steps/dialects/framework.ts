import { frameworkTelltales } from '../../semconv/framework-keys.ts'
import type { Dialect } from './dialect.ts'
import { isRecorded } from './numbered-keys.ts'

/** Spans that a framework marks as its own and that no convention describes: units of work. */
export const framework: Dialect = {
  name: 'framework',
  kindKeys: frameworkTelltales,
  readKind: () => null,
  readKindAtLast({ attributes }) {
    const key = frameworkTelltales.find((telltale) => isRecorded(attributes, telltale))
    return key === undefined ? null : { kind: 'workflow', key }
  },
}

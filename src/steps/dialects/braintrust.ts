import {
  BRAINTRUST_SPAN_ATTRIBUTES,
  BRAINTRUST_SPAN_TYPE,
  BRAINTRUST_TYPE,
  braintrustSpanKinds,
  braintrustTelltales,
} from '../../semconv/braintrust-keys.ts'
import type { FieldReader } from '../field-reader.ts'
import { readMember, toFields } from '../recorded-member.ts'
import type { StepKind } from '../step.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'
import { isRecorded } from './numbered-keys.ts'
import { readRunOutput } from './run-output.ts'

/** Braintrust: fields of its own spans, written on spans of any instrumentation. */
export const braintrust: Dialect = {
  name: 'braintrust',
  kindKeys: [BRAINTRUST_SPAN_ATTRIBUTES, BRAINTRUST_SPAN_TYPE, ...braintrustTelltales.map(([key]) => key)],
  readKind,
  readKindAtLast({ attributes }) {
    const found = braintrustTelltales.find(([key]) => isRecorded(attributes, key))
    return found === undefined ? null : { kind: found[1] as StepKind, key: found[0] }
  },
  readModelOutput(reader) {
    const content = reader.content('output')
    return content.dialect === 'braintrust' ? readRunOutput(content) : null
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'braintrust') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

function readKind({ attributes }: FieldReader): { kind: StepKind; key: string } | null {
  const own = attributes[BRAINTRUST_SPAN_TYPE]
  const key = typeof own === 'string' ? BRAINTRUST_SPAN_TYPE : BRAINTRUST_SPAN_ATTRIBUTES
  const type = typeof own === 'string' ? own : readMember(toFields(attributes[key]), BRAINTRUST_TYPE)
  return typeof type === 'string' ? { kind: lookUpKind(braintrustSpanKinds, type) ?? 'workflow', key } : null
}

import { A365_TENANT_ID, a365OperationKinds } from '../../semconv/a365-keys.ts'
import { GEN_AI_OPERATION_NAME } from '../../semconv/gen-ai-keys.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'

/** Microsoft Agent 365: the GenAI conventions, with operations of its own. */
export const a365: Dialect = {
  name: 'a365',
  kindKeys: [A365_TENANT_ID],
  readKind({ attributes }) {
    const kind = lookUpKind(a365OperationKinds, attributes[GEN_AI_OPERATION_NAME])
    return kind === null ? null : { kind, key: GEN_AI_OPERATION_NAME }
  },
}

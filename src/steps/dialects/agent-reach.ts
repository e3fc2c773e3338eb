import { ATTR_AGENT_REACH_NODE_NAME, ATTR_AGENT_REACH_REFLECTION_STATUS } from '../../semconv/agent-reach.ts'
import type { Dialect } from './dialect.ts'

/**
 * Our own keys say of a span what no convention says. They give a kind only to spans that carry no other dialect,
 * so this dialect is asked last.
 */
export const agentReach: Dialect = {
  name: 'agent-reach',
  readKind(reader) {
    if (reader.text('reflection.status') !== null) {
      return { kind: 'reflection', key: ATTR_AGENT_REACH_REFLECTION_STATUS }
    }
    return reader.text('node.name') === null ? null : { kind: 'workflow', key: ATTR_AGENT_REACH_NODE_NAME }
  },
}

import {
  OPENAI_AGENTS_CUSTOM_TYPE,
  OPENAI_AGENTS_PREFIX,
  OPENAI_AGENTS_TYPE,
  openaiAgentsKinds,
} from '../../semconv/openai-agents-keys.ts'
import { readMember, toFields } from '../recorded-member.ts'
import type { Attributes } from '../span-view.ts'
import { toToolDefinitions } from '../tool-definition.ts'
import type { Dialect } from './dialect.ts'
import { lookUpKind } from './look-up-kind.ts'
import { readRunOutput } from './run-output.ts'

/** The tracing objects of the OpenAI Agents SDK, as {@link toOpenaiAgentsAttributes} makes attributes of them. */
export const openaiAgents: Dialect = {
  name: 'openai-agents',
  kindKeys: [OPENAI_AGENTS_TYPE],
  readKind({ attributes }) {
    const type = attributes[OPENAI_AGENTS_TYPE]
    if (typeof type !== 'string') return null
    return { kind: lookUpKind(openaiAgentsKinds, type) ?? 'workflow', key: OPENAI_AGENTS_TYPE }
  },
  readModelOutput(reader) {
    const content = reader.content('output')
    return content.dialect === 'openai-agents' ? readRunOutput(content) : null
  },
  readToolDefinitions(reader) {
    const content = reader.content('tool.definitions')
    if (content.dialect !== 'openai-agents') return null
    return content.seen ? toToolDefinitions(content.value) : []
  },
}

/**
 * The attributes that stand for the `span_data` of a span, and for the trace it belongs to. Members that hold nothing
 * are left out, and so are empty texts: the SDK fills in those where it was told not to record content.
 *
 * @param data what the SDK writes under `span_data`
 * @param trace the members of the trace that are known, `group_id` for one
 */
export function toOpenaiAgentsAttributes(data: Attributes, trace: Attributes): Attributes {
  const type = typeof data['type'] === 'string' ? data['type'] : 'unknown'
  return {
    [OPENAI_AGENTS_TYPE]: readCustomType(data) ?? type,
    ...toMembers(type, data),
    ...toMembers('trace', trace),
  }
}

/** `task` and `turn` are spans of the SDK itself, which it writes as `custom`. */
function readCustomType(data: Attributes): string | null {
  const own = data['type'] === 'custom' ? readMember(toFields(data['data']), OPENAI_AGENTS_CUSTOM_TYPE) : null
  return typeof own === 'string' && own !== '' ? own : null
}

function toMembers(type: string, fields: Attributes): Attributes {
  const members = Object.entries(fields).filter(
    ([name, value]) => name !== 'type' && value !== null && value !== undefined && value !== '',
  )
  return Object.fromEntries(members.map(([name, value]) => [`${OPENAI_AGENTS_PREFIX}${type}.${name}`, value]))
}

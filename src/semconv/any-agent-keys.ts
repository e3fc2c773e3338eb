import type { Field, FieldKey } from './field-key.ts'

const VERSION = 'any-agent 1.9.1'

/** What a tool gave back or a model answered. */
const OUTPUT = 'gen_ai.output'

/** Keys of any-agent, which writes names of the GenAI conventions and some of its own. */
export const anyAgentKeys: readonly FieldKey[] = (
  [
    ['call.arguments', 'gen_ai.tool.args'],
    ['call.result', OUTPUT],
    ['output', OUTPUT],
  ] as readonly (readonly [Field, string])[]
).map(([field, key]) => ({ field, key, dialect: 'any-agent', version: VERSION }))

/** Keys that tell the kind of a span whose operation is not recorded. */
export const anyAgentTelltales: readonly (readonly [key: string, kind: string])[] = [
  ['gen_ai.tool.args', 'tool'],
  ['any_agent.version', 'agent'],
]

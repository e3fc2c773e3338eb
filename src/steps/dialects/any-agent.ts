import { anyAgentTelltales } from '../../semconv/any-agent-keys.ts'
import { unseenOutput } from '../model-output.ts'
import type { StepKind } from '../step.ts'
import type { Dialect } from './dialect.ts'
import { isRecorded } from './numbered-keys.ts'
import { readAnswer } from './output-messages.ts'

/** any-agent: GenAI conventions with arguments and output under keys of its own. */
export const anyAgent: Dialect = {
  name: 'any-agent',
  kindKeys: anyAgentTelltales.map(([key]) => key),
  readKind: () => null,
  readKindAtLast({ attributes }) {
    const found = anyAgentTelltales.find(([key]) => isRecorded(attributes, key))
    return found === undefined ? null : { kind: found[1] as StepKind, key: found[0] }
  },
  readModelOutput(reader) {
    const content = reader.content('output')
    if (content.dialect !== 'any-agent') return null
    content.decode()
    if (content.seen) return readAnswer(content)
    const unseen = unseenOutput(content.state)
    const isText = content.state === 'partial' && !/^\s*[[{]/u.test(content.text)
    return isText ? { ...unseen, text: content.text } : unseen
  },
}

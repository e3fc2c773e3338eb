import { describe, expect, it } from 'vitest'
import {
  readMember,
  toFields,
  unwrapCallArguments,
  unwrapMember,
  unwrapMessage,
} from '../../src/steps/recorded-member.ts'

describe('a member of a recorded object', () => {
  it.each([
    ['an object', { input_tokens: 12 }, 12],
    ['its JSON text', ' {"input_tokens":12}', 12],
    ['a list', [12], undefined],
    ['JSON text of a list', '[12]', undefined],
    ['text that was cut', '{"input_tokens":12', undefined],
    ['text above 64 KiB', `{"input_tokens":12,"note":"${'a'.repeat(65_536)}"}`, undefined],
    ['nothing', null, undefined],
  ])('is read of %s', (_what, recorded, expected) => {
    expect(readMember(toFields(recorded), 'input_tokens')).toBe(expected)
  })

  it('may stand deep, and is never inherited', () => {
    const fields = toFields('{"details":{"cache":{"read":3}}}')
    expect(readMember(fields, 'details.cache.read')).toBe(3)
    expect(readMember(fields, 'details.cache.write')).toBeUndefined()
    expect(readMember(fields, 'details.toString')).toBeUndefined()
    expect(readMember(fields, 'constructor')).toBeUndefined()
  })

  it('may be the sum of all its numbers', () => {
    expect(readMember(toFields('{"input":1,"output":2.5,"note":"9","more":{"tokens":4}}'), '*')).toBe(3.5)
    expect(readMember(toFields('{"note":"9"}'), '*')).toBeUndefined()
    expect(readMember(null, '*')).toBeUndefined()
  })
})

describe('a wrapped value', () => {
  it.each([
    ['{"input":"Paris"}', 'Paris'],
    ['{"input":{"city":"Paris"}}', { city: 'Paris' }],
    ['{"output":{"kwargs":{"content":"rain"},"lc":1}}', 'rain'],
    ['{"output":{"text":"rain"}}', { text: 'rain' }],
    ['{"output":null}', null],
  ])('is what the only member holds: %s', (recorded, expected) => {
    expect(unwrapMember(recorded, ['input', 'output.kwargs.content', 'output'])).toEqual(expected)
  })

  it.each(['{"input":"Paris","days":2}', '{"city":"Paris"}', '{"input":"Par', 'Paris', '["input"]'])(
    'is the value itself where there is more, or no such member: %s',
    (recorded) => {
      expect(unwrapMember(recorded, ['input'])).toBe(recorded)
    },
  )
})

describe('arguments by position and by name', () => {
  it.each([
    ['those by name', '{"args":[],"kwargs":{"city":"Paris"}}', { city: 'Paris' }],
    ['those by name, beside a note', '{"args":[],"raw":false,"kwargs":{"city":"Paris"}}', { city: 'Paris' }],
    ['no arguments', '{"args":[],"kwargs":{}}', {}],
    ['a single object by position', '{"args":[{"city":"Paris"}],"kwargs":{}}', { city: 'Paris' }],
    ['its JSON text by position', '{"args":["{\\"city\\":1}"],"kwargs":{}}', '{"city":1}'],
    ['a native object', { args: [], kwargs: { city: 'Paris' } }, { city: 'Paris' }],
    ['the JSON text that LangChain hands over', '{"args":["{\\"city\\":1}"]}', '{"city":1}'],
  ])('stand for %s', (_what, recorded, expected) => {
    expect(unwrapCallArguments(recorded)).toEqual(expected)
  })

  it.each([
    '{"args":["Paris"],"kwargs":{}}',
    '{"args":[{"city":"Paris"}],"kwargs":{"days":2}}',
    '{"args":["-l"]}',
    '{"args":[{"city":"Paris"}]}',
    '{"args":["{\\"city\\":1}"],"command":"ls"}',
    '{"args":[]}',
    '{"args":"-l","kwargs":{}}',
    '{"args":[],"kwargs":',
    '{"city":"Paris"}',
  ])('stay as they are where they are more, or other: %s', (recorded) => {
    expect(unwrapCallArguments(recorded)).toBe(recorded)
  })
})

describe('a message of LangChain', () => {
  const MESSAGE = '{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],'

  it.each([
    [`${MESSAGE}"kwargs":{"content":"rain","tool_call_id":"call_1"}}`, 'rain'],
    [`${MESSAGE}"kwargs":{"content":[{"type":"text","text":"rain"}]}}`, [{ type: 'text', text: 'rain' }]],
    [`${MESSAGE}"kwargs":{"content":""}}`, ''],
  ])('stands for its content: %s', (recorded, expected) => {
    expect(unwrapMessage(recorded)).toEqual(expected)
  })

  it.each([
    '"rain"',
    '{"kwargs":{"content":"rain"}}',
    `${MESSAGE}"kwargs":{}}`,
    `${MESSAGE}"kwargs":{"content":"ra`,
  ])('is the value itself where it is none, or holds none: %s', (recorded) => {
    expect(unwrapMessage(recorded)).toBe(recorded)
  })
})

import { describe, expect, test } from 'vitest'
import { codesFor, judgeSpan, modelSpan } from './dialect-spans.ts'

const json = { 'gen_ai.output.type': 'json' }

describe('a model that was to write JSON', () => {
  test.each(['{"a":1}', ' [1, 2]\n', '"text"', '4', '{"a":1}\n{"a":2}'])('may write %j', (text) => {
    expect(codesFor({ ...modelSpan('gen-ai', { text }), ...json })).toEqual([])
  })

  test.each(['Sure! {"a":1}', '{a: 1}', '{"a":1,}', "{'a': 1}"])('may not write %j', (text) => {
    expect(codesFor({ ...modelSpan('gen-ai', { text }), ...json })).toEqual(['malformed_json'])
  })

  test('gets a warning for JSON in a code fence', () => {
    const text = '```json\n{"a": 1}\n```'
    expect(codesFor({ ...modelSpan('gen-ai', { text }), ...json })).toEqual(['malformed_json:warn'])
  })

  test('is told once where its token limit cut it', () => {
    const text = '{"a": [1, 2'
    expect(codesFor({ ...modelSpan('gen-ai', { text, finish: 'length' }), ...json })).toEqual([
      'truncated_output',
    ])
  })

  test('is not judged by text beside calls', () => {
    const calls = [{ name: 'search', args: '{}' }]
    expect(codesFor({ ...modelSpan('gen-ai', { text: 'one moment', calls }), ...json })).toEqual([])
  })

  test('may write text where text was asked for', () => {
    expect(codesFor({ ...modelSpan('gen-ai', { text: 'hello' }), 'gen_ai.output.type': 'text' })).toEqual([])
  })
})

describe('a key that holds JSON', () => {
  const tool = { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'search' }

  test('may not hold text', () => {
    expect(judgeSpan({ attributes: { ...tool, 'ai.toolCall.result': '{"a": nope}' } })).toMatchObject([
      { code: 'malformed_json', evidence: [{ path: '', expected: 'JSON', actual: '{"a": nope}' }] },
    ])
  })

  test.each(['"plain"', '{"a":1}', 'true', '12'])('may hold %s', (text) => {
    expect(codesFor({ ...tool, 'ai.toolCall.result': text })).toEqual([])
  })

  test.each(['{"a": [1, 2', '{"a": "some te…', '{"a": "te... [truncated]'])('may be cut: %s', (text) => {
    expect(codesFor({ ...tool, 'ai.toolCall.result': text })).toEqual([])
  })

  test('of a structured answer is judged, too', () => {
    const model = { 'ai.operationId': 'ai.generateObject.doGenerate', 'ai.response.object': '{"a": nope}' }
    expect(codesFor(model)).toEqual(['malformed_json'])
  })
})

describe('a MIME type of JSON', () => {
  const tool = { 'openinference.span.kind': 'TOOL', 'tool.name': 't', 'output.mime_type': 'application/json' }

  test('on what begins like JSON and is none is a warning', () => {
    expect(codesFor({ ...tool, 'output.value': "{'a': None}" })).toEqual(['malformed_json:warn'])
  })

  test.each(['plain text', '{"a":1}', '', '__REDACTED__', '{"a": [1,', '{"a":1}\n{"a":2}'])(
    'on %j says nothing',
    (text) => {
      expect(
        codesFor({ ...tool, 'output.value': text }).filter((code) => code.startsWith('malformed')),
      ).toEqual([])
    },
  )
})

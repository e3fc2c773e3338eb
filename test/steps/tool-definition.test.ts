import { describe, expect, it } from 'vitest'
import { toToolDefinitions } from '../../src/steps/tool-definition.ts'

const IN = { type: 'object', properties: { city: { type: 'string' } } }
const OUT = { type: 'array', items: { type: 'number' } }

describe('a tool definition', () => {
  it.each<[spelling: string, declared: object, hasOutput: boolean]>([
    ['of the GenAI conventions', { type: 'function', name: 'forecast', parameters: IN }, false],
    [
      'of OpenAI chat',
      { type: 'function', function: { name: 'forecast', parameters: IN, strict: true } },
      false,
    ],
    ['of OpenAI responses', { type: 'function', name: 'forecast', parameters: IN, strict: true }, false],
    ['of Anthropic', { name: 'forecast', description: '', input_schema: IN }, false],
    ['of MCP', { name: 'forecast', inputSchema: IN, outputSchema: OUT }, true],
    ['of AI SDK 5', { type: 'function', name: 'forecast', inputSchema: IN }, false],
    ['of the schema helper of the AI SDK', { name: 'forecast', inputSchema: { jsonSchema: IN } }, false],
    ['in snake case', { name: 'forecast', input_schema: IN, output_schema: OUT }, true],
    ['with schemas as JSON text', { name: 'forecast', parameters: JSON.stringify(IN) }, false],
    [
      'with both schemas under `function`',
      { function: { name: 'forecast', parameters: IN, outputSchema: OUT } },
      true,
    ],
  ])('%s is read', (_spelling, declared, hasOutput) => {
    const expected = [{ name: 'forecast', parameters: IN, outputSchema: hasOutput ? OUT : null }]
    expect(toToolDefinitions([declared])).toEqual(expected)
    expect(toToolDefinitions(declared)).toEqual(expected)
    expect(toToolDefinitions(JSON.stringify([declared]))).toEqual(expected)
    expect(toToolDefinitions([JSON.stringify(declared)])).toEqual(expected)
    expect(toToolDefinitions(JSON.stringify(declared))).toEqual(expected)
  })

  it('may lack schemas', () => {
    expect(toToolDefinitions([{ name: 'now' }])).toEqual([
      { name: 'now', parameters: null, outputSchema: null },
    ])
    expect(
      toToolDefinitions([{ name: 'now', parameters: null, inputSchema: true, input_schema: 'x' }]),
    ).toEqual([{ name: 'now', parameters: null, outputSchema: null }])
  })

  it('has the first schema that is one', () => {
    expect(toToolDefinitions([{ name: 'now', parameters: 'none', inputSchema: IN }])).toEqual([
      { name: 'now', parameters: IN, outputSchema: null },
    ])
  })

  it.each<[what: string, declared: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 42],
    ['text that is not JSON', 'forecast'],
    ['cut JSON', '[{"name":"forec'],
    ['an empty list', []],
    ['a list of other things', [1, null, 'x', [], true]],
    ['a definition without name', { parameters: IN }],
    ['an empty name', { name: '' }],
    ['a name that is no text', { name: 7 }],
    ['bytes', new Uint8Array([1])],
  ])('is none for %s', (_what, declared) => {
    expect(toToolDefinitions(declared)).toEqual([])
  })

  it('that is broken does not take the others along', () => {
    expect(
      toToolDefinitions(['{"name":', { name: 'a' }, { name: '' }, '{"name":"b"}']).map(({ name }) => name),
    ).toEqual(['a', 'b'])
  })
})

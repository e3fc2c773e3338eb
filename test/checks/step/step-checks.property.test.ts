import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findingCatalog } from '../../../src/findings/catalog.ts'
import { EXCERPT_LIMIT } from '../../../src/findings/excerpt.ts'
import type { Finding } from '../../../src/findings/finding.ts'
import { dialects, judgeSpan, modelSpan, toolSpan } from './dialect-spans.ts'

const json = fc.jsonValue({ maxDepth: 4 })

/** JSON that looks like a schema, with keywords whose values are right, wrong or hostile. */
const schema = fc.letrec<{ schema: unknown; map: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', 'integer', 'null', 'any', ['string', 'null']),
        properties: tie('map'),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '^(a+)+$', '['), tie('schema'), {
          maxKeys: 2,
        }),
        required: fc.oneof(fc.array(fc.constantFrom('a', 'b', '__proto__', '/')), json),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        additionalProperties: tie('schema'),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        else: tie('schema'),
        contains: tie('schema'),
        propertyNames: tie('schema'),
        enum: fc.array(json, { maxLength: 4 }),
        const: json,
        pattern: fc.constantFrom('^(a+)+$', '^(a|a)*$', '^a+$', '(', 'a*a*a*a*b', '\\p{L}'),
        format: fc.constantFrom('email', 'date-time', 'uri', 'regex', 'unknown'),
        minLength: fc.oneof(fc.nat(5), json),
        minItems: fc.oneof(fc.nat(5), json),
        multipleOf: fc.oneof(fc.double(), json),
        uniqueItems: fc.oneof(fc.boolean(), json),
        $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', 'https://example.com/x', '#/%', 4),
        $id: fc.constantFrom('urn:a', '#', 4),
        $schema: fc.constantFrom('http://json-schema.org/draft-07/schema#', 'x', 4),
        $defs: tie('map'),
      },
      { requiredKeys: [] },
    ),
    json,
  ),
  map: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '/', 'constructor'), tie('schema'), {
    maxKeys: 3,
  }),
})).schema

const hostile = fc.constantFrom(
  `${'a'.repeat(30_000)}!`,
  `[${'['.repeat(20_000)}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  'Error: '.repeat(5_000),
  ' '.repeat(60_000),
  `Traceback (most recent call last):\n${' at a:1:1\n'.repeat(6_000)}`,
  '\uD800',
)

const anyOutput = fc.oneof(json, hostile, fc.string({ unit: 'binary' }))

describe('whatever a span holds', () => {
  test('no check throws, and findings are short plain data', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dialects), anyOutput, schema, (dialect, result, outputSchema) => {
        const attributes = {
          ...toolSpan(dialect, result),
          'gen_ai.tool.definitions': JSON.stringify([{ name: 'order_query', outputSchema }]),
        }
        for (const finding of judgeSpan({ attributes })) expectShort(finding)
      }),
      { numRuns: 200 },
    )
  })

  test('no call of a model makes a check throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...dialects),
        fc.oneof(json, hostile),
        schema,
        (dialect, args, parameters) => {
          const text = typeof args === 'string' ? args : JSON.stringify(args)
          const attributes = modelSpan(dialect, {
            text,
            calls: [{ name: 'a', args: text }],
            tools: { a: parameters, b: parameters },
          })
          for (const finding of judgeSpan({ attributes })) expectShort(finding)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('values of any kind under any key of content are borne', () => {
    const value = fc.anything({
      withBigInt: true,
      withTypedArray: true,
      withNullPrototype: true,
      maxDepth: 3,
    })
    const kinds = fc.constantFrom<Record<string, string>>(
      { 'gen_ai.operation.name': 'execute_tool' },
      { 'gen_ai.operation.name': 'chat' },
      { 'gen_ai.operation.name': 'invoke_agent' },
      { 'openinference.span.kind': 'RETRIEVER' },
      { 'ai.operationId': 'ai.generateText.doGenerate' },
      { 'ai.operationId': 'ai.toolCall' },
    )
    fc.assert(
      fc.property(kinds, value, value, (kind, output, tools) => {
        const attributes = {
          ...kind,
          'gen_ai.tool.name': 'a',
          'gen_ai.tool.call.result': output,
          'gen_ai.output.messages': output,
          'output.value': output,
          'ai.toolCall.result': output,
          'ai.response.toolCalls': output,
          'gen_ai.tool.definitions': tools,
          'ai.prompt.tools': tools,
        }
        for (const finding of judgeSpan({ attributes })) expectShort(finding)
      }),
      { numRuns: 200 },
    )
  })

  test('the same span gives the same findings', () => {
    fc.assert(
      fc.property(anyOutput, schema, (result, outputSchema) => {
        const attributes = {
          ...toolSpan('gen-ai', result),
          'gen_ai.tool.definitions': JSON.stringify([{ name: 'order_query', outputSchema }]),
        }
        expect(judgeSpan({ attributes })).toEqual(judgeSpan({ attributes }))
      }),
      { numRuns: 100 },
    )
  })
})

test.each([
  '^(a+)+$',
  '^(a|aa)+$',
  '(a*)*b',
  '^(a|a)*$',
  '^(a?){30}a{30}$',
  '(a?a?)*b',
  '(x+x+)+y',
  '^((a)?(a)?)+$',
])('the pattern %s does not hold up a step', (pattern) => {
  const attributes = modelSpan('gen-ai', {
    calls: [{ name: 'a', args: JSON.stringify({ x: `${'a'.repeat(40_000)}!` }) }],
    tools: { a: { properties: { x: { pattern } } } },
  })
  const start = performance.now()
  judgeSpan({ attributes })
  expect(performance.now() - start).toBeLessThan(2_000)
})

function expectShort({ code, detail, evidence }: Finding): void {
  expect(findingCatalog[code]).toBeDefined()
  expect(evidence.length).toBeLessThanOrEqual(5)
  const texts = evidence.flatMap(({ path, expected, actual }) => [path, expected, String(actual)])
  for (const text of [detail, ...texts])
    expect(Array.from(text ?? '').length).toBeLessThanOrEqual(EXCERPT_LIMIT)
}

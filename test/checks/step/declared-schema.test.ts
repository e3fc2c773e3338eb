import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/findings/finding.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { codesOf, type DialectOfTest, dialects, judgeSpan, toolSpan } from './dialect-spans.ts'

const order = {
  type: 'object',
  required: ['order_id', 'status', 'items'],
  properties: {
    order_id: { type: 'string' },
    status: { enum: ['open', 'shipped'] },
    items: { type: 'array', minItems: 1, items: { type: 'object', required: ['price'] } },
    total: { type: 'number', minimum: 0 },
  },
  additionalProperties: false,
}
const good = { order_id: 'ORD-1', status: 'open', items: [{ price: 2 }] }

function judge(
  result: unknown,
  schema: object = order,
  dialect: DialectOfTest = 'gen-ai',
): readonly Finding[] {
  return judgeSpan({ attributes: { ...toolSpan(dialect, result), ...declaration(schema) } })
}

function declaration(outputSchema: object, name = 'order_query'): Attributes {
  return { 'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', name, outputSchema }]) }
}

describe.each(dialects)('a result of %s against the schema on its own span', (dialect) => {
  test('may fit', () => {
    expect(judge(good, order, dialect)).toEqual([])
  })

  test('may lack a field', () => {
    const { status: _, ...result } = good
    expect(judge(result, order, dialect)).toMatchObject([
      {
        code: 'schema_violation',
        severity: 'error',
        detail: null,
        evidence: [{ path: '/status', expected: 'present', actual: null }],
      },
    ])
  })

  test('may hold a value of another type', () => {
    expect(judge({ ...good, order_id: 17 }, order, dialect)).toMatchObject([
      { code: 'schema_violation', evidence: [{ path: '/order_id', expected: 'string', actual: 'number' }] },
    ])
  })

  test('is empty where the schema asks for at least one', () => {
    expect(judge({ ...good, items: [] }, order, dialect)).toMatchObject([
      {
        code: 'empty_result',
        severity: 'error',
        evidence: [{ path: '/items', expected: 'at least 1 items', actual: 'empty' }],
      },
    ])
  })
})

describe('the evidence', () => {
  test('is one finding a code with at most five places', () => {
    const schema = { required: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], properties: { list: { minItems: 1 } } }
    const findings = judge({ list: [], x: 1 }, schema)
    expect(findings.map(({ code, evidence }) => [code, evidence.length])).toEqual([
      ['empty_result', 1],
      ['schema_violation', 5],
    ])
  })

  test.each([
    [
      { ...good, status: 'lost' },
      { path: '/status', expected: 'one of open, shipped', actual: 'lost' },
    ],
    [
      { ...good, total: -3 },
      { path: '/total', expected: '>= 0', actual: -3 },
    ],
    [
      { ...good, items: [{}] },
      { path: '/items/0/price', expected: 'present', actual: null },
    ],
    [[good], { path: '', expected: 'object', actual: 'array' }],
  ])('of %j tells the place, what was expected and what is there', (result, evidence) => {
    expect(judge(result)).toMatchObject([{ code: 'schema_violation', evidence: [evidence] }])
  })

  test('masks what it shows', () => {
    const [finding] = judge({ ...good, status: 'a.b@example.com', total: -4_111_111_111_111_111 })
    expect(finding?.evidence.map(({ actual }) => actual)).toEqual(['[e-mail]', '-[card]'])
  })

  test('escapes names as JSON Pointer has it', () => {
    expect(judge({}, { required: ['a/b~c'] })[0]?.evidence[0]?.path).toBe('/a~1b~0c')
  })
})

describe('a property nobody declared', () => {
  test('is a warning alone', () => {
    expect(judge({ ...good, placed_on: '2025-01-01' })).toMatchObject([
      {
        code: 'schema_violation',
        severity: 'warn',
        evidence: [{ path: '/placed_on', expected: 'no such property', actual: 'string' }],
      },
    ])
  })

  test('does not soften what is beside it', () => {
    expect(codesOf(judge({ ...good, status: 'lost', placed_on: 'x' }))).toEqual(['schema_violation'])
  })
})

describe('a union', () => {
  const unknown = {
    type: 'object',
    required: ['order_id', 'error'],
    properties: { order_id: { type: 'string' }, error: { type: 'string' } },
    additionalProperties: false,
  }

  test.each(['anyOf', 'oneOf'])('of %s is told by its closest branch', (keyword) => {
    const { status: _, ...result } = good
    expect(judge(result, { [keyword]: [unknown, order] })).toMatchObject([
      { code: 'schema_violation', severity: 'error', evidence: [{ path: '/status', actual: null }] },
    ])
  })

  test('is told by its closest branch behind references', () => {
    const schema = { anyOf: [{ $ref: '#/$defs/U' }, { $ref: '#/$defs/O' }], $defs: { U: unknown, O: order } }
    const { status: _, ...result } = good
    expect(judge(result, schema)[0]?.evidence).toEqual([
      { path: '/status', expected: 'present', actual: null },
    ])
  })

  test('of an object or null is told by the object', () => {
    expect(
      judge({ total: 1 }, { anyOf: [{ type: 'null' }, order] })[0]?.evidence.map(({ path }) => path),
    ).toEqual(['/order_id', '/status', '/items'])
  })

  test('with a tag is told by the branch of that tag', () => {
    const schema = { anyOf: [branch('a', 'x'), branch('b', 'y')] }
    expect(judge({ kind: 'b' }, schema)[0]?.evidence.map(({ path }) => path)).toEqual(['/y', '/extra'])
  })

  test('inside a list is told for the place in it', () => {
    const schema = { items: { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] } }
    expect(judge(['a', {}], schema)[0]?.evidence).toEqual([
      { path: '/1/id', expected: 'present', actual: null },
    ])
  })

  test('says nothing of a redacted value', () => {
    const schema = { properties: { tag: { anyOf: [{ const: 'a' }, { type: 'number' }] } } }
    expect(judge({ tag: '[REDACTED]' }, schema)).toEqual([])
  })
})

describe('what the schema speaks of', () => {
  test.each([
    [
      'the structured part of a result',
      { content: [{ type: 'text', text: 'ok' }], structuredContent: good },
      order,
    ],
    ['JSON in the only text part', { content: [{ type: 'text', text: JSON.stringify(good) }] }, order],
    ['the wrapping', { content: [{ type: 'text', text: 'ok' }] }, { required: ['content'] }],
    ['a text that looks like JSON', '{"a":1}', { type: 'string' }],
    ['a number recorded as text', '42', { type: 'integer' }],
    ['a boolean recorded as text', 'true', { type: 'boolean' }],
    ['a plain text', 'it is open', { type: 'string', minLength: 3 }],
  ])('may be %s', (_what, result, schema) => {
    expect(judge(result, schema)).toEqual([])
  })

  test('is the structured part where that does not fit', () => {
    const { status: _, ...result } = good
    expect(judge({ content: [{ type: 'text', text: 'ok' }], structuredContent: result })).toMatchObject([
      { code: 'schema_violation', evidence: [{ path: '/status' }] },
    ])
  })
})

describe('beside other checks', () => {
  test('an error in place of a result is told as an error alone', () => {
    expect(codesOf(judge({ error: 'order not found' }))).toEqual(['error_in_result'])
    expect(codesOf(judge('Error: order not found'))).toEqual(['error_in_result:warn'])
  })

  test('an empty list is told once', () => {
    expect(codesOf(judge([], { type: 'array', minItems: 1 }))).toEqual(['empty_result'])
    expect(codesOf(judge([], { type: 'array' }))).toEqual(['empty_result:warn'])
    expect(codesOf(judge('', { type: 'string', minLength: 1 }))).toEqual(['empty_result'])
  })

  test('a definition of another tool is none of this one', () => {
    const attributes = { ...toolSpan('gen-ai', {}), ...declaration(order, 'other_tool') }
    expect(codesOf(judgeSpan({ attributes }))).toEqual(['empty_result:info'])
  })

  test('a failed tool is judged by its error', () => {
    const attributes = { ...toolSpan('gen-ai', { a: 1 }), ...declaration(order) }
    expect(codesOf(judgeSpan({ attributes, status: { code: 2, message: 'no' } }))).toEqual(['exception'])
  })
})

/** A branch of a union that is told apart by its `kind`. */
function branch(tag: string, field: string): object {
  return {
    type: 'object',
    properties: { kind: { const: tag }, [field]: { type: 'string' }, extra: { type: 'string' } },
    required: ['kind', field, 'extra'],
  }
}

test('a long result that was cut behind a bracket is not judged: it would have fitted', () => {
  const rows = Array.from({ length: 300 }, (_, n) => ({ id: n, name: `row ${n}` }))
  const text = JSON.stringify({ rows, end: true })
  const cut = text.slice(0, text.lastIndexOf('}', text.length - 2_000) + 1)
  const schema = { type: 'object', required: ['rows', 'end'] }
  const attributes = { ...toolSpan('gen-ai', 'x'), ...declaration(schema) }
  expect(codesOf(judgeSpan({ attributes: { ...attributes, 'gen_ai.tool.call.result': text } }))).toEqual([])
  expect(codesOf(judgeSpan({ attributes: { ...attributes, 'gen_ai.tool.call.result': cut } }))).toEqual([])
  const wrong = text.replace('"end"', '"and"')
  expect(codesOf(judgeSpan({ attributes: { ...attributes, 'gen_ai.tool.call.result': wrong } }))).toEqual([
    'schema_violation',
  ])
})

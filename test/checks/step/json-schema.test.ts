import { describe, expect, test } from 'vitest'
import { validateAgainst } from '../../../src/checks/step/json-schema.ts'

function places(schema: Readonly<Record<string, unknown>>, value: unknown): readonly string[] | null {
  return validateAgainst(schema, value)?.map(({ path, keyword }) => `${path} ${keyword}`) ?? null
}

describe('drafts', () => {
  test.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
    'https://example.com/our-own-dialect',
    undefined,
  ])('%s is read', ($schema) => {
    expect(places({ $schema, type: 'object', required: ['a'] }, {})).toEqual(['/a required'])
  })

  test('tuples are read as each draft has them', () => {
    expect(places({ items: [{ type: 'string' }, { type: 'number' }] }, ['a', 'b'])).toEqual(['/1 type'])
    expect(places({ prefixItems: [{ type: 'string' }, { type: 'number' }] }, ['a', 'b'])).toEqual(['/1 type'])
  })

  test('two schemas with one $id do not clash', () => {
    expect(places({ $id: 'urn:x', type: 'string' }, 1)).toEqual([' type'])
    expect(places({ $id: 'urn:x', type: 'number' }, 1)).toEqual([])
  })

  test('unknown keywords and formats are annotations', () => {
    expect(places({ type: 'string', format: 'order-number', 'x-order': 1, deprecated: true }, 'a')).toEqual(
      [],
    )
  })

  test('a property may have the name of a keyword', () => {
    const schema = {
      properties: { $id: { type: 'string' }, pattern: { type: 'object' }, items: { type: 'array' } },
    }
    expect(places(schema, { $id: 1, pattern: 'x', items: 'x' })).toEqual([
      '/$id type',
      '/pattern type',
      '/items type',
    ])
  })

  test('references inside the schema are followed, also round', () => {
    const schema = {
      properties: { child: { $ref: '#' }, name: { $ref: '#/$defs/name' } },
      $defs: { name: { type: 'string' } },
    }
    expect(places(schema, { child: { child: { name: 1 } } })).toEqual(['/child/child/name type'])
  })

  test('formats are checked, as minor', () => {
    expect(validateAgainst({ format: 'email' }, 'nobody')).toMatchObject([
      { keyword: 'format', minor: true, expected: 'format email', actual: 'nobody' },
    ])
    expect(places({ format: 'date-time' }, '2025-01-01T10:00:00Z')).toEqual([])
  })

  test('fractions are multiples as people count', () => {
    expect(places({ multipleOf: 0.01 }, 19.99)).toEqual([])
    expect(places({ multipleOf: 0.01 }, 19.995)).toEqual([' multipleOf'])
  })
})

describe('what cannot be checked', () => {
  test.each([
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference without end', { $ref: '#' }],
    ['an invalid schema', { type: 'text' }],
    ['an invalid keyword', { required: 'a' }],
    ['an invalid name', { required: [4] }],
    ['a multiple of nothing', { multipleOf: 0 }],
    ['a nullable without a type', { nullable: true }],
    ['nesting below 64 levels', nested(70)],
    ['more than 64 KiB', { enum: ['x'.repeat(70_000)] }],
    ['a pattern that decides by not matching', { not: { pattern: '^(a+)+$' } }],
    ['names by an unsafe pattern', { patternProperties: { '^(a+)+$': { type: 'string' } } }],
  ])('is %s', (_what, schema) => {
    expect(validateAgainst(schema, { a: 1 })).toBe(null)
  })

  test('is a text too long for its pattern', () => {
    expect(validateAgainst({ pattern: '^a*a*a*b$' }, 'a'.repeat(40))).toMatchObject([{ keyword: 'pattern' }])
    expect(validateAgainst({ pattern: '^a*a*a*b$' }, 'a'.repeat(40_000))).toBe(null)
  })

  test('is a value that takes too long', () => {
    const branch = { properties: { a: { $ref: '#' } } }
    let value: object = {}
    for (let i = 0; i < 60; i++) value = { a: value }
    expect(validateAgainst({ allOf: [branch, branch] }, value)).toBe(null)
    expect(
      validateAgainst(
        { uniqueItems: true },
        Array.from({ length: 5_000 }, (_, i) => ({ i })),
      ),
    ).toBe(null)
  })
})

describe('an unsafe pattern', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '(a|aa)+$', '^((a|b)c)+$', '(a*)*', '(.*)\\1+$', '(?<name>', '[\\A]'])(
    '%s is left out, the rest is checked',
    (pattern) => {
      const schema = { properties: { a: { pattern }, b: { type: 'string' } } }
      expect(places(schema, { a: `${'a'.repeat(5_000)}!`, b: 1 })).toEqual(['/b type'])
    },
  )

  test.each([
    '^[a-z]+$',
    '^ORD-\\d{4,}$',
    '^(?:red|green)$',
    '^\\d{4}-\\d{2}(?:-\\d{2})?$',
    '^[\\w.-]+@[\\w.-]+$',
  ])('is not %s', (pattern) => {
    expect(places({ pattern }, '!')).toEqual([' pattern'])
  })
})

describe('keywords that hold subschemas', () => {
  test('tell what was to be among the entries, not each entry', () => {
    expect(places({ contains: { const: 'x' } }, ['a', 'b'])).toEqual([' contains'])
    expect(places({ propertyNames: { maxLength: 2 } }, { abc: 1 })).toEqual([' propertyNames'])
  })

  test('tell a value that fits two branches of oneOf', () => {
    const schema = { oneOf: [{ type: 'number' }, { minimum: 2 }, { type: 'string' }] }
    expect(validateAgainst(schema, 4)).toMatchObject([{ path: '', keyword: 'oneOf' }])
  })

  test('tell a union inside a union by the closest branch of both', () => {
    const point = { type: 'object', required: ['x', 'y'] }
    const schema = { anyOf: [{ type: 'string' }, { anyOf: [{ type: 'number' }, point] }] }
    expect(places(schema, { x: 1 })).toEqual(['/y required'])
  })

  test('tell one of two conditions', () => {
    const text = '{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}'
    const schema = JSON.parse(text) as Readonly<Record<string, unknown>>
    expect(places(schema, { a: 1 })).toContain('/b required')
    expect(places(schema, {})).toContain('/c required')
  })
})

test('values are not kept, changed or confused between calls', () => {
  const schema = { type: 'object', properties: { a: { type: 'number', default: 1 } }, required: ['a'] }
  const value = {}
  expect(places(schema, value)).toEqual(['/a required'])
  expect(value).toEqual({})
  expect(places(schema, { a: 1 })).toEqual([])
  expect(places(schema, { a: 'x' })).toEqual(['/a type'])
})

test('more schemas than are kept are still checked', () => {
  for (let n = 0; n < 450; n++) expect(places({ const: n % 225 }, -1)).toEqual([' const'])
})

function nested(levels: number): Readonly<Record<string, unknown>> {
  let schema: Readonly<Record<string, unknown>> = { type: 'string' }
  for (let i = 0; i < levels; i++) schema = { items: schema }
  return schema
}

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { loadRules } from '../../src/rules/load-rules.ts'
import type { RulesFile } from '../../src/rules/rules-file.ts'
import { rulesShape, type Shape } from '../../src/rules/rules-shape.ts'

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly pattern?: string
  readonly maximum?: number
  readonly anyOf?: readonly unknown[]
  readonly minItems?: number
  readonly $defs?: Readonly<Record<string, Schema>>
}

function readSource(name: string): string {
  return readFileSync(new URL(`../../src/rules/${name}`, import.meta.url), 'utf8')
}

const schema = JSON.parse(readSource('rules.schema.json')) as Schema
const source = readSource('rules-file.ts').replaceAll(/\/\*[^]*?\*\//gu, '')
const validate = new Ajv2020({ allErrors: true }).compile(schema)

function resolve(part: Schema): Schema {
  return part.$ref === undefined ? part : (schema.$defs?.[part.$ref.replace('#/$defs/', '')] ?? {})
}

/** The fields of an interface with a mark where they may be absent. */
function fieldsOf(name: string): readonly string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([^]*?)\\n\\}`, 'u').exec(source)?.[1] ?? ''
  return [...body.matchAll(/^ {2}readonly (\w+\??):/gmu)].map(([, field = '']) => field)
}

/** The shape that the reader goes by, in the words of a schema. */
function toSchema(shape: Shape): object {
  switch (shape.type) {
    case 'object':
      return {
        type: 'object',
        required: shape.required ?? [],
        keys: Object.fromEntries(Object.entries(shape.keys).map(([key, each]) => [key, toSchema(each)])),
      }
    case 'map':
      return { type: 'object', values: toSchema(shape.values) }
    case 'list':
      return { type: 'array', least: 1, items: toSchema(shape.items) }
    case 'choice':
      return { choices: shape.values }
    case 'count':
      return { type: 'integer', least: shape.least, ...(shape.most !== undefined && { most: shape.most }) }
    default:
      return { is: shape.type }
  }
}

function describeSchema(part: Schema): object {
  const {
    type,
    properties,
    additionalProperties,
    items,
    required = [],
    pattern,
    minimum,
    maximum,
    ...rest
  } = resolve(part)
  const choices = rest.enum ?? (rest.const === undefined ? undefined : [rest.const])
  if (choices !== undefined) return { choices }
  if (properties !== undefined) {
    expect(additionalProperties).toBe(false)
    const keys = Object.entries(properties).map(([key, each]) => [key, describeSchema(each)])
    return { type, required, keys: Object.fromEntries(keys) as object }
  }
  if (typeof additionalProperties === 'object') return { type, values: describeSchema(additionalProperties) }
  if (type === 'array') return { type, least: rest.minItems, items: describeSchema(items ?? {}) }
  if (type === 'integer') return { type, least: minimum, ...(maximum !== undefined && { most: maximum }) }
  if (rest.anyOf !== undefined) {
    expect(rest.anyOf).toEqual([{ type: 'number', exclusiveMinimum: 0, maximum: 1 }, { const: 'off' }])
    return { is: 'share' }
  }
  if (pattern !== undefined) return { is: 'duration' }
  return { is: { object: 'schema', number: 'amount', string: 'text', boolean: 'flag' }[type ?? ''] }
}

describe('the JSON Schema of the rules file', () => {
  it('says what the reader goes by', () => {
    expect(describeSchema(schema)).toEqual(toSchema(rulesShape))
  })

  it('has the keys of the type', () => {
    const names = [
      'RulesFile',
      'NodeRule',
      'NodeMatch',
      'ResultRule',
      'ArgumentsRule',
      'GuardRules',
      'LoopRule',
    ]
    for (const name of [...names, 'BudgetRule']) {
      const part = name === 'RulesFile' ? schema : (schema.$defs?.[name] ?? {})
      const required = part.required ?? []
      const fields = Object.keys(part.properties ?? {}).map(
        (key) => `${key}${required.includes(key) ? '' : '?'}`,
      )
      expect(fieldsOf(name), name).toEqual(fields)
    }
  })

  it('describes every key', () => {
    const parts = [schema, ...Object.values(schema.$defs ?? {})]
    const missing = parts.flatMap((part) =>
      Object.entries(part.properties ?? {}).filter(
        ([, each]) => each.description === undefined && each.$ref === undefined,
      ),
    )
    expect(missing).toEqual([])
  })

  const good: RulesFile = {
    version: 1,
    nodes: {
      order_query: {
        match: { kind: 'tool', name: 'order_*', attributes: { 'shop.region': 'eu-*' } },
        result: { schema: { type: 'object' }, not_empty: true },
        arguments: { schema: { type: 'object' } },
        timeout: '1.5s',
        retry_key: ['order_id'],
      },
    },
    guards: {
      loop: { repeats: 2, stop_at: 4, window: 10, exempt: ['wait_*'] },
      budget: { tokens: 0, usd: 0.2, model_calls: 3, tool_calls: 4, duration: '2m', at_limit: 'warn' },
    },
    findings: { loop: 'error', empty_result: 'off' },
  }

  it.each<[string, unknown]>([
    ['everything', good],
    ['the version alone', { version: 1 }],
    ['no version', {}],
    ['an unknown key', { version: 1, node: {} }],
    ['a duration without a unit', { version: 1, nodes: { a: { timeout: '5' } } }],
    ['a schema that is no object', { version: 1, nodes: { a: { result: { schema: true } } } }],
    ['arguments without a schema', { version: 1, nodes: { a: { arguments: {} } } }],
    ['an empty match', { version: 1, nodes: { a: { match: {} } } }],
    ['an empty glob', { version: 1, nodes: { a: { match: { name: '' } } } }],
    ['one repeat', { version: 1, guards: { loop: { repeats: 1 } } }],
    ['a severity of failed_below', { version: 1, findings: { failed_below: 'warn' } }],
  ])('takes %s just where the reader does', (_, rules) => {
    let isLoaded = true
    try {
      loadRules(rules as RulesFile)
    } catch {
      isLoaded = false
    }
    expect(validate(rules)).toBe(isLoaded)
  })
})

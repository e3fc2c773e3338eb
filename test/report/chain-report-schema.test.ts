import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findingCatalog } from '../../src/findings/catalog.ts'
import { createGoodReport, createReport } from './create-report.ts'
import { expectValidReport, findSchemaErrors, reportSchema } from './expect-valid-report.ts'

type Schema = Readonly<Record<string, unknown>>

// ------------------------------------------------------------------------ what the type says

const sources = ['report/chain-report', 'chain/chain', 'chain/step-record', 'steps/step'].concat(
  'findings/catalog',
  'findings/finding',
  'findings/severity',
)

const text = sources
  .map((name) => readFileSync(new URL(`../../src/${name}.ts`, import.meta.url), 'utf8'))
  .join('\n')
  .replaceAll(/\/\*[^]*?\*\//gu, '')

/** The fields of an interface: name, whether it may be absent, and the text of its type. */
function readFields(interfaceName: string): readonly { name: string; optional: boolean; type: string }[] {
  const body = new RegExp(`export interface ${interfaceName} \\{\\n([^]*?)\\n\\}`, 'u').exec(text)?.[1] ?? ''
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)(\??): (.+)$/gmu)].map((match) => ({
    name: match[1] ?? '',
    optional: match[2] === '?',
    type: match[3] ?? '',
  }))
}

/** The members of a union of string literals, by the name of its type. */
function readUnion(typeName: string): readonly string[] {
  const body = new RegExp(`export type ${typeName} =([^;]*?)(?=\\n\\n|\\n?$|\\nexport)`, 'u').exec(text)?.[1]
  return [...(body ?? '').matchAll(/'(\w+)'/gu)].map((match) => match[1] ?? '')
}

const interfaces = [...text.matchAll(/export interface (\w+) \{/gu)]
  .map((match) => match[1] ?? '')
  .filter((name) => name === 'ChainReport' || name.startsWith('Report'))

/** A type in the form in which `describeSchema` writes a schema. */
function describeType(type: string): string {
  if (type.endsWith(' | null')) {
    const rest = type.slice(0, -' | null'.length)
    return [describeType(rest), 'null'].join(' | ')
  }
  if (type.endsWith('[]')) return `[${describeType(type.replace(/^readonly /u, '').slice(0, -2))}]`
  if (type.startsWith('{')) {
    return `{${[...type.matchAll(/(\w+): (\w+)/gu)].map((match) => `${match[1]}: ${match[2]}`).join(', ')}}`
  }
  if (type === 'Readonly<Record<string, unknown>>') return 'object'
  if (type.includes("'")) return [...type.matchAll(/'(\w+)'/gu)].map((match) => match[1]).join(' | ')
  return type
}

// ------------------------------------------------------------------------ what the schema says

const definitions = reportSchema['$defs'] as Readonly<Record<string, Schema>>

function definitionOf(name: string): Schema {
  return name === 'ChainReport' ? reportSchema : (definitions[name] ?? {})
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
}

function describeSchema(schema: Schema): string {
  const { $ref, anyOf, type, items } = schema
  if (typeof $ref === 'string') return describeReference($ref.replace('#/$defs/', ''))
  if (Array.isArray(anyOf)) return anyOf.map((branch: Schema) => describeSchema(branch)).join(' | ')
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  if (Array.isArray(type)) return type.map((each) => describeSchema({ ...schema, type: each })).join(' | ')
  if (type === 'array') return `[${describeSchema(items as Schema)}]`
  const properties = Object.entries(propertiesOf(schema))
  if (properties.length > 0) {
    return `{${properties.map(([name, each]) => `${name}: ${describeSchema(each)}`).join(', ')}}`
  }
  return type === 'integer' ? 'number' : String(type)
}

/** Ids, digests and times are strings in the type. */
function describeReference(name: string): string {
  return definitionOf(name)['type'] === 'string' ? 'string' : name
}

/**
 * Every schema inside a schema.
 *
 * @yields each with its place, the schema itself first
 */
function* walk(schema: Schema, at = ''): Generator<readonly [string, Schema]> {
  yield [at, schema]
  for (const [name, value] of Object.entries(schema)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      yield* walk(value as Schema, `${at}/${name}`)
    }
  }
}

describe('the schema of the chain report', () => {
  test('has a definition for every interface', () => {
    expect(interfaces.length).toBe(17)
    for (const name of interfaces) expect(definitionOf(name), name).toMatchObject({ type: 'object' })
    const reports = Object.keys(definitions).filter((name) => name.startsWith('Report'))
    expect(reports.toSorted()).toEqual(interfaces.filter((name) => name !== 'ChainReport').toSorted())
  })

  test.each(interfaces)('has the fields of %s with their types, all of them required', (name) => {
    const fields = readFields(name)
    const schema = definitionOf(name)
    expect(fields.length).toBeGreaterThan(1)
    const described = Object.entries(propertiesOf(schema)).map(([field, each]) => [
      field,
      describeSchema(each),
    ])
    expect(Object.fromEntries(described)).toEqual(
      Object.fromEntries(fields.map((field) => [field.name, describeType(field.type)])),
    )
    expect(schema['required']).toEqual(fields.filter((field) => !field.optional).map((field) => field.name))
    expect(schema['additionalProperties']).toBe(true)
  })

  test.each([
    'ChainStatus',
    'NodeStatus',
    'CompletenessReason',
    'Evidence',
    'FindingCode',
    'FindingOrder',
    'Phase',
    'Severity',
    'StepKind',
  ])('has the values of %s', (name) => {
    expect(readUnion(name).length).toBeGreaterThan(1)
    expect(definitionOf(name)['enum']).toEqual(readUnion(name))
  })

  test('has the codes of the catalogue', () => {
    expect(definitionOf('FindingCode')['enum']).toEqual(Object.keys(findingCatalog))
  })

  test('describes every field', () => {
    for (const [at, schema] of walk(reportSchema)) {
      const isField = /\/properties\/\w+$/u.test(at) && !/^\/(?:if|then|else)\//u.test(at)
      if (isField) expect(schema['description'], at).toMatch(/^[A-Z`].+\.$/u)
    }
  })

  test('has the fields that a report has', () => {
    expect(Object.keys(propertiesOf(reportSchema)).toSorted()).toEqual(Object.keys(createReport()).toSorted())
  })
})

describe('a report', () => {
  test('fits the schema', () => {
    expectValidReport(createReport())
    expectValidReport(createGoodReport())
  })

  test('may have fields that are not known yet', () => {
    expectValidReport({ ...createReport(), mood: 'cheerful' })
  })

  test.each(Object.keys(createReport()))('does not fit without %s', (field) => {
    const report: Record<string, unknown> = { ...createReport() }
    delete report[field]
    expect(findSchemaErrors(report)).toContain(` must have required property '${field}'`)
  })

  test.each([
    ['a status of no list', { overall_status: 'fine' }, '/overall_status'],
    [
      'a finding code of no catalogue',
      { root_cause: { ...createReport().root_cause, code: 'bad_luck' } },
      '/root_cause/code',
    ],
    ['a short trace id', { trace_id: 'abc' }, '/trace_id'],
    ['an upper-case trace id', { trace_id: '4BF92F3577B34DA6A3CE929D0E0E4736' }, '/trace_id'],
    ['a digest without its name', { digest: '0'.repeat(64) }, '/digest'],
    ['a local time', { started_at: '2026-11-30T12:00:00+08:00' }, '/started_at'],
    ['a time in milliseconds', { ended_at: 1_764_460_800_000 }, '/ended_at'],
    ['a negative duration', { total_latency_ms: -1 }, '/total_latency_ms'],
    ['half a token', { token_count: 0.5 }, '/token_count'],
    ['revision 0', { revision: 0 }, '/revision'],
    ['no summary', { summary: null }, '/summary'],
    ['a partial report without a reason', { completeness: 'partial' }, '/completeness_reason'],
    ['a complete report with a reason', { completeness_reason: 'idle' }, '/completeness_reason'],
    ['a node without calls', { nodes: [{ ...createReport().nodes[0], calls: undefined }] }, '/nodes/0'],
    [
      'a mark of no severity',
      { nodes: [{ ...createReport().nodes[0], findings: ['loop:bad'] }] },
      '/nodes/0/findings/0',
    ],
    ['a short span id', { steps: [{ ...createReport().steps[0], span_id: 'ff' }] }, '/steps/0/span_id'],
  ])('does not fit with %s', (_what, wrong, at) => {
    const errors = findSchemaErrors({ ...createReport(), ...wrong })
    expect(errors.some((error) => error.startsWith(`${at} `))).toBe(true)
  })
})

import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as semconv from '../../src/semconv/index.ts'

// ------------------------------------------------------------------------ the vocabulary, typed by hand

const spanAttributes: Readonly<Record<string, string>> = {
  'agent_reach.budget.cost.limit': 'double',
  'agent_reach.budget.cost.usage': 'double',
  'agent_reach.budget.cost.utilization': 'double',
  'agent_reach.budget.duration.limit': 'double',
  'agent_reach.budget.duration.usage': 'double',
  'agent_reach.budget.duration.utilization': 'double',
  'agent_reach.budget.model_call.limit': 'int',
  'agent_reach.budget.model_call.usage': 'int',
  'agent_reach.budget.model_call.utilization': 'double',
  'agent_reach.budget.token.limit': 'int',
  'agent_reach.budget.token.usage': 'int',
  'agent_reach.budget.token.utilization': 'double',
  'agent_reach.budget.tool_call.limit': 'int',
  'agent_reach.budget.tool_call.usage': 'int',
  'agent_reach.budget.tool_call.utilization': 'double',
  'agent_reach.chain.alert.count': 'int',
  'agent_reach.chain.cost.usd': 'double',
  'agent_reach.chain.id': 'string',
  'agent_reach.chain.loop.count': 'int',
  'agent_reach.chain.provisional': 'boolean',
  'agent_reach.chain.root_cause': 'string',
  'agent_reach.chain.status': 'success partial_failed failed',
  'agent_reach.chain.token.count': 'int',
  'agent_reach.checkpoint.id': 'string',
  'agent_reach.cost.usd': 'double',
  'agent_reach.node.attempt': 'int',
  'agent_reach.node.evidence': 'full partial none captured',
  'agent_reach.node.findings': 'string[]',
  'agent_reach.node.name': 'string',
  'agent_reach.node.reason': 'string',
  'agent_reach.node.requires': 'string[]',
  'agent_reach.node.skipped_reason': 'string',
  'agent_reach.node.status': 'reached reached_invalid unreachable timed_out skipped',
  'agent_reach.phase': 'planning executing reflecting summarizing',
  'agent_reach.reflection.status': 'continue replan done',
  'agent_reach.report.url': 'string',
  'agent_reach.status.set': 'boolean',
  'agent_reach.step.result_digest': 'string',
  'agent_reach.step.retry_key': 'string',
  'agent_reach.step.sequence': 'int',
  'agent_reach.step.signature': 'string',
  'agent_reach.stop.action': 'node chain handoff',
  'agent_reach.subtask.id': 'string',
  'agent_reach.subtask.status': 'pending success failed skipped',
  'agent_reach.task.id': 'string',
  'agent_reach.token.count': 'int',
}

const eventAttributes: Readonly<Record<string, string>> = {
  'agent_reach.alert.action': 'none stop_node stop_chain handoff',
  'agent_reach.alert.message': 'string',
  'agent_reach.alert.severity': 'warn error',
  'agent_reach.alert.type': 'loop retry budget downstream checkpoint determinism',
  'agent_reach.checkpoint.data': 'string',
  'agent_reach.checkpoint.name': 'string',
  'agent_reach.checkpoint.status': 'passed failed',
  'agent_reach.loop.count': 'int',
  'agent_reach.loop.kind': 'exact similar cycle error result',
  'agent_reach.loop.signature': 'string',
  'agent_reach.open_span.id': 'string',
  'agent_reach.open_span.name': 'string',
  'agent_reach.open_span.parent_id': 'string',
  'agent_reach.open_span.start_time': 'string',
}

const spanInputs = [
  'agent_reach.chain.id',
  'agent_reach.checkpoint.id',
  'agent_reach.node.attempt',
  'agent_reach.node.name',
  'agent_reach.node.requires',
  'agent_reach.node.skipped_reason',
  'agent_reach.phase',
  'agent_reach.reflection.status',
  'agent_reach.step.result_digest',
  'agent_reach.step.retry_key',
  'agent_reach.step.sequence',
  'agent_reach.step.signature',
  'agent_reach.stop.action',
  'agent_reach.subtask.id',
  'agent_reach.subtask.status',
  'agent_reach.task.id',
]

const eventRoles: Readonly<Record<string, string>> = {
  'agent_reach.alert': 'output',
  'agent_reach.checkpoint': 'input',
  'agent_reach.open_span': 'input',
}

const metricShapes: Readonly<Record<string, string>> = {
  'agent_reach.alerts': 'counter {alert}',
  'agent_reach.chain.cost': 'counter {USD}',
  'agent_reach.chain.duration': 'histogram s',
  'agent_reach.chain.tokens': 'counter {token}',
  'agent_reach.chains': 'counter {chain}',
  'agent_reach.nodes': 'counter {node}',
}

const aliases: Readonly<Record<string, string>> = {
  phase: 'agent_reach.phase',
  'agent.phase': 'agent_reach.phase',
  subtask_id: 'agent_reach.subtask.id',
  'agent.subtask_id': 'agent_reach.subtask.id',
  checkpoint_id: 'agent_reach.checkpoint.id',
  'agent.checkpoint_id': 'agent_reach.checkpoint.id',
  reflection_status: 'agent_reach.reflection.status',
  'agent.reflection_status': 'agent_reach.reflection.status',
  token_count: 'agent_reach.token.count',
  'agent.token_count': 'agent_reach.token.count',
}

// Keys that break one of OpenTelemetry's naming rules on purpose. A new exception has to be written down here.
const attributesThatAreAlsoNamespaces: readonly string[] = []
const eventsThatAreAlsoNamespaces = ['agent_reach.alert', 'agent_reach.checkpoint', 'agent_reach.open_span']
const arraysNotNamedByAPluralNoun = ['agent_reach.node.requires']
const booleansThatCouldBeEnums = ['agent_reach.chain.provisional', 'agent_reach.status.set']

// --------------------------------------------------------- the shape of definition/2, as far as it is used

const text = { type: 'string', minLength: 1 }
const stability = { enum: ['stable', 'development', 'alpha', 'beta', 'release_candidate'] }
const requirementLevel = {
  anyOf: [
    { enum: ['required', 'recommended', 'opt_in'] },
    closed({ conditionally_required: text }, ['conditionally_required']),
  ],
}
const role = { enum: ['input', 'output'] }
const attributeAnnotations = closed(
  {
    agent_reach: closed({ role, spans: { type: 'array', items: text, minItems: 1 }, input_where: text }, [
      'role',
    ]),
  },
  ['agent_reach'],
)
const attributeReference = closed(
  {
    ref: text,
    brief: text,
    note: text,
    requirement_level: requirementLevel,
    annotations: closed({ agent_reach: closed({ role, aliases: { type: 'array', items: text } }, ['role']) }),
  },
  ['ref'],
)
const references = { type: 'array', items: attributeReference }
const member = closed({ id: text, value: text, brief: text, note: text, stability }, [
  'id',
  'value',
  'brief',
  'stability',
])
const attributeType = {
  anyOf: [
    { enum: ['string', 'int', 'double', 'boolean', 'string[]', 'int[]', 'double[]', 'boolean[]'] },
    closed({ members: { type: 'array', items: member, minItems: 2 } }, ['members']),
  ],
}
const signal = { brief: text, note: text, stability, attributes: references }
const definitionFile = closed(
  {
    file_format: { const: 'definition/2' },
    imports: closed({ events: { type: 'array', items: text } }),
    attributes: {
      type: 'array',
      items: closed(
        {
          key: text,
          type: attributeType,
          brief: text,
          note: text,
          stability,
          examples: { type: 'array', minItems: 1 },
          annotations: attributeAnnotations,
        },
        ['key', 'type', 'brief', 'stability', 'annotations'],
      ),
    },
    attribute_groups: {
      type: 'array',
      items: closed({ ...signal, id: text, visibility: { const: 'public' } }, [
        'id',
        'visibility',
        'brief',
        'stability',
      ]),
    },
    events: {
      type: 'array',
      items: closed({ ...signal, name: text, annotations: attributeAnnotations }, [
        'name',
        'brief',
        'stability',
        'annotations',
      ]),
    },
    metrics: {
      type: 'array',
      items: closed(
        {
          ...signal,
          name: text,
          instrument: { enum: ['counter', 'updowncounter', 'gauge', 'histogram'] },
          unit: text,
          annotations: closed({
            code_generation: closed({ metric_value_type: { enum: ['int', 'double'] } }),
          }),
        },
        ['name', 'instrument', 'unit', 'brief', 'stability'],
      ),
    },
  },
  ['file_format'],
)
const schemaUrl = { type: 'string', pattern: '^https?://[^/]+/.+/[0-9]+\\.[0-9]+\\.[0-9]+$' }
const manifestFile = closed(
  {
    schema_url: schemaUrl,
    stability,
    description: text,
    dependencies: {
      type: 'array',
      items: closed({ schema_url: schemaUrl }, ['schema_url']),
      maxItems: 1,
    },
  },
  ['schema_url', 'stability', 'description', 'dependencies'],
)

function closed(properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): object {
  return { type: 'object', properties, required, additionalProperties: false }
}

interface Member {
  readonly id: string
  readonly value: string
}

interface Attribute {
  readonly key: string
  readonly type: string | { readonly members: readonly Member[] }
  readonly examples?: readonly unknown[]
  readonly annotations: {
    readonly agent_reach: { readonly role: string; readonly spans?: readonly string[] }
  }
}

interface Signal {
  readonly name: string
  readonly attributes?: readonly { readonly ref: string }[]
}

interface DefinitionFile {
  readonly attributes?: readonly Attribute[]
  readonly imports?: { readonly events: readonly string[] }
  readonly attribute_groups?: readonly { readonly attributes: readonly { readonly ref: string }[] }[]
  readonly events?: readonly (Signal & Pick<Attribute, 'annotations'>)[]
  readonly metrics?: readonly (Signal & { readonly instrument: string; readonly unit: string })[]
}

// --------------------------------------------------------------------------------------------- the tests

const registryFolder = 'src/semconv/registry'
const fileNames = readdirSync(registryFolder).toSorted()
const definitionNames = fileNames.filter((name) => name !== 'manifest.yaml')
const files = definitionNames.map((name) => readYaml(name) as DefinitionFile)
const attributes = files.flatMap((file) => file.attributes ?? [])
const events = files.flatMap((file) => file.events ?? [])
const metrics = files.flatMap((file) => file.metrics ?? [])
const groups = files.flatMap((file) => file.attribute_groups ?? [])
const onSpans = attributes.filter((attribute) => attribute.annotations.agent_reach.spans !== undefined)
const onEventsOnly = attributes.filter((attribute) => !onSpans.includes(attribute))
const keys = attributes.map(({ key }) => key)
const signalNames = [...events, ...metrics].map(({ name }) => name)

describe('registry files', () => {
  const ajv = new Ajv2020({ allErrors: true })
  const bare = { id: 'a', value: 'a', stability: 'development' }
  const sound = {
    key: 'agent_reach.a.b',
    type: 'int',
    brief: 'A.',
    stability: 'development',
    annotations: { agent_reach: { role: 'input' } },
  }

  it('would pass with a sound attribute', () => {
    expect(problems(ajv, definitionFile, { file_format: 'definition/2', attributes: [sound] })).toEqual([])
  })

  it.each(definitionNames)('%s has the shape of definition/2', (name) => {
    expect(problems(ajv, definitionFile, readYaml(name))).toEqual([])
  })

  it.each([
    ['another file format', { file_format: 'definition/1' }],
    ['an attribute without a role', { attributes: [{ ...sound, annotations: {} }] }],
    ['an attribute of an unknown type', { attributes: [{ ...sound, type: 'text' }] }],
    ['an enum member without a brief', { attributes: [{ ...sound, type: { members: [bare, bare] } }] }],
    ['a section that Weaver does not know', { input_aliases: [] }],
  ])('would not pass with %s', (_case, change) => {
    const file = { file_format: 'definition/2', attributes: [sound], ...change }
    expect(problems(ajv, definitionFile, file)).not.toEqual([])
  })

  it('begin with the file format, which Weaver looks for', () => {
    const firstLines = definitionNames.map((name) => readText(`${registryFolder}/${name}`).split('\n')[0])
    expect(new Set(firstLines)).toEqual(new Set(['file_format: definition/2']))
  })

  it('have a manifest that depends on the GenAI conventions', () => {
    expect(problems(ajv, manifestFile, readYaml('manifest.yaml'))).toEqual([])
    expect(readYaml('manifest.yaml')).toMatchObject({
      dependencies: [{ schema_url: 'https://opentelemetry.io/schemas/gen-ai/0.1.0' }],
    })
  })

  it('are all YAML, so that Weaver reads every one of them', () => {
    expect(fileNames.filter((name) => !name.endsWith('.yaml'))).toEqual([])
  })

  it('give an example for each string and array of strings', () => {
    const withoutExample = attributes
      .filter(({ type, examples }) => (type === 'string' || type === 'string[]') && examples === undefined)
      .map(({ key }) => key)
    expect(withoutExample).toEqual([])
  })

  it("give examples of the attribute's own type", () => {
    const wrong = attributes.flatMap(({ key, type, examples = [] }) =>
      examples.filter((example) => !fits(example, type)).map((example) => ({ key, example })),
    )
    expect(wrong).toEqual([])
  })

  it('refer only to attributes that exist here or in the GenAI conventions', () => {
    const referred = [...events, ...metrics, ...groups].flatMap((item) => item.attributes ?? [])
    const unknown = referred.map(({ ref }) => ref).filter((ref) => !keys.includes(ref))
    expect(unknown).toEqual(['gen_ai.agent.name'])
  })

  it("only refer to the evaluation event, which is the standard's own", () => {
    expect(files.flatMap((file) => file.imports?.events ?? [])).toEqual(['gen_ai.evaluation.result'])
  })
})

describe('registry names', () => {
  const wellFormed = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:_[a-z0-9]+)*)+$/

  it('are lowercase parts in snake_case, joined by single dots, under our prefix', () => {
    const names = [...keys, ...signalNames]
    expect(names.filter((name) => !wellFormed.test(name) || !name.startsWith('agent_reach.'))).toEqual([])
  })

  it('are lowercase snake_case in enum members too', () => {
    const ids = attributes.flatMap(({ type }) => (typeof type === 'string' ? [] : type.members))
    expect(ids.filter(({ id, value }) => id !== value || !/^[a-z]+(?:_[a-z]+)*$/.test(id))).toEqual([])
  })

  it('are unique among attributes, and among events and metrics', () => {
    expect(keys).toHaveLength(new Set(keys).size)
    expect(signalNames).toHaveLength(new Set(signalNames).size)
  })

  it('are never an attribute and a namespace at once, but for the listed exceptions', () => {
    expect(keys.filter(isNamespace)).toEqual(attributesThatAreAlsoNamespaces)
  })

  it('are an event and a namespace of its attributes in the listed cases only', () => {
    expect(
      events
        .map(({ name }) => name)
        .filter(isNamespace)
        .toSorted(),
    ).toEqual(eventsThatAreAlsoNamespaces)
  })

  it('are plural nouns where the value is an array, but for the listed exceptions', () => {
    const pluralNouns = ['findings']
    const arrays = keysOfType('string[]', 'int[]', 'double[]', 'boolean[]')
    const others = arrays.filter((key) => !pluralNouns.includes(key.slice(key.lastIndexOf('.') + 1)))
    expect(others).toEqual(arraysNotNamedByAPluralNoun)
  })

  it('stand for a boolean in the listed cases only, since an enum can grow', () => {
    expect(keysOfType('boolean')).toEqual(booleansThatCouldBeEnums)
  })

  it('carry no unit and no total in a metric', () => {
    expect(metrics.filter(({ name }) => /seconds|usd|total/.test(name))).toEqual([])
  })
})

describe('registry vocabulary', () => {
  it('has exactly the span attributes of the conventions, with their types', () => {
    expect(typesByKey(onSpans)).toEqual(spanAttributes)
  })

  it('has exactly the event attributes of the conventions, with their types', () => {
    expect(typesByKey(onEventsOnly)).toEqual(eventAttributes)
  })

  it('puts every attribute that is on no span on an event', () => {
    const carried = events.flatMap((event) => (event.attributes ?? []).map(({ ref }) => ref))
    expect(onEventsOnly.filter(({ key }) => !carried.includes(key))).toEqual([])
  })

  it('has the events of the conventions, with their roles', () => {
    const roles = events.map(({ name, annotations }) => [name, annotations.agent_reach.role])
    expect(Object.fromEntries(roles)).toEqual(eventRoles)
  })

  it('gives the attributes of an event that are on no span the role of the event', () => {
    const differing = events.flatMap((event) =>
      onEventsOnly
        .filter(({ key }) => event.attributes?.some(({ ref }) => ref === key))
        .filter(({ annotations }) => annotations.agent_reach.role !== event.annotations.agent_reach.role),
    )
    expect(differing).toEqual([])
  })

  it('has the metrics of the conventions, with instrument and unit', () => {
    const shapes = metrics.map(({ name, instrument, unit }) => [name, `${instrument} ${unit}`])
    expect(Object.fromEntries(shapes)).toEqual(metricShapes)
  })
})

describe('generated constants', () => {
  it('partition the span attributes into inputs and outputs', () => {
    expect(semconv.inputKeys).toEqual(spanInputs)
    expect([...semconv.inputKeys, ...semconv.outputKeys].toSorted()).toEqual(Object.keys(spanAttributes))
  })

  it('map each alias to its key', () => {
    expect(semconv.inputAliases).toEqual(aliases)
  })

  it('have one for every attribute, enum value, event and metric, named as OpenTelemetry names them', () => {
    const { inputKeys: _inputs, outputKeys: _outputs, inputAliases: _aliases, ...constants } = semconv
    const members = attributes.flatMap(({ key, type }) =>
      typeof type === 'string'
        ? []
        : type.members.map(({ id, value }) => [`${constantCase(key)}_VALUE_${constantCase(id)}`, value]),
    )
    const expected = [
      ...keys.map((key) => [`ATTR_${constantCase(key)}`, key]),
      ...members,
      ...events.map(({ name }) => [`EVENT_${constantCase(name)}`, name]),
      ...metrics.map(({ name }) => [`METRIC_${constantCase(name)}`, name]),
    ]
    expect(constants).toEqual(Object.fromEntries(expected))
  })
})

describe('generated attributes schema', () => {
  const schema = JSON.parse(readText('src/semconv/agent-reach-attributes.schema.json')) as object
  const validate = new Ajv2020().compile(schema)

  it('accepts a marked span beside the attributes of others', () => {
    const marked = {
      'gen_ai.operation.name': 'execute_tool',
      'agent_reach.node.name': 'order_query',
      'agent_reach.node.status': 'reached_invalid',
      'agent_reach.node.findings': ['schema_violation', 'truncated_output:warn'],
      'agent_reach.node.attempt': 2,
      'agent_reach.cost.usd': 0.004,
      'agent_reach.status.set': true,
    }
    expect(validate(marked)).toBe(true)
  })

  it.each([
    ['a value of another type', { 'agent_reach.node.attempt': '2' }],
    ['a value that is no member of its enum', { 'agent_reach.node.status': 'broken' }],
    ['an array of another type', { 'agent_reach.node.findings': [1] }],
    ['a key of ours that does not exist', { 'agent_reach.node.state': 'reached' }],
  ])('refuses %s', (_case, span) => {
    expect(validate(span)).toBe(false)
  })
})

describe('generate-semconv --check', () => {
  it('finds the generated files in step with the registry', async () => {
    expect(await runCheck('.')).toEqual({ exitCode: 0, errors: '' })
  })

  it('exits 1 and names each file that is out of step', async () => {
    const root = mkdtempSync(join(tmpdir(), 'agent-reach-semconv-'))
    try {
      cpSync('src/semconv', join(root, 'src/semconv'), { recursive: true })
      cpSync('docs/attributes.md', join(root, 'docs/attributes.md'))
      for (const name of ['budget.yaml', 'events.yaml']) {
        const path = join(root, registryFolder, name)
        writeFileSync(path, readText(path).replaceAll('budget.token.', 'budget.word.'))
      }
      rmSync(join(root, 'docs/attributes.md'))

      const { exitCode, errors } = await runCheck(root)
      expect(exitCode).toBe(1)
      expect(errors.trim().split('\n')).toEqual([
        expect.stringContaining('src/semconv/agent-reach.ts is out of step'),
        expect.stringContaining('src/semconv/index.ts is out of step'),
        expect.stringContaining('src/semconv/agent-reach-attributes.schema.json is out of step'),
        expect.stringContaining('docs/attributes.md is out of step'),
      ])
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})

// -------------------------------------------------------------------------------------------- in support

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

function readYaml(name: string): unknown {
  return parse(readText(`${registryFolder}/${name}`)) as unknown
}

function problems(ajv: Ajv2020, schema: object, value: unknown): readonly string[] {
  const validate = ajv.compile(schema)
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function typesByKey(wanted: readonly Attribute[]): Readonly<Record<string, string>> {
  const asText = ({ type }: Attribute): string =>
    typeof type === 'string' ? type : type.members.map(({ value }) => value).join(' ')
  return Object.fromEntries(wanted.map((attribute) => [attribute.key, asText(attribute)]))
}

function keysOfType(...types: readonly string[]): readonly string[] {
  return attributes
    .filter(({ type }) => typeof type === 'string' && types.includes(type))
    .map(({ key }) => key)
    .toSorted()
}

function isNamespace(name: string): boolean {
  return keys.some((key) => key.startsWith(`${name}.`))
}

function fits(example: unknown, type: Attribute['type']): boolean {
  if (type === 'string') return typeof example === 'string'
  if (type === 'int') return Number.isInteger(example)
  if (type === 'double') return typeof example === 'number'
  if (type === 'string[]') return Array.isArray(example) && example.every((item) => typeof item === 'string')
  return false
}

function constantCase(name: string): string {
  return name.toUpperCase().replaceAll('.', '_')
}

function runCheck(root: string): Promise<{ readonly exitCode: number; readonly errors: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['scripts/generate-semconv.mjs', '--check', '--root', root],
      (error, _out, errors) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code), errors })
      },
    )
  })
}

// Generates the TypeScript constants, the docs page and the JSON Schema of the attributes from the registry.
//
//   node scripts/generate-semconv.mjs               writes the files
//   node scripts/generate-semconv.mjs --check       writes nothing; exits 1 and names the files that are out of step
//   node scripts/generate-semconv.mjs --root DIR    reads DIR/src/semconv/registry and writes below DIR
//
// Weaver could generate them too, but it is not on npm; the registry keeps to Weaver's format all the same.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format } from 'oxfmt'
import { parse } from 'yaml'

const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..')
const generatedLine = 'Generated from src/semconv/registry by `npm run generate`. Do not edit.'
const lineWidth = 110

const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string', default: projectRoot } },
})

const registry = readRegistry(join(options.root, 'src/semconv/registry'))
const files = [
  ['src/semconv/agent-reach.ts', await formatted('agent-reach.ts', renderConstants(registry))],
  ['src/semconv/index.ts', await formatted('index.ts', renderIndex(registry))],
  [
    'src/semconv/agent-reach-attributes.schema.json',
    await formatted('schema.json', JSON.stringify(attributesSchema(registry), null, 2)),
  ],
  ['docs/attributes.md', renderDocs(registry)],
]

if (options.check) reportOutOfStep(files)
else for (const [path, text] of files) write(join(options.root, path), text)

// ---------------------------------------------------------------------------------------------- reading

function readRegistry(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'manifest.yaml')
  const parts = names.toSorted().map((name) => parse(readFileSync(join(folder, name), 'utf8')))
  const all = (section) => parts.flatMap((part) => part[section] ?? [])
  const attributes = all('attributes').toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return {
    manifest: parse(readFileSync(join(folder, 'manifest.yaml'), 'utf8')),
    attributes,
    events: all('events'),
    metrics: all('metrics'),
    importedEvents: parts.flatMap((part) => part.imports?.events ?? []),
    aliases: all('attribute_groups')
      .flatMap((group) => group.attributes)
      .flatMap(({ ref, note, annotations }) =>
        (annotations?.agent_reach?.aliases ?? []).map((alias) => ({
          alias,
          key: known(attributes, ref),
          note,
        })),
      ),
  }
}

function known(attributes, key) {
  if (!attributes.some((attribute) => attribute.key === key)) {
    throw new Error(`Cannot read the registry: a reference names an attribute that exists, received ${key}`)
  }
  return key
}

function isSpanAttribute({ annotations }) {
  return annotations.agent_reach.spans !== undefined
}

function role({ annotations }) {
  return annotations.agent_reach.role
}

// -------------------------------------------------------------------------------------------- constants

function constantName(name) {
  return name.toUpperCase().replaceAll('.', '_')
}

function attributeConstant(key) {
  return `ATTR_${constantName(key)}`
}

/** Every generated constant with its value and brief, in the order in which the file lists them. */
function constants({ attributes, events, metrics }) {
  return [
    ...attributes.flatMap((attribute) => [
      { name: attributeConstant(attribute.key), value: attribute.key, brief: attribute.brief },
      ...(attribute.type.members ?? []).map((member) => ({
        name: `${constantName(attribute.key)}_VALUE_${constantName(member.id)}`,
        value: member.value,
        brief: member.brief,
      })),
    ]),
    ...events.map(({ name, brief }) => ({ name: `EVENT_${constantName(name)}`, value: name, brief })),
    ...metrics.map(({ name, brief }) => ({ name: `METRIC_${constantName(name)}`, value: name, brief })),
  ]
}

function renderConstants(model) {
  const keys = (wanted) =>
    model.attributes
      .filter((attribute) => isSpanAttribute(attribute) && role(attribute) === wanted)
      .map(({ key }) => attributeConstant(key))
      .join(', ')
  const aliases = model.aliases.map(({ alias, key }) => `'${alias}': ${attributeConstant(key)},`)
  return [
    `// ${generatedLine}\n`,
    ...constants(model).map(
      ({ name, value, brief }) => `${docComment(brief)}\nexport const ${name} = '${value}' as const\n`,
    ),
    docComment('Keys of the span attributes that a reader takes as evidence.'),
    `export const inputKeys: readonly string[] = [${keys('input')}]\n`,
    docComment(
      'Keys of the span attributes that are our own marks. A reader drops them, since a mark is never evidence.',
    ),
    `export const outputKeys: readonly string[] = [${keys('output')}]\n`,
    docComment(
      "Shorter names that a reader takes as evidence, each with the key it stands for. A token count under an alias is an input although the key itself is an output, since the user's own agent wrote it.",
    ),
    `export const inputAliases: Readonly<Record<string, string>> = {\n${aliases.join('\n')}\n}`,
  ].join('\n')
}

function renderIndex(model) {
  const names = [...constants(model).map(({ name }) => name), 'inputAliases', 'inputKeys', 'outputKeys']
  return `// ${generatedLine}\nexport { ${names.join(', ')} } from './agent-reach.ts'`
}

function docComment(text) {
  const oneLine = `/** ${text} */`
  if (oneLine.length <= lineWidth) return oneLine
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`
    if (line.length <= lineWidth - ' * '.length) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return ['/**', ...lines.map((line) => ` * ${line}`), ' */'].join('\n')
}

async function formatted(name, source) {
  const { ignorePatterns: _, ...style } = JSON.parse(readFileSync(join(projectRoot, '.oxfmtrc.json'), 'utf8'))
  const result = await format(name, source, style)
  if (result.errors.length > 0) throw new Error(`Cannot format ${name}: ${result.errors[0].message}`)
  return result.code
}

// ------------------------------------------------------------------------------------------ JSON Schema

function attributesSchema({ attributes }) {
  const own = attributes.filter(isSpanAttribute)
  return {
    $comment: generatedLine,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'agent_reach.* attributes of a span',
    description: 'Checks the attributes of a span whose keys begin with agent_reach.; others are left alone.',
    type: 'object',
    properties: Object.fromEntries(
      own.map(({ key, type, brief }) => [key, { description: brief, ...valueSchema(type) }]),
    ),
    // A misspelt key of ours would otherwise pass unseen.
    propertyNames: {
      anyOf: [{ not: { pattern: '^agent_reach\\.' } }, { enum: own.map(({ key }) => key) }],
    },
  }
}

function valueSchema(type) {
  if (type.members !== undefined) return { enum: type.members.map(({ value }) => value) }
  if (type.endsWith('[]')) return { type: 'array', items: valueSchema(type.slice(0, -2)) }
  const jsonTypes = { string: 'string', int: 'integer', double: 'number', boolean: 'boolean' }
  if (jsonTypes[type] === undefined) {
    throw new Error(
      `Cannot make a schema: a type is one of ${Object.keys(jsonTypes).join(', ')}, received ${type}`,
    )
  }
  return { type: jsonTypes[type] }
}

// ------------------------------------------------------------------------------------------------- docs

function code(text) {
  return `\`${text}\``
}

function sentences(...texts) {
  return texts.filter((text) => text !== undefined).join(' ')
}

function table(header, rows) {
  return [header, header.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

function renderDocs(model) {
  return `<!-- ${generatedLine} -->

# Attributes, events and metrics

The vocabulary that agent-reach reads and writes, under the prefix \`agent_reach.\`. Its source is a registry in the
format of OpenTelemetry Weaver, \`src/semconv/registry\`, which stands beside the GenAI conventions. Everything has the
stability \`development\`.

- schema URL: \`${model.manifest.schema_url}\`
- GenAI conventions: \`${model.manifest.dependencies[0].schema_url}\`

An **input** is evidence: you, the runtime or the processor at the start of a span write it, and a reader uses it. An
**output** is a mark that agent-reach writes when a span ends; a reader drops it, so that reading marked spans again
gives the same verdict.

## Span attributes

${attributeTable(model, model.attributes.filter(isSpanAttribute))}

\\* An input where the content itself is absent and \`agent_reach.node.evidence\` is \`captured\`: the result was checked
in process and not recorded, so the recorded finding codes stand.

## Event attributes

${attributeTable(
  model,
  model.attributes.filter((attribute) => !isSpanAttribute(attribute)),
)}

## Values

${model.attributes
  .filter(({ type }) => type.members !== undefined)
  .map(valuesSection)
  .join('\n\n')}

## Events

Each is a span event, and also a log record with the same name and attributes where a logs provider is registered. The
verdict of a validator or of the judge on a node is the GenAI conventions' own event,
${model.importedEvents.map(code).join(', ')}.

${model.events.map(eventSection).join('\n\n')}

## Metrics

Recorded through your own MeterProvider.

${table(['metric', 'instrument', 'unit', 'meaning', 'attributes'], model.metrics.map(metricRow))}

## Aliases

Shorter names that a reader takes as inputs. The rules file can add your own.

${table(['written as', 'read as', 'remark'], aliasRows(model))}
`
}

function attributeTable({ events }, attributes) {
  return table(
    ['key', 'type', 'on', 'role', 'meaning'],
    attributes.map((attribute) => [
      code(attribute.key),
      attribute.type.members === undefined ? attribute.type : 'enum',
      places(attribute, events),
      attribute.annotations.agent_reach.input_where === undefined
        ? role(attribute)
        : `${role(attribute)} \\*`,
      sentences(attribute.brief, attribute.note, examples(attribute)),
    ]),
  )
}

function places({ key, annotations }, events) {
  const spans = annotations.agent_reach.spans ?? []
  const carriers = events.filter((event) => event.attributes.some(({ ref }) => ref === key))
  return [...spans.map((span) => `${span} span`), ...carriers.map(({ name }) => `event ${code(name)}`)].join(
    ', ',
  )
}

function examples({ examples: given }) {
  if (given === undefined) return undefined
  const values = given.map((value) => code(typeof value === 'string' ? value : JSON.stringify(value)))
  return `For example ${values.join(', ')}.`
}

function valuesSection({ key, type }) {
  const rows = type.members.map(({ value, brief, note }) => [code(value), sentences(brief, note)])
  return `### ${code(key)}\n\n${table(['value', 'meaning'], rows)}`
}

function eventSection(event) {
  const rows = [...new Set(event.attributes.map(requirement))].map((when) => [
    when,
    event.attributes
      .filter((attribute) => requirement(attribute) === when)
      .map(({ ref }) => code(ref))
      .join(', '),
  ])
  const meaning = `${sentences(event.brief, event.note)} Role: ${role(event)}.`
  return `### ${code(event.name)}

${meaning}

${table(['when', 'attributes'], rows)}`
}

function metricRow({ name, instrument, unit, brief, attributes = [] }) {
  return [code(name), instrument, code(unit), brief, attributes.map(metricAttribute).join(', ')]
}

function metricAttribute(attribute) {
  return attribute.requirement_level === 'required'
    ? code(attribute.ref)
    : `${code(attribute.ref)} (${requirement(attribute)})`
}

function requirement({ requirement_level: level }) {
  const condition = level.conditionally_required
  return condition === undefined ? level : lowerFirst(condition).replace(/\.$/, '')
}

function lowerFirst(text) {
  return text[0].toLowerCase() + text.slice(1)
}

function aliasRows({ aliases }) {
  return aliases.map(({ alias, key, note }) => [code(alias), code(key), note ?? ''])
}

// ---------------------------------------------------------------------------------------------- writing

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function reportOutOfStep(expected) {
  const stale = expected.filter(([path, text]) => readIfPresent(join(options.root, path)) !== text)
  for (const [path] of stale)
    console.error(`${path} is out of step with src/semconv/registry: npm run generate`)
  process.exitCode = stale.length === 0 ? 0 : 1
}

function readIfPresent(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

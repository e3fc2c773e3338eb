import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadRules } from '../../src/rules/load-rules.ts'
import { RulesError } from '../../src/rules/rules-error.ts'
import type { RulesFile } from '../../src/rules/rules-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** What is told of rules, a line for each problem; empty where they can be used. */
function problemsOf(text: string, name = 'rules.yaml'): readonly string[] {
  return messagesOf(() => loadRules(write(name, text), { name }))
}

function messagesOf(load: () => unknown): readonly string[] {
  try {
    load()
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(RulesError)
    const { message, problems } = error as RulesError
    expect(message.split('\n')).toHaveLength(problems.length)
    return message.split('\n')
  }
}

describe('a rules file', () => {
  it('may say nothing but its version', () => {
    expect(problemsOf('version: 1\n')).toEqual([])
    expect(problemsOf('{"version": 1}', 'rules.json')).toEqual([])
    expect(problemsOf('{\n\t"version": 1,\n\t"nodes": {}\n}', 'rules.json')).toEqual([])
  })

  it('means the same in YAML, in JSON and as an object', () => {
    const object: RulesFile = {
      version: 1,
      nodes: { a: { timeout: '2m', result: { not_empty: true } } },
      findings: { loop: 'off' },
    }
    const yaml =
      'version: 1\nfindings: { loop: off }\nnodes:\n  a: { result: { not_empty: true }, timeout: 2m }\n'
    const expected = loadRules(object)
    expect(loadRules(write('same.yaml', yaml))).toEqual(expected)
    expect(loadRules(write('same.json', JSON.stringify(object)))).toEqual(expected)
  })

  it.each([
    ['', 'Cannot use rules.yaml:1: expected keys and values, found nothing'],
    ['nodes: {}', 'Cannot use rules.yaml:1: expected the key version, found nothing'],
    ['version: 2', 'Cannot use rules.yaml:1 at version: expected 1, found 2'],
    [
      'version: 1\nversion: 1',
      'Cannot use rules.yaml:2: expected YAML or JSON, found map keys must be unique',
    ],
    ['version: !v 1', 'Cannot use rules.yaml:1: expected YAML or JSON, found unresolved tag: !v'],
    [
      'version: 1\nnodes:\n  a:\n    timout: 5s',
      'Cannot use rules.yaml:4 at nodes.a.timout: expected a known key such as timeout, found timout',
    ],
    [
      'version: 1\nguards: { speed: 3 }',
      'Cannot use rules.yaml:2 at guards.speed: expected one of loop, budget, found speed',
    ],
    [
      'version: 1\nfindings:\n  emty_result: off',
      'Cannot use rules.yaml:3 at findings.emty_result: expected a known key such as empty_result, found emty_result',
    ],
    [
      'version: 1\nfindings:\n  loop: fatal',
      'Cannot use rules.yaml:3 at findings.loop: expected one of error, warn, info, off, found fatal',
    ],
    [
      'version: 1\nnodes: { a: { timeout: 5 } }',
      'Cannot use rules.yaml:2 at nodes.a.timeout: expected a duration such as 250ms, 5s, 2m or 1h, found 5',
    ],
    [
      'version: 1\nnodes: { a: { retry_key: [] } }',
      'Cannot use rules.yaml:2 at nodes.a.retry_key: expected a list with at least one entry, found an empty list',
    ],
    [
      'version: 1\nnodes: { a: { match: {} } }',
      'Cannot use rules.yaml:2 at nodes.a.match: expected at least one key, found none',
    ],
    [
      'version: 1\nguards:\n  loop:\n    repeats: 6\n    stop_at: 5',
      'Cannot use rules.yaml:5 at guards.loop.stop_at: expected at least as many as repeats (6), found 5',
    ],
    [
      'version: 1\nguards: { budget: { tokens: 1.5 } }',
      'Cannot use rules.yaml:2 at guards.budget.tokens: expected a whole number of at least 0, found 1.5',
    ],
  ])('that holds %j is refused', (text, message) => {
    expect(problemsOf(text)).toEqual([message])
  })

  it('tells all that is wrong with it, in the order of its lines', () => {
    const text = [
      'version: 1',
      'nodes:',
      '  b:',
      '    result: { schema: { type: objekt } }',
      '  a:',
      '    arguments: { schema: { $ref: ./missing.json } }',
      'guards: { loop: { window: 4 } }',
    ].join('\n')
    expect(
      problemsOf(text).map((line) => /^Cannot use rules\.yaml:(\d+) at (\S+):/u.exec(line)?.slice(1)),
    ).toEqual([
      ['4', 'nodes.b.result.schema'],
      ['6', 'nodes.a.arguments.schema'],
      ['7', 'guards.loop.window'],
    ])
  })

  it.each([
    ['similar: 0', 'guards.loop.similar: expected a number above 0 and up to 1, or off, found 0'],
    ['similar: 1.5', 'guards.loop.similar: expected a number above 0 and up to 1, or off, found 1.5'],
    ['similar: on', 'guards.loop.similar: expected a number above 0 and up to 1, or off, found on'],
    ['cycles: 0', 'guards.loop.cycles: expected a whole number from 1 to 5, found 0'],
    ['cycles: 6', 'guards.loop.cycles: expected a whole number from 1 to 5, found 6'],
    [
      'ignore_fields: []',
      'guards.loop.ignore_fields: expected a list with at least one entry, found an empty list',
    ],
  ])('refuses %j of a loop', (line, problem) => {
    expect(problemsOf(`version: 1\nguards: { loop: { ${line} } }\n`)).toEqual([
      `Cannot use rules.yaml:2 at ${problem}`,
    ])
  })

  it.each([
    'chain: { expect: [a] }',
    'redact: { fields: [password] }',
    'attributes: { phase: stage }',
    'guards: { downstream: { block_on: [unreachable] } }',
    'guards: { loop: { on_stop: node } }',
    'guards: { budget: { tighten_at: 0.8 } }',
    'guards: { budget: { at_limit: stop } }',
    'nodes: { a: { retries: { max: 2 } } }',
    'nodes: { a: { side_effect: false } }',
    'nodes: { a: { assert: [] } }',
    'nodes: { a: { judge: {} } }',
    'nodes: { a: { requires: [b] } }',
    'nodes: { a: { result: { contract: {} } } }',
  ])('that asks for %j is refused, since that is not supported yet', (line) => {
    const problems = problemsOf(`version: 1\n${line}\n`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^Cannot use rules\.yaml:2 at .*, found \w+, which is not supported yet$/u)
  })

  it('that is not there, or is a directory, is refused', () => {
    const expected = 'expected a file that can be read'
    expect(messagesOf(() => loadRules(join(folder, 'absent.yaml'), { name: 'absent.yaml' }))).toEqual([
      `Cannot use absent.yaml: ${expected}, found no such file`,
    ])
    expect(messagesOf(() => loadRules(folder, { name: 'here' }))).toEqual([
      `Cannot use here: ${expected}, found a directory`,
    ])
  })

  it('whose aliases stand for too much is refused', () => {
    const levels = Array.from(
      { length: 9 },
      (_, n) => `  a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`,
    )
    const [problem] = problemsOf(`version: 1\nnodes:\n  a0: &a0 [x]\n${levels.join('\n')}\n`)
    expect(problem).toContain('expected YAML or JSON, found excessive alias count')
  })

  it('tells the line of what an alias stands for where it is used', () => {
    const text = 'version: 1\nnodes:\n  a: &a { timout: 5s }\n  b: *a\n'
    expect(problemsOf(text).map((line) => line.slice(0, 40))).toEqual([
      'Cannot use rules.yaml:3 at nodes.a.timou',
      'Cannot use rules.yaml:3 at nodes.b.timou',
    ])
  })
})

describe('a schema', () => {
  const rules = (schema: string): string => `version: 1\nnodes:\n  a:\n    result:\n      schema: ${schema}\n`

  it('may stand in a file beside the rules, in JSON or YAML', () => {
    mkdirSync(join(folder, 'schemas'), { recursive: true })
    write('schemas/order.json', '{"type": "object", "required": ["id"]}')
    write('schemas/order.yaml', 'type: object\nrequired: [id]\n')
    const inline = loadRules(write('a.yaml', rules('{ type: object, required: [id] }'))).nodes[0]
      ?.resultSchema?.schema
    for (const file of ['order.json', 'order.yaml']) {
      const { nodes } = loadRules(write('b.yaml', rules(`{ $ref: ./schemas/${file} }`)))
      expect(nodes[0]?.resultSchema?.schema).toEqual(inline)
    }
  })

  it('may be written in draft 2020-12 or draft-07, and refer to itself', () => {
    expect(problemsOf(rules('{ $defs: { a: { type: string } }, items: { $ref: "#/$defs/a" } }'))).toEqual([])
    expect(problemsOf(rules('{ items: [{ type: string }] }'))).toEqual([])
    const old = '{ $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: string }] }'
    expect(problemsOf(rules(old))).toEqual([])
  })

  it.each([
    '{ title: a, description: b, $comment: c, examples: [1], default: 1, deprecated: true, nullable: true, type: object }',
    '{ type: [string, "null"], format: date-time, required: [a], properties: { b: { const: 1 } } }',
    '{ definitions: { a: {} }, $defs: { b: { $anchor: b } }, allOf: [{ $ref: "#b" }], unevaluatedProperties: false }',
    '{ oneOf: [{ minimum: 1 }, { prefixItems: [{}] }], dependentRequired: { a: [b] }, format: of-our-own }',
  ])('%s can be used', (schema) => {
    expect(problemsOf(rules(schema))).toEqual([])
  })

  it.each([
    ['3', 'expected a JSON Schema, found 3'],
    ['{ type: objekt }', 'expected a JSON Schema that can be used, found schema is invalid'],
    ['{ minItems: one }', 'expected a JSON Schema that can be used, found schema is invalid'],
    [
      '{ requierd: [a] }',
      'expected a JSON Schema that can be used, found strict mode: unknown keyword: "requierd"',
    ],
    ['{ items: { $ref: "#/$defs/absent" } }', "expected a JSON Schema that can be used, found can't resolve"],
    ['{ items: { $ref: ./x.json } }', "expected a JSON Schema that can be used, found can't resolve"],
    ['{ $ref: https://a.example/b.json }', 'expected the path of a file without a fragment'],
    ['{ $ref: ./a.json#/b }', 'expected the path of a file without a fragment'],
    ['{ $ref: ./absent.json }', 'expected a file that can be read at ./absent.json, found no such file'],
    [
      '{ $ref: ./absent.json, type: object }',
      'expected $ref alone, found other keys beside $ref ./absent.json',
    ],
  ])('%s is refused', (schema, message) => {
    const problems = problemsOf(rules(schema))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`Cannot use rules.yaml:5 at nodes.a.result.schema: ${message}`)
  })

  it('that is wrong in its own file is told with that file', () => {
    write('broken.json', '{\n  "type": "object"\n  "required": []\n}')
    write('wrong.yaml', 'type: objekt\n')
    write('list.yaml', '- 1\n')
    expect(problemsOf(rules('{ $ref: broken.json }'))[0]).toContain(
      'Cannot use broken.json:3: expected YAML or JSON',
    )
    expect(problemsOf(rules('{ $ref: wrong.yaml }'))[0]).toContain(
      'Cannot use wrong.yaml:1: expected a JSON Schema',
    )
    expect(problemsOf(rules('{ $ref: list.yaml }'))).toEqual([
      'Cannot use list.yaml:1: expected a JSON Schema, found a list',
    ])
  })
})

describe('rules that are an object', () => {
  it('are told about without a file', () => {
    expect(messagesOf(() => loadRules({ version: 1, nodes: { a: { timeout: 'soon' } } }))).toEqual([
      'Cannot use the rules at nodes.a.timeout: expected a duration such as 250ms, 5s, 2m or 1h, found soon',
    ])
  })

  it('have no files beside them', () => {
    const rules: RulesFile = { version: 1, nodes: { a: { arguments: { schema: { $ref: './a.json' } } } } }
    expect(messagesOf(() => loadRules(rules))).toEqual([
      'Cannot use the rules at nodes.a.arguments.schema: expected a schema in the rules themselves, found a reference to ./a.json',
    ])
  })

  it('take no schema that is not JSON', () => {
    const standard = { '~standard': { version: 1 } }
    const computed = { properties: { a: () => true } }
    for (const [schema, message] of [
      [standard, 'expected a Standard Schema of version 1, found one without a validate function'],
      [() => true, 'expected a JSON Schema, found a function'],
      [computed, 'expected an object that JSON can hold, found a function or the like'],
      [new Map(), 'expected a JSON Schema, found an object of a class'],
    ] as const) {
      const rules = { version: 1, nodes: { a: { result: { schema } } } } as unknown as RulesFile
      expect(messagesOf(() => loadRules(rules))[0]).toContain(message)
    }
  })

  it('are not changed by what is done to the object later', () => {
    const schema = { type: 'object' }
    const rules = loadRules({ version: 1, nodes: { a: { result: { schema } } } })
    schema.type = 'array'
    expect(rules.nodes[0]?.resultSchema?.schema).toEqual({ type: 'object' })
  })
})

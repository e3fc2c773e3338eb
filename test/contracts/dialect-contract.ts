import { describe, expect, it } from 'vitest'
import { CONTENT_LIMIT, type Content, type ContentState } from '../../src/steps/content.ts'
import type { ModelOutput } from '../../src/steps/model-output.ts'

import { toRequestSignature, toSignature } from '../../src/steps/signature.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import type { ModelStep, Step, Usage } from '../../src/steps/step.ts'
import type { ToolDefinition } from '../../src/steps/tool-definition.ts'
import { readModel, readSpan, readTool } from '../steps/read-span.ts'
import type { SpanParts } from '../steps/span.ts'
import { testRuns } from './dialect-runs.ts'
import {
  type DialectTable,
  type Facts,
  isNotRecorded,
  type NotRecorded,
  type TokenKind,
  type WrittenCall,
} from './dialect-table.ts'

/** Runs the suite that every dialect must pass over what a dialect records. */
export function testDialect(table: DialectTable): void {
  describe(table.name, () => {
    testFacts(table)
    testToolContent(table)
    testAnswer(table)
    testCalls(table)
    testTools(table)
    testTokens(table)
    testErrors(table)
    testRuns(table)
    testReasons(table)
  })
}

/** What is not tested of a dialect says why, so that nothing is left out unseen. */
function testReasons(table: DialectTable): void {
  const cases = [...Object.entries(table), ...Object.entries(table.tokens)]
  const missing = cases.flatMap(([name, value]): readonly (readonly [string, string])[] =>
    typeof value === 'object' && isNotRecorded(value as object)
      ? [[name, (value as NotRecorded).notRecorded]]
      : [],
  )
  if (missing.length === 0) return
  it.each(missing)('has no case for %s: %s', (_name, reason) => {
    expect(reason.trim()).not.toBe('')
  })
}

function testFacts(table: DialectTable): void {
  check('kind', table.kinds, (attributes) => readSpan(attributes).kind)
  check('node name', table.nodeName, (attributes) => readSpan(attributes, { name: 'the span' }).nodeName)
  check('agent name', table.agentName, (attributes) => readSpan(attributes).agentName)
  check('tool name', table.toolName, (attributes) => readTool(attributes).toolName)
  check('call id', table.callId, (attributes) => readTool(attributes).callId)
  check('session', table.session, (attributes) => readSpan(attributes).sessionId)

  check('requested model', table.requestModel, (attributes) => readModel(attributes).requestModel)
  check('answering model', table.responseModel, (attributes) => readModel(attributes).responseModel)
  check('provider', table.provider, (attributes) => readModel(attributes).provider)
  check('response id', table.responseId, (attributes) => readModel(attributes).responseId)
  check('finish reasons', table.finishReasons, (attributes) => readReasons(readModel(attributes)))
  check('cost', table.cost, (attributes) => readSpan(attributes).recordedCost)
  check('time to first token', table.firstTokenMs, (attributes) => readModel(attributes).firstTokenMs)
}

function check<T>(concept: string, facts: Facts<T>, read: (attributes: Attributes) => T | null): void {
  if (isNotRecorded(facts)) return
  it.each(facts)(`reads the ${concept} from %s`, (_recorded, attributes, expected) => {
    expect(read(attributes)).toEqual(expected)
  })
}

function readReasons(step: ModelStep): readonly string[] {
  return [...new Set([...step.finishReasons, ...step.readOutput().finishReasons])]
}

const FORECAST = { city: 'Łódź', days: [1, 2], note: 'rain \n "heavy"' }
const FORECAST_JSON = '{"city":"Łódź","days":[1,2],"note":"rain \\n \\"heavy\\""}'
const FORECAST_SPACED = '{ "note": "rain \\n \\"heavy\\"",\n  "days": [ 1, 2 ],\n  "city": "Łódź" }'

/** Texts that redaction leaves behind. */
const REDACTED = ['__REDACTED__', '[REDACTED]', '<redacted>', '***', '"[REDACTED]"'] as const

/** JSON that a limit on lengths has cut, with and without a mark at its end. */
const CUT = [
  '{"city":"Par',
  '{"days":[1,',
  '{"city":"Paris"',
  '{"city":"Par…',
  '{"city":"Par... [truncated]',
] as const

function testToolContent(table: DialectTable): void {
  const { tool, toolArguments, toolResult } = table
  if (isNotRecorded(tool) || isNotRecorded(toolArguments) || isNotRecorded(toolResult)) return
  describe.each([
    ['arguments', toolArguments, (step: Step): Content => step.input],
    ['result', toolResult, (step: Step): Content => step.output],
  ] as const)('%s of a tool', (_which, writer, pick) => {
    const read = (value: unknown, parts: SpanParts = {}): Content =>
      pick(readTool({ ...tool, ...writer.write(value) }, parts))

    it('is seen as JSON text, with the dialect and key that hold it', () => {
      const content = read(FORECAST_JSON)
      expect(content.state).toBe('seen')
      expect(content.value).toEqual(FORECAST)
      expect(content.text).toBe(FORECAST_JSON)
      expect(content.dialect).toBe(table.dialect)
      expect(Object.keys(writer.write(FORECAST_JSON))).toContain(content.key)
    })

    it.each([
      ['a native map', FORECAST, FORECAST],
      ['a native list of mixed values', ['a', 1, null, { b: true }], ['a', 1, null, { b: true }]],
      ['JSON with white space and other key order', FORECAST_SPACED, FORECAST],
      ['JSON encoded twice', JSON.stringify(FORECAST_JSON), FORECAST],
      ['JSON encoded three times', JSON.stringify(JSON.stringify(FORECAST_JSON)), FORECAST],
      ['a list as JSON text', '["a", 1]', ['a', 1]],
    ])('is seen as %s', (_shape, value, expected) => {
      expect(read(value).state).toBe('seen')
      expect(read(value).value).toEqual(expected)
    })

    it('has one identity in all encodings', () => {
      const encodings = [FORECAST_JSON, FORECAST_SPACED, FORECAST, JSON.stringify(FORECAST_JSON)]
      const identities = encodings.map((value) => read(value).identity)
      expect(new Set(identities).size).toBe(1)
      expect(identities[0]).not.toBeNull()
    })

    it('is absent, and not empty, where it is not recorded', () => {
      const content = pick(readTool(tool))
      expect(whatIsKnown(content)).toEqual({ state: 'absent', key: null, value: undefined, identity: null })
    })

    it.each([undefined, null])('is absent where a processor wrote %s under its key', (nothing) => {
      expect(whatIsKnown(read(nothing))).toMatchObject({ state: 'absent', key: null })
    })

    it('is empty, and not absent, where empty text is recorded', () => {
      expect(whatIsKnown(read(''))).toMatchObject({ state: 'seen', value: '' })
    })

    it('may have been dropped where an SDK limit dropped attributes', () => {
      const content = pick(readTool(tool, { droppedAttributesCount: 3 }))
      expect(whatIsKnown(content)).toMatchObject({ state: 'dropped', key: null, identity: null })
      expect(read(FORECAST_JSON, { droppedAttributesCount: 3 }).state).toBe('seen')
    })

    it.each(REDACTED)('is not seen where it was redacted: %s', (text) => {
      expect(whatIsKnown(read(text))).toMatchObject({ state: 'redacted', value: undefined, identity: null })
      expect(read(text).malformed).toBe(false)
    })

    it.each(CUT)('is not seen where a length limit cut it: %s', (text) => {
      expect(whatIsKnown(read(text))).toMatchObject({ state: 'truncated', value: undefined, identity: null })
      expect(read(text).malformed).toBe(false)
    })

    it.each(['{"city":}', '{"city":"Paris"}}', "{'city':'Paris'}", '[1,2,]'])(
      'is seen as the text it is where that only looks like JSON: %s',
      (text) => {
        expect(whatIsKnown(read(text))).toMatchObject({ state: 'seen', value: text })
        expect(read(text).malformed).toBe(writer.json)
      },
    )

    it('is looked at in part only above 64 KiB', () => {
      const whole = `"${'a'.repeat(CONTENT_LIMIT - 2)}"`
      expect(read(whole).state).toBe('seen')
      const long = read(`${whole} `)
      expect(whatIsKnown(long)).toMatchObject({ state: 'partial', value: undefined })
      expect(long.text).toHaveLength(CONTENT_LIMIT)
      expect(read({ text: 'a'.repeat(CONTENT_LIMIT) }).state).toBe('partial')
    })
  })
}

function whatIsKnown(content: Content): {
  state: ContentState
  key: string | null
  value: unknown
  identity: string | null
} {
  return { state: content.state, key: content.key, value: content.value, identity: content.identity }
}

function testAnswer(table: DialectTable): void {
  const { model, answer } = table
  if (isNotRecorded(answer) || isNotRecorded(model)) return
  const read = (text: string): ModelOutput => readModel({ ...model, ...answer.write(text) }).readOutput()
  describe('answer of a model', () => {
    it.each(['The weather is fine.', ' \n two  lines\n', '{"city":"Paris"}', '42', ''])(
      'is seen as the text it is: %j',
      (text) => {
        expect(read(text)).toMatchObject({ state: 'seen', text, calls: [] })
      },
    )

    it('is absent, and not empty, where it is not recorded', () => {
      expect(readModel(model).readOutput()).toEqual({ ...NOTHING, state: 'absent' })
    })

    it('may have been dropped where an SDK limit dropped attributes', () => {
      const output = readModel(model, { droppedAttributesCount: 1 }).readOutput()
      expect(output).toEqual({ ...NOTHING, state: 'dropped' })
    })

    it.each(REDACTED.filter((text) => !text.startsWith('"')))(
      'is not seen where it was redacted: %s',
      (text) => {
        expect(read(text)).toMatchObject({ state: 'redacted', text: null })
      },
    )

    if (answer.uncut === undefined)
      it('is told to be cut where a length limit cut it, and is no more than what is left', () => {
        const whole = Object.entries(answer.write('{"city":"Paris"}'))
        const cut = whole.map(([key, value]) => [key, cutInPlace(value)] as const)
        const output = readModel({ ...model, ...Object.fromEntries(cut) }).readOutput()
        expect(output).toMatchObject({ state: 'truncated', calls: [] })
        expect([null, '{"city":"Par']).toContain(output.text)
      })

    it('is looked at in part only above 64 KiB', () => {
      const output = read('a'.repeat(CONTENT_LIMIT + 1))
      expect(output.state).toBe('partial')
      expect(output.text?.length ?? 0).toBe(answer.embedded ? 0 : CONTENT_LIMIT)
      expect(output.hasOtherParts || output.text !== null).toBe(true)
    })
  })
}

/** The text up to the middle of `Paris`. */
function cutInPlace(value: unknown): unknown {
  return typeof value === 'string' && value.includes('Paris')
    ? value.slice(0, value.indexOf('Paris') + 3)
    : value
}

const NOTHING = { text: null, calls: [], hasOtherParts: false, finishReasons: [] }

function testCalls(table: DialectTable): void {
  const { calls, model } = table
  if (isNotRecorded(calls) || isNotRecorded(model)) return
  describe.each(calls.map((writer) => [writer.name, writer] as const))(
    'tool calls in %s',
    (_name, writer) => {
      const read = (written: readonly WrittenCall[]): ModelOutput =>
        readModel({ ...model, ...writer.write(written) }).readOutput()
      const readArguments = (args: unknown): object => {
        const [only] = read([{ id: 'call_1', name: 'forecast', args }]).calls
        return { arguments: only?.arguments, malformed: only?.malformed, unseen: only?.unseen }
      }

      it('have ids, names and decoded arguments, in order', () => {
        const output = read([
          { id: 'call_1', name: 'forecast', args: FORECAST_JSON },
          { id: 'call_2', name: 'current_time', args: '{}' },
        ])
        expect(output.state).toBe('seen')
        expect(output.calls).toEqual([
          call({ id: 'call_1', name: 'forecast', arguments: FORECAST }),
          call({ id: 'call_2', name: 'current_time', arguments: {} }),
        ])
      })

      it.each([
        ['JSON text', FORECAST_JSON, FORECAST],
        ['JSON text encoded twice', JSON.stringify(FORECAST_JSON), FORECAST],
        ['a native map', FORECAST, FORECAST],
        ['no text at all', '', {}],
      ])('have arguments that are %s', (_shape, args, expected) => {
        expect(readArguments(args)).toEqual({ arguments: expected, malformed: false, unseen: false })
      })

      it('keep arguments that are not JSON as the text they are', () => {
        const text = 'forecast(city="Paris")'
        expect(readArguments(text)).toEqual({ arguments: text, malformed: true, unseen: false })
      })

      it.each(['__REDACTED__', '[REDACTED]', '"[REDACTED]"', '{"city":"Par…', '{"city":"Par...'])(
        'have arguments that are not seen: %s',
        (text) => {
          expect(readArguments(text)).toEqual({ arguments: undefined, malformed: false, unseen: true })
        },
      )

      it('have arguments that are not seen whole above 64 KiB', () => {
        const text = JSON.stringify({ text: 'a'.repeat(CONTENT_LIMIT) })
        const output = read([{ id: 'call_1', name: 'forecast', args: text }])
        if (writer.embedded)
          expect(output).toMatchObject({ state: 'partial', calls: [], hasOtherParts: true })
        else expect(output.calls).toEqual([call({ id: 'call_1', name: 'forecast', unseen: true })])
      })

      it('leave out what has no name', () => {
        const output = read([
          { id: 'call_1', name: '', args: '{}' },
          { id: 'call_2', name: 'forecast', args: '{}' },
        ])
        expect(output.calls.map(({ id }) => id)).toEqual(['call_2'])
      })

      it('have the signature of their execution', () => {
        const { tool, toolArguments } = table
        if (isNotRecorded(tool) || isNotRecorded(toolArguments)) return
        const [requested] = read([{ id: 'call_1', name: 'forecast', args: FORECAST_JSON }]).calls
        const executed = readTool({ ...tool, ...toolArguments.write(FORECAST_SPACED) })

        const signature = toSignature('forecast', executed.input)
        expect(signature).not.toBeNull()
        expect(toRequestSignature('forecast', requested?.arguments)).toBe(signature)
      })
    },
  )
}

function call(parts: Partial<ModelOutput['calls'][number]>): object {
  return {
    id: null,
    name: '',
    arguments: undefined,
    malformed: false,
    unseen: false,
    providerExecuted: false,
    ...parts,
  }
}

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const OUTPUT = { type: 'object', properties: { days: { type: 'array' } } }

function testTools(table: DialectTable): void {
  const { tools, model } = table
  if (isNotRecorded(tools) || isNotRecorded(model)) return
  describe.each(tools.map((writer) => [writer.name, writer] as const))('tools in %s', (_name, writer) => {
    const read = (names: readonly string[]): readonly ToolDefinition[] => {
      const written = names.map((name) => ({ name, parameters: PARAMETERS, output: OUTPUT }))
      return readModel({ ...model, ...writer.write(written) }).readTools()
    }

    it('have names, schemas of parameters and of output, in order', () => {
      const schemas = { parameters: PARAMETERS, outputSchema: writer.hasOutputSchema ? OUTPUT : null }
      expect(read(['forecast', 'current_time'])).toEqual([
        { name: 'forecast', ...schemas },
        { name: 'current_time', ...schemas },
      ])
    })

    it('leave out what has no name', () => {
      expect(read(['', 'forecast']).map(({ name }) => name)).toEqual(['forecast'])
    })

    it('are none where none is recorded', () => {
      expect(readModel(model).readTools()).toEqual([])
    })
  })
}

function testTokens(table: DialectTable): void {
  const { model } = table
  const kinds = Object.entries(table.tokens) as [TokenKind, readonly string[] | NotRecorded][]
  for (const [kind, keys] of kinds) {
    if (isNotRecorded(keys)) continue
    const read = (key: string, value: unknown): Usage[TokenKind] =>
      readSpan({ ...(isNotRecorded(model) ? {} : model), [key]: value }).usage[kind]
    it.each(keys)(`reads ${kind} tokens from %s, as a number and as decimal text`, (key) => {
      expect([12, 0, '12', ' 12 ', '1.2e1', 12n].map((value) => read(key, value))).toEqual([
        12, 0, 12, 12, 12, 12,
      ])
    })
    it.each(keys)(`reads no ${kind} tokens from %s that are no count`, (key) => {
      const odd = [
        -1,
        '-1',
        'many',
        '',
        '12 tokens',
        '0x10',
        Number.NaN,
        Infinity,
        'Infinity',
        true,
        null,
        [12],
        {},
      ]
      expect(odd.map((value) => read(key, value))).toEqual(odd.map(() => null))
    })
  }
}

function testErrors(table: DialectTable): void {
  const spans = { model: table.model, tool: table.tool }
  const recorded = Object.entries(spans).flatMap(([kind, attributes]) =>
    isNotRecorded(attributes) ? [] : [[kind, attributes] as const],
  )
  const exception = {
    name: 'exception',
    attributes: { 'exception.type': 'TimeoutError', 'exception.message': 'no answer in 30 s' },
  }
  describe.each(recorded)('error of a %s span', (_kind, attributes) => {
    const read = (parts: SpanParts): Step => readSpan(attributes, parts)

    it('has type and message of the exception event', () => {
      const step = read({ status: { code: 2, message: 'failed' }, events: [exception] })
      expect(step.status).toBe('error')
      expect(step.error).toEqual({ type: 'TimeoutError', message: 'no answer in 30 s' })
    })

    it('has the message of the status where there is no exception event', () => {
      expect(read({ status: { code: 2, message: 'failed' } }).error).toEqual({
        type: null,
        message: 'failed',
      })
    })

    it('has type and message of the attributes where status and events have none', () => {
      const step = read({
        status: { code: 2, message: '' },
        attributes: { 'error.type': '504', 'error.message': 'gateway' },
      })
      expect(step.error).toEqual({ type: '504', message: 'gateway' })
    })

    it('is none where an exception was recorded and handled', () => {
      expect(read({ status: { code: 0 }, events: [exception] })).toMatchObject({
        status: 'unset',
        error: null,
      })
      expect(read({ status: { code: 1 }, events: [exception] })).toMatchObject({ status: 'ok', error: null })
    })

    it('is none where our own processor raised the status', () => {
      const step = read({ status: { code: 2 }, attributes: { 'agent_reach.status.set': true } })
      expect(step).toMatchObject({ status: 'unset', error: null })
    })
  })
}

import { describe, expect, it } from 'vitest'
import type { Step } from '../../../src/steps/step.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { agent, model, reportOf, type ScriptSpan } from '../../chain/trace-script.ts'
import { readModel, readSpan, readTool } from '../read-span.ts'

interface ToolWriter {
  readonly name: string
  readonly tool: Attributes
  readonly args: string
  readonly result: string
}

const tools: readonly ToolWriter[] = [
  {
    name: 'Traceloop',
    tool: { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'forecast' },
    args: 'traceloop.entity.input',
    result: 'traceloop.entity.output',
  },
  {
    name: 'Langfuse',
    tool: { 'langfuse.observation.type': 'tool' },
    args: 'langfuse.observation.input',
    result: 'langfuse.observation.output',
  },
  {
    name: 'Mastra',
    tool: {
      'mastra.span.type': 'tool_call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'forecast',
    },
    args: 'gen_ai.tool.call.arguments',
    result: 'gen_ai.tool.call.result',
  },
  {
    name: 'Logfire',
    tool: {
      'logfire.span_type': 'span',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'forecast',
    },
    args: 'gen_ai.tool.call.arguments',
    result: 'gen_ai.tool.call.result',
  },
  {
    name: 'Laminar',
    tool: { 'lmnr.span.type': 'TOOL' },
    args: 'lmnr.span.input',
    result: 'lmnr.span.output',
  },
]

/** A run that asks for a forecast of Paris, in words of the conventions, and the tool in those of a dialect. */
function run({ tool }: ToolWriter, attributes: Attributes): readonly ScriptSpan[] {
  const asked = [{ id: 'c1', name: 'forecast', arguments: { city: 'Paris' } }]
  return [
    { id: 'a', at: 0, ms: 90, attributes: agent('support') },
    { id: 'm', parent: 'a', at: 1, ms: 5, attributes: model(asked) },
    { id: 't', name: 'forecast', parent: 'a', at: 10, ms: 5, attributes: { ...tool, ...attributes } },
  ]
}

const findingsOf = (script: readonly ScriptSpan[]): readonly string[] =>
  reportOf(script).findings.map(({ code }) => code)

describe.each(tools.map((writer) => [writer.name, writer] as const))('a tool of %s', (_name, writer) => {
  const read = (attributes: Attributes): Step =>
    readTool({ ...writer.tool, ...attributes }, { name: 'forecast' })
  const { args, result } = writer

  it('is the call that the model asked for, however deep its arguments are encoded', () => {
    for (const encoded of [
      '{"city":"Paris"}',
      '{ "city" : "Paris" }',
      JSON.stringify('{"city":"Paris"}'),
      { city: 'Paris' },
    ]) {
      const script = run(writer, { [args]: encoded, [result]: '{"rain":true}' })
      expect(findingsOf(script)).toEqual([])
      expect(reportOf(script)).toMatchObject({ tool_calls: 1, model_calls: 1 })
    }
  })

  it('that repeats itself is found to, however its arguments are encoded', () => {
    const encodings = [
      '{"city":"Paris"}',
      JSON.stringify('{"city":"Paris"}'),
      { city: 'Paris' },
      '{ "city" : "Paris" }',
      '{"city":"Paris"}',
    ]
    const script: readonly ScriptSpan[] = [
      { id: 'a', at: 0, ms: 900, attributes: agent('support') },
      ...encodings.map((input, index) => ({
        id: `t${index}`,
        name: 'forecast',
        parent: 'a',
        at: 10 + index * 10,
        ms: 5,
        attributes: { ...writer.tool, [args]: input, [result]: '{"rain":true}' },
      })),
    ]
    expect(findingsOf(script)).toContain('loop')
  })

  it('whose result was cut is told to be truncated, and nothing else is said of it', () => {
    expect(read({ [result]: '{"days":[1,' }).output).toMatchObject({ state: 'truncated', malformed: false })
    const codes = findingsOf(run(writer, { [args]: '{"city":"Paris"}', [result]: '{"days":[1,' }))
    expect(
      codes.filter((code) => ['malformed_json', 'schema_violation', 'empty_result'].includes(code)),
    ).toEqual([])
  })

  it.each(['__REDACTED__', '[REDACTED]', '***', '<redacted>'])(
    'whose content was redacted cannot be judged: %s',
    (text) => {
      const step = read({ [args]: text, [result]: text })
      expect(step.input.state).toBe('redacted')
      expect(step.output.state).toBe('redacted')
      expect(findingsOf(run(writer, { [args]: text, [result]: text }))).toEqual([])
    },
  )

  it('without content, as with capture off, is never an empty one', () => {
    expect(read({}).output).toMatchObject({ state: 'absent', key: null })
    expect(findingsOf(run(writer, {}))).toEqual([])
  })

  it('with an empty result is told to be empty', () => {
    expect(findingsOf(run(writer, { [args]: '{"city":"Paris"}', [result]: '[]' }))).toEqual(['empty_result'])
  })

  it('takes undefined and null that a processor wrote for what they are: nothing', () => {
    for (const nothing of [undefined, null]) {
      expect(read({ [args]: nothing, [result]: nothing })).toMatchObject({
        input: { state: 'absent' },
        output: { state: 'absent' },
      })
    }
  })
})

describe('JSON inside JSON', () => {
  it('of a tool that LangChain called under Traceloop', () => {
    const step = readTool({
      'gen_ai.operation.name': 'execute_tool',
      'traceloop.span.kind': 'task',
      'traceloop.entity.name': 'DynamicStructuredTool',
      'traceloop.entity.input': '{"args":["{\\"city\\":\\"Paris\\",\\"days\\":3}"]}',
      'traceloop.entity.output':
        '{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"status":"success","content":"{\\"rain\\":true}","tool_call_id":"call_9","name":"forecast"}}',
    })
    expect(step).toMatchObject({ toolName: 'forecast', nodeName: 'forecast', callId: 'call_9' })
    expect(step.input.value).toEqual({ city: 'Paris', days: 3 })
    expect(step.output.value).toEqual({ rain: true })
  })

  it('of finish reasons in Mastra, one reason in Laminar', () => {
    const mastra = { 'mastra.span.type': 'model_inference', 'gen_ai.operation.name': 'chat' }
    expect(
      readModel({ ...mastra, 'gen_ai.response.finish_reasons': '["tool-calls"]' }).finishReasons,
    ).toEqual(['tool_calls'])
    expect(
      readModel({ 'lmnr.span.type': 'LLM', 'gen_ai.response.finish_reason': 'tool-calls' }).finishReasons,
    ).toEqual(['tool_calls'])
  })
})

describe('one reason to stop in the spellings of all', () => {
  it.each(['tool-calls', 'tool_calls', 'tool_call', 'tool_use', 'function_call'])(
    'is tool_calls: %s',
    (reason) => {
      const spans: readonly Attributes[] = [
        { 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': [reason] },
        { 'mastra.span.type': 'model_inference', 'gen_ai.response.finish_reasons': JSON.stringify([reason]) },
        { 'lmnr.span.type': 'LLM', 'gen_ai.response.finish_reason': reason },
      ]
      for (const attributes of spans) expect(readModel(attributes).finishReasons).toEqual(['tool_calls'])
    },
  )

  it('keeps an answer of Mastra that only asked for tools from being called empty', () => {
    const answer = '[{"role":"assistant","parts":[{"type":"text","content":""}]}]'
    const inference = {
      'mastra.span.type': 'model_inference',
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': answer,
    }
    const codes = (reasons: string): readonly string[] =>
      findingsOf([
        { id: 'm', at: 0, attributes: { ...inference, 'gen_ai.response.finish_reasons': reasons } },
      ])
    expect(codes('["tool-calls"]')).toEqual([])
    expect(codes('["stop"]')).toEqual(['empty_result'])
  })
})

describe('a span that another processor has written on', () => {
  it('is the same tool before Traceloop has rewritten it and after', () => {
    const before = readTool({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'forecast',
      'ai.toolCall.id': 'c1',
      'ai.toolCall.args': '{"city":"Paris"}',
      'ai.toolCall.result': '{"rain":true}',
    })
    const after = readTool({
      'ai.operationId': 'ai.toolCall',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'forecast',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': '{"city":"Paris"}',
      'gen_ai.tool.call.result': '{"rain":true}',
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'forecast',
      'traceloop.entity.input': '{"city":"Paris"}',
      'traceloop.entity.output': '{"rain":true}',
    })
    for (const step of [before, after]) {
      expect(step).toMatchObject({ kind: 'tool', toolName: 'forecast', nodeName: 'forecast', callId: 'c1' })
      expect(step.input.identity).toBe('{"city":"Paris"}')
      expect(step.output.identity).toBe('{"rain":true}')
    }
  })

  it('is the same call of a model once OpenInference has copied it and set it OK', () => {
    const laminar = {
      'lmnr.span.type': 'LLM',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 100,
    }
    const copied = {
      ...laminar,
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'm-1',
      'llm.token_count.prompt': 100,
      'session.id': undefined,
      'output.value': undefined,
    }
    const before = readModel(laminar)
    const after = readModel(copied, { status: { code: 1 } })
    expect(after.requestModel).toBe(before.requestModel)
    expect(after.usage).toEqual(before.usage)
    expect(after.output.state).toBe('absent')
    expect(after.error).toBeNull()
  })

  it('is the same observation of Langfuse with what that propagates to it', () => {
    const step = readSpan({
      'langfuse.observation.type': 'tool',
      'langfuse.trace.name': 'the trace',
      'langfuse.trace.tags': ['a'],
      'session.id': 's-1',
      'user.id': 'u-1',
    })
    expect(step).toMatchObject({ kind: 'tool', nodeName: 'step', sessionId: 's-1', agentName: null })
  })
})

import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { reportOf } from '../../chain/trace-script.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, type NotRecorded, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readSpan } from '../read-span.ts'

const CHAT = { 'gen_ai.operation.name': 'chat', model_request_parameters: '{"function_tools":[]}' }
const TOOL = { 'gen_ai.tool.name': 'forecast', 'logfire.msg': 'running tool: forecast' }

/** The span of an agent's run: no operation, and the sum of what its calls use. */
const AGENT = { model_name: 'm-1', agent_name: 'support', 'logfire.msg': 'support run' }

function choice(message: object): Attributes {
  return {
    events: JSON.stringify([
      { 'event.name': 'gen_ai.user.message', role: 'user', content: 'Hi' },
      { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', ...message } },
    ]),
  }
}

const CONVENTION: NotRecorded = { notRecorded: 'as in the GenAI conventions, which calls are recorded by' }

const table: DialectTable = {
  name: 'Pydantic AI of 2025',
  dialect: 'pydantic-ai',
  kinds: [
    ['a run of an agent', AGENT, 'agent'],
    ['a run with the tokens of its calls', { ...AGENT, 'gen_ai.usage.input_tokens': 31 }, 'agent'],
    ['a call of a model', CHAT, 'model'],
    ['a call of a tool', TOOL, 'tool'],
    ['the step that runs tools', { tools: ['a', 'b'], 'logfire.msg': 'running 2 tools' }, 'workflow'],
    [
      'a call that names agent and model, of somebody else',
      { ...CHAT, agent_name: 'a', model_name: 'm' },
      'model',
    ],
    ['agent and model of somebody else', { agent_name: 'a', model_name: 'm' }, 'other'],
    ['tools of somebody else', { tools: ['a'] }, 'other'],
    ['a span of the program', { 'logfire.msg': 'GET /' }, 'other'],
  ],
  nodeName: [
    ['the agent name', AGENT, 'support'],
    ['the tool name', TOOL, 'forecast'],
  ],
  agentName: [
    ['agent_name', AGENT, 'support'],
    ['gen_ai.agent.name, before it', { ...AGENT, 'gen_ai.agent.name': 'desk' }, 'desk'],
  ],
  toolName: CONVENTION,
  callId: CONVENTION,
  session: CONVENTION,
  requestModel: CONVENTION,
  responseModel: CONVENTION,
  provider: CONVENTION,
  responseId: CONVENTION,
  finishReasons: CONVENTION,
  cost: { notRecorded: 'Logfire adds it' },
  firstTokenMs: { notRecorded: 'the instrumentation measures whole calls only' },
  model: CHAT,
  tool: TOOL,
  toolArguments: { write: (value) => ({ tool_arguments: value }), json: false },
  toolResult: { write: (value) => ({ tool_response: value }), json: false },
  answer: { write: (text) => choice({ content: text }), embedded: true },
  calls: [
    {
      name: 'the choice among the events',
      write: (calls) =>
        choice({
          tool_calls: calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }),
      embedded: true,
    },
  ],
  tools: [
    {
      name: 'model_request_parameters',
      write: (tools) => ({
        model_request_parameters: JSON.stringify({
          function_tools: tools.map(({ name, parameters }) => ({ name, parameters_json_schema: parameters })),
        }),
      }),
      hasOutputSchema: false,
    },
  ],
  tokens: {
    input: CONVENTION,
    output: CONVENTION,
    total: CONVENTION,
    cacheRead: CONVENTION,
    cacheWrite: CONVENTION,
    reasoning: CONVENTION,
  },
  usage: usageUnder(CHAT),
  aggregates: [['a run of an agent', usageUnder(AGENT)]],
  streamed: { notRecorded: 'the instrumentation measures whole calls only' },
}

testDialect(table)

describe('a run of Pydantic AI', () => {
  it('has its result as output and all its messages as input', () => {
    const step = readSpan({
      ...AGENT,
      final_result: 'Rain.',
      'pydantic_ai.all_messages': '[{"role":"user","parts":[]}]',
    })
    expect(step.output.value).toBe('Rain.')
    expect(step.input.value).toEqual([{ role: 'user', parts: [] }])
  })

  it('reports the sum of its calls, which counts once', () => {
    const counts = (input: number, output: number): Attributes => ({
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
    })
    const report = reportOf([
      { id: 'r', at: 0, ms: 90, attributes: { ...AGENT, ...counts(300, 30) } },
      { id: 'a', parent: 'r', at: 1, attributes: { ...CHAT, ...counts(100, 10) } },
      { id: 'b', parent: 'r', at: 9, attributes: { ...CHAT, ...counts(200, 20) } },
    ])
    expect([report.token_count, report.model_calls, report.agent_name]).toEqual([330, 2, 'support'])
  })

  it('has no answer among events that hold questions only', () => {
    const events = JSON.stringify([{ 'event.name': 'gen_ai.user.message', role: 'user', content: 'Hi' }])
    expect(readModel({ ...CHAT, events }).readOutput()).toMatchObject({ state: 'absent', text: null })
  })
})

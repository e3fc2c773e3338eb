import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../../src/steps/span-view.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import { type DialectTable, usageUnder } from '../../contracts/dialect-table.ts'
import { readModel, readTool } from '../read-span.ts'

const LLM = { 'gen_ai.operation.name': 'call_llm' }
const TOOL = { 'gen_ai.operation.name': 'execute_tool' }
const AGENT = { 'gen_ai.operation.name': 'invoke_agent', 'any_agent.version': '1.9.1' }

function output(value: unknown): Attributes {
  return { 'gen_ai.output': typeof value === 'string' ? value : JSON.stringify(value) }
}

const NOT_COUNTED = { notRecorded: 'any-agent counts input and output only' }

const table: DialectTable = {
  name: 'any-agent 1.9.1',
  dialect: 'any-agent',
  kinds: [
    ['call_llm', LLM, 'model'],
    ['execute_tool', TOOL, 'tool'],
    ['invoke_agent', AGENT, 'agent'],
    ['arguments alone', { 'gen_ai.tool.args': '{}' }, 'tool'],
    ['the version alone', { 'any_agent.version': '1.9.1' }, 'agent'],
    [
      'invoke_agent that names the model',
      { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'm-1' },
      'agent',
    ],
  ],
  nodeName: [
    ['the agent name', { ...AGENT, 'gen_ai.agent.name': 'any_agent' }, 'any_agent'],
    ['the tool name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast'],
    ['the span name of a model call', LLM, 'the span'],
  ],
  agentName: [['gen_ai.agent.name', { ...AGENT, 'gen_ai.agent.name': 'any_agent' }, 'any_agent']],
  toolName: [['gen_ai.tool.name', { ...TOOL, 'gen_ai.tool.name': 'forecast' }, 'forecast']],
  callId: [['gen_ai.tool.call.id', { ...TOOL, 'gen_ai.tool.call.id': 'LlAGPjfO0' }, 'LlAGPjfO0']],
  session: { notRecorded: 'a run of any-agent has no session' },
  requestModel: [['gen_ai.request.model', { ...LLM, 'gen_ai.request.model': 'm-1' }, 'm-1']],
  responseModel: { notRecorded: 'any-agent records the model that was asked for only' },
  provider: { notRecorded: 'the provider is only the beginning of the name of the model' },
  responseId: { notRecorded: 'any-agent records no id of an answer' },
  finishReasons: { notRecorded: 'any-agent records none' },
  cost: [['both sides', { ...LLM, 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.output_cost': 0.5 }, 0.75]],
  firstTokenMs: { notRecorded: 'any-agent measures whole calls only' },
  model: LLM,
  tool: TOOL,
  toolArguments: { write: (value) => ({ 'gen_ai.tool.args': value }), json: false },
  toolResult: { write: (value) => ({ 'gen_ai.output': value }), json: false },
  answer: { write: output, embedded: false },
  calls: [
    {
      name: 'a list of names and arguments',
      write: (calls) =>
        output(calls.map(({ id, name, args }) => ({ id, 'tool.name': name, 'tool.args': args }))),
      embedded: true,
    },
  ],
  tools: { notRecorded: 'any-agent records a description of the called tool only' },
  tokens: {
    input: ['gen_ai.usage.input_tokens'],
    output: ['gen_ai.usage.output_tokens'],
    total: NOT_COUNTED,
    cacheRead: NOT_COUNTED,
    cacheWrite: NOT_COUNTED,
    reasoning: NOT_COUNTED,
  },
  usage: usageUnder(LLM),
  aggregates: [['invoke_agent', usageUnder(AGENT)]],
  streamed: { notRecorded: 'any-agent measures whole calls only' },
}

testDialect(table)

describe('calls in any-agent', () => {
  it('have no ids in the answer, and may have one on the tool', () => {
    const answer = readModel({ ...LLM, ...output([{ 'tool.name': 'forecast', 'tool.args': '{}' }]) })
    expect(answer.readOutput().calls).toMatchObject([{ id: null, name: 'forecast', arguments: {} }])
    expect(readTool({ ...TOOL, 'gen_ai.tool.call.id': 'x1' }).callId).toBe('x1')
    expect(readTool(TOOL).callId).toBeNull()
  })

  it('have arguments that are a native map or its JSON text', () => {
    const written = [
      { 'tool.name': 'forecast', 'tool.args': { city: 'Paris' } },
      { 'tool.name': 'forecast', 'tool.args': '{"city":"Paris"}' },
    ]
    const { calls } = readModel({ ...LLM, ...output(written) }).readOutput()
    expect(calls.map((call) => call.arguments)).toEqual([{ city: 'Paris' }, { city: 'Paris' }])
  })
})

import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../src/steps/span-view.ts'
import {
  askedBy as listAsked,
  blames as listBlames,
  openaiAgents,
  openaiAgentsModel,
  openInference,
} from './link-script.ts'
import { agent, model, reportOf, type ScriptSpan, threw, tool } from './trace-script.ts'

const askedBy = (script: readonly ScriptSpan[]): readonly string[] => listAsked(reportOf(script), script)
const blames = (script: readonly ScriptSpan[]): readonly string[] => listBlames(reportOf(script), script)

const run: ScriptSpan = { id: 'run', at: 0, ms: 900, attributes: agent('lead') }
const asks = (id: string, at: number, ...names: readonly string[]): ScriptSpan => ({
  id,
  parent: 'run',
  at,
  attributes: model(names.map((name) => ({ name, arguments: {} }))),
})

describe('who asked for a tool', () => {
  it('is the model whose output names its call id, in whatever order the calls run', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 'm1', parent: 'run', at: 1, attributes: model([{ id: 'c1', name: 'q' }]) },
      { id: 'm2', parent: 'run', at: 5, attributes: model([{ id: 'c2', name: 'q' }]) },
      { id: 't2', parent: 'run', at: 10, attributes: tool('q', {}, 1, { 'gen_ai.tool.call.id': 'c2' }) },
      { id: 't1', parent: 'run', at: 20, attributes: tool('q', {}, 1, { 'gen_ai.tool.call.id': 'c1' }) },
    ]
    expect(askedBy(script)).toEqual(['t1 < m1', 't2 < m2'])
  })

  it('is the model that asked for these arguments, else for this name', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 'm1', parent: 'run', at: 1, attributes: model([{ name: 'q', arguments: { n: 1 } }]) },
      { id: 'm2', parent: 'run', at: 5, attributes: model([{ name: 'q', arguments: { n: 2 } }]) },
      { id: 't2', parent: 'run', at: 10, attributes: tool('q', { n: 2 }, 1) },
      { id: 't1', parent: 'run', at: 20, attributes: tool('q', undefined, 1) },
    ]
    expect(askedBy(script)).toEqual(['t1 < m1', 't2 < m2'])
  })

  it('is found in the spans of the AI SDK', () => {
    const operation = (id: string, more: Attributes = {}): Attributes => ({
      'ai.operationId': id,
      ...more,
    })
    const calls = JSON.stringify([{ toolCallId: 'c1', toolName: 'forecast', args: '{}' }])
    const script: readonly ScriptSpan[] = [
      { id: 'run', at: 0, ms: 90, attributes: operation('ai.generateText') },
      {
        id: 'm1',
        parent: 'run',
        at: 1,
        attributes: operation('ai.generateText.doGenerate', { 'ai.response.toolCalls': calls }),
      },
      {
        id: 't1',
        parent: 'run',
        at: 3,
        attributes: operation('ai.toolCall', { 'ai.toolCall.id': 'c1', 'ai.toolCall.name': 'forecast' }),
      },
      { id: 'm2', parent: 'run', at: 9, attributes: operation('ai.generateText.doGenerate') },
    ]
    expect(askedBy(script)).toEqual(['t1 < m1'])
  })

  it('is the model beside it that wrote code which calls it, in its own turn', () => {
    const turn = (n: number): readonly ScriptSpan[] => [
      {
        id: `s${n}`,
        name: `Step ${n}`,
        parent: 'run',
        at: 100 * n,
        ms: 50,
        attributes: openInference('CHAIN'),
      },
      { id: `m${n}`, parent: `s${n}`, at: 100 * n + 1, ms: 9, attributes: openInference('LLM') },
      {
        id: `a${n}`,
        parent: `s${n}`,
        at: 100 * n + 20,
        attributes: openInference('TOOL', { 'tool.name': 'q' }),
      },
      {
        id: `b${n}`,
        parent: `s${n}`,
        at: 100 * n + 30,
        attributes: openInference('TOOL', { 'tool.name': 'r' }),
      },
    ]
    const script: readonly ScriptSpan[] = [
      { ...run, attributes: openInference('AGENT') },
      ...turn(1),
      ...turn(2),
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 'a2 < m2', 'b1 < m1', 'b2 < m2'])
  })

  it('is the model inside the agent that spoke before it, in a conversation', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'team', at: 0, ms: 900, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: 'a1', parent: 'team', at: 10, ms: 10, attributes: agent('coder') },
      { id: 'm1', parent: 'a1', at: 11, attributes: model('print(1)') },
      { id: 't1', parent: 'team', at: 30, attributes: tool('terminal', undefined, '1') },
    ]
    expect(askedBy(script)).toEqual(['t1 < m1'])
  })

  it('is nobody where the only model starts later or is part of the tool', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 't1', parent: 'run', at: 5, ms: 5, attributes: tool('q', {}, 1) },
      { id: 'm1', parent: 't1', at: 5, attributes: model([{ name: 'q', arguments: {} }]) },
      asks('m2', 20, 'r'),
    ]
    expect(askedBy(script)).toEqual([])
  })
})

describe('who asked for a sub-agent', () => {
  it('is the model that asked for the tool that runs it: one call, though both bear its name', () => {
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'researcher'),
      { id: 't1', parent: 'run', at: 10, ms: 40, attributes: tool('researcher', undefined, 'found') },
      { id: 'a1', parent: 't1', at: 11, ms: 30, attributes: agent('researcher') },
      asks('m2', 60, 'researcher'),
      { id: 't2', parent: 'run', at: 70, ms: 40, attributes: tool('researcher', undefined, 'found') },
      { id: 'a2', parent: 't2', at: 71, ms: 30, attributes: agent('researcher') },
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 'a2 < m2', 't1 < m1', 't2 < m2'])
    expect(blames(script)).toEqual([])
  })

  it('is that where the tool has another name than the agent', () => {
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'ask_researcher'),
      { id: 't1', parent: 'run', at: 10, ms: 40, attributes: tool('ask_researcher', undefined, 'found') },
      { id: 'a1', parent: 't1', at: 11, ms: 30, attributes: agent('researcher') },
      { id: 'm2', parent: 'a1', at: 12, attributes: model('found') },
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 't1 < m1'])
    expect(blames(script)).toEqual([])
  })

  it('is that where the call names the agent inside and not its tool', () => {
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'researcher'),
      { id: 't1', parent: 'run', at: 10, ms: 40, attributes: tool('call_agent', undefined, 'found') },
      {
        id: 'flow',
        parent: 't1',
        at: 11,
        ms: 38,
        attributes: { 'gen_ai.operation.name': 'invoke_workflow' },
      },
      { id: 'a1', parent: 'flow', at: 12, ms: 30, attributes: agent('researcher') },
      asks('m2', 60, 'clock'),
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 't1 < m1'])
    expect(blames(script)).toEqual(['call_never_executed m2 < nobody'])
  })

  it('is blamed once where it fails: the tool fails by it, and it by the model that asked', () => {
    const failed = threw('TypeError', 'x is not a function')
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'ask_researcher'),
      { id: 't1', parent: 'run', at: 10, ms: 40, attributes: tool('ask_researcher', {}), ...failed },
      { id: 'a1', parent: 't1', at: 11, ms: 30, attributes: agent('researcher'), ...failed },
      { id: 'm2', parent: 'run', at: 60, attributes: model('sorry') },
    ]
    expect(blames(script)).toEqual(['exception a1 < m1', 'failed_below t1 < a1'])
    expect(reportOf(script).root_cause).toMatchObject({ node_name: 'researcher' })
  })

  it('is the last model beside it where it has no tool, whatever the model called it', () => {
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'ask_researcher', 'ask_writer'),
      { id: 'a1', parent: 'run', at: 10, ms: 30, attributes: agent('researcher') },
      { id: 'a2', parent: 'run', at: 10, ms: 30, attributes: agent('writer') },
      asks('m2', 60, 'clock'),
      { id: 't2', parent: 'run', at: 70, attributes: tool('clock', {}, 'noon') },
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 'a2 < m1', 't2 < m2'])
    expect(blames(script)).toEqual([])
  })

  it('leaves a call that was refused where more calls are open than agents ran', () => {
    const script: readonly ScriptSpan[] = [
      run,
      asks('m1', 1, 'ask_researcher', 'clock'),
      { id: 'a1', parent: 'run', at: 10, ms: 30, attributes: agent('researcher') },
      asks('m2', 60, 'map'),
      { id: 't2', parent: 'run', at: 70, attributes: tool('map', {}, 'here') },
    ]
    expect(askedBy(script)).toEqual(['a1 < m1', 't2 < m2'])
    expect(blames(script)).toEqual(['call_never_executed m1 < nobody', 'call_never_executed m1 < nobody'])
  })

  it('is nobody where agents run one after the other', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 'a1', parent: 'run', at: 10, ms: 10, attributes: agent('researcher') },
      { id: 'm1', parent: 'a1', at: 11, attributes: model('found') },
      { id: 'a2', parent: 'run', at: 30, ms: 10, attributes: agent('writer') },
      { id: 'm2', parent: 'a2', at: 31, attributes: model('written') },
    ]
    expect(askedBy(script)).toEqual([])
  })

  it('is nobody in a workflow, though a model ran before', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'flow', at: 0, ms: 90, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: 'm1', parent: 'flow', at: 1, attributes: model('hello') },
      { id: 'a1', parent: 'flow', at: 10, ms: 10, attributes: agent('writer') },
    ]
    expect(askedBy(script)).toEqual([])
  })
})

describe('who asked for a handoff', () => {
  const handoff = (called: string, recorded: string): readonly ScriptSpan[] => [
    { id: 'a1', at: 0, ms: 50, attributes: openaiAgents('agent', 'Triage') },
    { id: 'm1', parent: 'a1', at: 1, attributes: openaiAgentsModel('look_up', called) },
    { id: 't1', parent: 'a1', at: 5, attributes: openaiAgents('function', 'look_up') },
    { id: 'h1', name: recorded, parent: 'a1', at: 8, attributes: openaiAgents('handoff') },
    { id: 'a2', at: 60, ms: 30, attributes: openaiAgents('agent', 'Billing agent') },
    { id: 'm2', parent: 'a2', at: 61, attributes: openaiAgentsModel() },
  ]

  it.each([
    ['as the SDK names it', 'transfer_to_Billing_agent', 'transfer_to_Billing_agent'],
    [
      'as the Python SDK names it, in small letters',
      'transfer_to_billing_agent',
      'transfer_to_Billing_agent',
    ],
    ['by a name of its own', 'escalate', 'transfer_to_Billing_agent'],
    ['as OpenInference records it', 'transfer_to_billing_agent', 'handoff to Billing agent'],
  ])('is the model that called it %s, and the call ran', (_how, called, recorded) => {
    const script = handoff(called, recorded)
    expect(askedBy(script)).toEqual(['h1 < m1', 't1 < m1'])
    expect(blames(script)).toEqual([])
  })

  it('is the model that called it where only the agent is recorded that it leads to', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 'a1', parent: 'run', at: 1, ms: 50, attributes: agent('triage') },
      {
        id: 'm1',
        parent: 'a1',
        at: 2,
        attributes: model([{ name: 'transfer_to_billing_agent', arguments: {} }]),
      },
      { id: 'a2', parent: 'run', at: 60, ms: 30, attributes: agent('Billing Agent') },
      { id: 'm2', parent: 'a2', at: 61, attributes: model([{ name: 'clock', arguments: {} }]) },
      { id: 't2', parent: 'a2', at: 65, attributes: tool('clock', {}, 'noon') },
    ]
    expect(askedBy(script)).toEqual(['a2 < m1', 't2 < m2'])
    expect(blames(script)).toEqual([])
  })

  it('is not known where the agent stands elsewhere and the call has a name of its own', () => {
    const script: readonly ScriptSpan[] = [
      run,
      { id: 'a1', parent: 'run', at: 1, ms: 50, attributes: agent('triage') },
      { id: 'm1', parent: 'a1', at: 2, attributes: model([{ name: 'escalate', arguments: {} }]) },
      { id: 'a2', parent: 'run', at: 60, ms: 30, attributes: agent('Billing Agent') },
      { id: 'm2', parent: 'a2', at: 61, attributes: model([{ name: 'clock', arguments: {} }]) },
      { id: 't2', parent: 'a2', at: 65, attributes: tool('clock', {}, 'noon') },
    ]
    expect(askedBy(script)).toEqual(['t2 < m2'])
    expect(blames(script)).toEqual(['call_never_executed m1 < nobody'])
  })
})

describe('calls that only the outputs of models record', () => {
  it('are neither steps nor missing', () => {
    const script = [run, asks('m1', 1, 'q', 'q'), asks('m2', 10, 's'), asks('m3', 20, 'r')]
    const report = reportOf(script)
    expect(blames(script)).toEqual([])
    expect(askedBy(script)).toEqual([])
    expect(report).toMatchObject({ model_calls: 3, tool_calls: 0, overall_status: 'success' })
  })

  it('are a loop where they are asked for again and again', () => {
    const again = [run, asks('m1', 1, 'q'), asks('m2', 10, 'q'), asks('m3', 20, 'q')]
    expect(reportOf(again).alerts.map(({ type, kind, count }) => `${type} ${kind} ${count}`)).toEqual([
      'loop exact 3',
    ])
  })

  it('that a second instrumentation records once more are not missing', () => {
    const twin = { 'gen_ai.response.id': 'r1' }
    const outer: ScriptSpan = {
      id: 'm1',
      parent: 'run',
      at: 1,
      attributes: model([{ id: 'c1', name: 'q', arguments: {} }]),
    }
    const report = reportOf([
      run,
      { ...outer, ms: 8, attributes: { ...outer.attributes, ...twin } },
      { ...outer, id: 'm2', parent: 'm1', at: 2, attributes: { ...outer.attributes, ...twin } },
      { id: 't', parent: 'run', at: 12, attributes: tool('q', {}, 'done') },
    ])
    expect(report.findings).toEqual([])
  })
})

describe('tools that are recorded by their class', () => {
  it('are the calls that are left of the model before them, where there are as many', () => {
    const ask = model([{ name: 'forecast', arguments: { city: 'Oslo' } }])
    const ran: ScriptSpan = {
      id: 't',
      parent: 'run',
      at: 10,
      attributes: tool('DynamicTool', undefined, 'rain'),
    }
    const asked: ScriptSpan = { id: 'm', parent: 'run', at: 1, attributes: ask }
    expect(reportOf([run, asked, ran]).findings).toEqual([])
    const both = model([{ name: 'forecast' }, { name: 'wind' }])
    expect(reportOf([run, { ...asked, attributes: both }, ran]).findings.map(({ code }) => code)).toEqual([
      'call_never_executed',
      'call_never_executed',
    ])
    const other: ScriptSpan = { ...ran, attributes: tool('weather', undefined, 'rain') }
    expect(reportOf([run, asked, other]).findings.map(({ code }) => code)).toEqual(['call_never_executed'])
  })
})

import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../../../src/report/chain-report.ts'
import type { Attributes } from '../../../../src/steps/span-view.ts'
import {
  processorWith,
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
} from '../../../processors/record-run.ts'
import { readModel, readSpan, readTool } from '../../read-span.ts'
import { codesOf } from './recorded-tools.ts'

/** A run of AI SDK 5: a streamed answer that asks for two tools, of which one answers with an error. */
const run: Scripted = {
  name: 'ai.streamText',
  attributes: {
    'ai.operationId': 'ai.streamText',
    'ai.telemetry.functionId': 'support',
    'ai.telemetry.metadata.sessionId': 's-1',
    'ai.usage.inputTokens': 100,
    'ai.usage.outputTokens': 10,
  },
  below: [
    {
      name: 'ai.streamText.doStream',
      attributes: {
        'ai.operationId': 'ai.streamText.doStream',
        'ai.model.id': 'gpt-4o',
        'ai.response.msToFirstChunk': 250,
        'ai.response.toolCalls': JSON.stringify([
          { toolCallId: 'c1', toolName: 'forecast', input: '{"city":"Paris"}' },
          { toolCallId: 'c2', toolName: 'order_query', input: '{"id":7}' },
        ]),
        'ai.usage.inputTokens': 100,
        'ai.usage.outputTokens': 10,
      },
      atEnd: (span) => void span.addEvent('ai.stream.firstChunk').addEvent('ai.stream.finish'),
    },
    aiTool('c1', 'forecast', '{"city":"Paris"}', '{"rain":true}'),
    aiTool('c2', 'order_query', '{"id":7}', '{"error":"no such order"}'),
  ],
}

function aiTool(id: string, name: string, args: string, result: string): Scripted {
  return {
    name: 'ai.toolCall',
    attributes: {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.id': id,
      'ai.toolCall.name': name,
      'ai.toolCall.args': args,
      'ai.toolCall.result': result,
    },
  }
}

/** A span as processors that write on it after its end see it. */
interface OpenSpan {
  name: string
  status: { code: number }
  attributes: Record<string, unknown>
  events: { name: string }[]
}

const opened = (span: ReadableSpan): OpenSpan => span

function onEachEnd(change: (span: OpenSpan) => void): SpanProcessor {
  return processorWith({ onEnd: (span) => change(opened(span)) })
}

/** As openinference-vercel: writes its keys, some `undefined`, sets OK, drops events of the stream and renames. */
const openinferenceVercel = (): SpanProcessor =>
  onEachEnd((span) => {
    const { attributes } = span
    const operation = String(attributes['ai.operationId'])
    const isTool = operation === 'ai.toolCall'
    Object.assign(attributes, {
      'openinference.span.kind': isTool ? 'TOOL' : operation.includes('.do') ? 'LLM' : 'AGENT',
      'input.value': isTool ? JSON.stringify(attributes['ai.toolCall.args']) : undefined,
      'output.value': attributes['ai.toolCall.result'],
      'llm.token_count.prompt': attributes['ai.usage.inputTokens'],
      'llm.token_count.completion': attributes['ai.usage.outputTokens'],
      'session.id': undefined,
    })
    span.status = { code: 1 }
    span.events = span.events.filter(({ name }) => !name.startsWith('ai.stream.'))
    span.name = operation
  })

/** As the processor of Traceloop: renames at the start, and moves keys of the AI SDK to its own at the end. */
const traceloop = (): SpanProcessor =>
  processorWith({
    onStart: (span) => {
      const operation = span.attributes['ai.operationId']
      if (operation === 'ai.streamText') span.updateName('support.agent')
      if (operation === 'ai.streamText.doStream') span.updateName('chat gpt-4o')
      if (operation === 'ai.toolCall') span.updateName(`${String(span.attributes['ai.toolCall.name'])}.tool`)
    },
    onEnd: (span) => {
      const { attributes } = opened(span)
      for (const [from, to] of TRACELOOP_NAMES) {
        if (attributes[from] === undefined) continue
        attributes[to] = attributes[from]
        delete attributes[from]
      }
      const tool = attributes['gen_ai.tool.name']
      Object.assign(
        attributes,
        tool === undefined ? {} : { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': tool },
      )
    },
  })

const TRACELOOP_NAMES = [
  ['ai.model.id', 'gen_ai.request.model'],
  ['ai.usage.inputTokens', 'gen_ai.usage.input_tokens'],
  ['ai.usage.outputTokens', 'gen_ai.usage.output_tokens'],
  ['ai.toolCall.id', 'gen_ai.tool.call.id'],
  ['ai.toolCall.name', 'gen_ai.tool.name'],
  ['ai.toolCall.args', 'gen_ai.tool.call.arguments'],
  ['ai.toolCall.result', 'gen_ai.tool.call.result'],
] as const

/** As the processor of Langfuse: masks what was said, some time after the end. */
const langfuse = (): SpanProcessor =>
  onEachEnd(({ attributes }) => {
    setTimeout(() => {
      for (const key of ['ai.toolCall.args', 'ai.toolCall.result', 'ai.response.toolCalls']) {
        if (attributes[key] !== undefined) attributes[key] = '<masked>'
      }
    }, 1)
  })

/** As the exporter of LangSmith: takes the metadata off every span. */
const langsmith = (): SpanProcessor =>
  onEachEnd(({ attributes }) => {
    for (const key of Object.keys(attributes)) {
      if (key.startsWith('ai.telemetry.metadata.')) delete attributes[key]
    }
  })

/** As the processor of Braintrust: writes where a span belongs on every one. */
const braintrust = (): SpanProcessor =>
  processorWith({ onStart: (span) => void span.setAttribute('braintrust.parent', 'project_name:demo') })

const neighbours = [
  ['OpenInference for the AI SDK', openinferenceVercel],
  ['Traceloop', traceloop],
  ['Langfuse', langfuse],
  ['LangSmith', langsmith],
  ['Braintrust', braintrust],
] as const

/** What the run is, whoever else writes on its spans: `order_query` failed, 110 tokens, one call of a model. */
const TRUTH = {
  overall_status: 'partial_failed',
  completeness: 'complete',
  span_count: 4,
  step_count: 4,
  token_count: 110,
  model_calls: 1,
  tool_calls: 2,
  usage_check: { consistent: true },
}

function expectTruth(report: ChainReport | undefined): void {
  expect(report).toMatchObject(TRUTH)
  if (report === undefined) return
  expect(report.findings.map(({ code, node_name: node }) => `${node} ${code}`)).toEqual([
    'order_query error_in_result',
  ])
  expect(report.nodes.map(({ node_name: node, kind, status }) => [kind, node, status])).toEqual(
    expect.arrayContaining([
      ['tool', 'forecast', 'reached'],
      ['tool', 'order_query', 'reached_invalid'],
    ]),
  )
}

async function record(parts: Parameters<typeof startRecording>[0]): Promise<Recorder> {
  const recorder = startRecording(parts)
  recorder.run(run)
  await recorder.processor.forceFlush()
  expect(recorder.reports).toHaveLength(1)
  return recorder
}

describe('trap 4: other processors change spans under our hands', () => {
  it('the run without any of them', async () => {
    const { reports, spans } = await record({})
    expectTruth(reports[0])
    expectTruth(readBack(spans)[0])
  })

  it.each(neighbours)('%s behind ours changes nothing of the report', async (_name, create) => {
    const { reports } = await record({ after: [create()] })
    expectTruth(reports[0])
    expect(reports[0]?.session_id).toBe('s-1')
  })

  it.each(neighbours)('%s before ours changes nothing of the report', async (_name, create) => {
    const { reports } = await record({ before: [create()] })
    expectTruth(reports[0])
    expect(reports[0]?.session_id).toBe('s-1')
  })

  it.each(neighbours)('%s before ours, in an SDK that tells of ends only', async (_name, create) => {
    const { reports } = await record({
      before: [create()],
      wrap: (ours) =>
        processorWith({
          onStart: (span, context) => ours.onStart(span, context),
          onEnd: (span) => ours.onEnd(span),
          forceFlush: () => ours.forceFlush(),
          shutdown: () => ours.shutdown(),
        }),
    })
    expectTruth(reports[0])
  })

  it.each(neighbours)('%s leaves spans that are read back alike', async (_name, create) => {
    const { spans } = await record({ after: [create()] })
    expectTruth(readBack(spans)[0])
  })

  it('masks that come after the end are not what was judged: what was asked for had run', async () => {
    const { reports, spans } = await record({ after: [langfuse()] })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(spans.some(({ attributes }) => attributes['ai.toolCall.result'] === '<masked>')).toBe(true)
    expectTruth(reports[0])
    const [read] = readBack(spans)
    expect(read).toMatchObject({ token_count: 110, tool_calls: 2, model_calls: 1 })
    // Nothing can be judged any more but what our processor has written on the spans.
    expect(codesOf(read as ChainReport)).not.toContain('call_never_executed')
  })

  it('a tool is the same before Traceloop has rewritten it and after', () => {
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

  it('a call of a model is the same once OpenInference has copied it and set it OK', () => {
    const laminar: Attributes = {
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
    expect(after).toMatchObject({ sessionId: null, error: null })
    expect(after.output.state).toBe('absent')
  })

  it('an observation of Langfuse is the same with what that propagates to it', () => {
    const step = readSpan({
      'langfuse.observation.type': 'tool',
      'langfuse.trace.name': 'the trace',
      'langfuse.trace.tags': ['a'],
      'session.id': 's-1',
      'user.id': 'u-1',
    })
    expect(step).toMatchObject({ kind: 'tool', nodeName: 'step', sessionId: 's-1', agentName: null })
  })

  it('what Braintrust writes on every span makes no step of a request', () => {
    expect(readSpan({ 'braintrust.parent': 'project_name:demo', 'http.request.method': 'GET' }).kind).toBe(
      'other',
    )
  })
})

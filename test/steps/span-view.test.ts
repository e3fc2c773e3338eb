import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type TracerConfig,
} from '@opentelemetry/sdk-trace-node'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { readStep } from '../../src/steps/read-step.ts'
import { type HrTime, type SpanView, toNanoseconds } from '../../src/steps/span-view.ts'
import { createSpan } from './span.ts'

interface Provider {
  getTracer: BasicTracerProvider['getTracer']
}

const providers: readonly (readonly [string, (config: TracerConfig) => Provider])[] = [
  ['BasicTracerProvider', (config) => new BasicTracerProvider(config)],
  ['NodeTracerProvider', (config) => new NodeTracerProvider(config)],
]

/** Records a run of an agent with a tool that throws: the spans in the order in which they ended. */
function record(
  create: (config: TracerConfig) => Provider,
  limits: TracerConfig['spanLimits'] = {},
): ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = create({ spanProcessors: [new SimpleSpanProcessor(exporter)], spanLimits: limits })
  const tracer = provider.getTracer('support', '1.2.3')
  const root = tracer.startSpan('invoke_agent support', {
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' },
  })
  const tool = tracer.startSpan(
    'execute_tool forecast',
    { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'forecast' } },
    trace.setSpan(ROOT_CONTEXT, root),
  )
  tool.setAttribute('gen_ai.tool.call.arguments', '{"city":"Paris"}')
  tool.recordException(new RangeError('no such city'))
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'tool failed' })
  tool.end()
  root.setStatus({ code: SpanStatusCode.OK })
  root.end()
  return exporter.getFinishedSpans()
}

describe('SpanView', () => {
  it('is what a span of the SDK is, as it stands', () => {
    expectTypeOf<ReadableSpan>().toExtend<SpanView>()
  })

  it('is what a span of SDK 1.x was', () => {
    expectTypeOf<SdkOneSpan>().toExtend<SpanView>()
  })

  it('is what the builder of these tests makes', () => {
    expectTypeOf(createSpan).returns.toEqualTypeOf<SpanView>()
  })
})

describe.each(providers)('spans of %s', (_name, create) => {
  it('are read with their ids, parents, kinds and names', () => {
    const [tool, root] = record(create).map((span) => readStep(span))
    expect(tool).toMatchObject({ kind: 'tool', nodeName: 'forecast', spanName: 'execute_tool forecast' })
    expect(root).toMatchObject({
      kind: 'agent',
      nodeName: 'support',
      parentSpanId: null,
      remoteParent: false,
    })
    expect(tool?.traceId).toMatch(/^[0-9a-f]{32}$/u)
    expect(tool?.traceId).toBe(root?.traceId)
    expect(tool?.parentSpanId).toBe(root?.spanId)
  })

  it('are read with status, exception and content', () => {
    const [tool, root] = record(create).map((span) => readStep(span))
    expect(root).toMatchObject({ status: 'ok', error: null })
    expect(tool).toMatchObject({ status: 'error', error: { type: 'RangeError', message: 'no such city' } })
    expect(tool?.input.value).toEqual({ city: 'Paris' })
    expect(tool?.output.state).toBe('absent')
  })

  it('are read with times to the nanosecond', () => {
    for (const span of record(create)) {
      const step = readStep(span)
      expect(step.startNs).toBe(BigInt(span.startTime[0]) * 1_000_000_000n + BigInt(span.startTime[1]))
      expect(step.endNs).toBeGreaterThanOrEqual(step.startNs)
    }
  })

  it('tell of attributes that a limit dropped, and of values that it cut', () => {
    const [tool] = record(create, { attributeCountLimit: 2 }).map((span) => readStep(span))
    expect(tool).toMatchObject({ attributeCount: 2, droppedAttributes: 1 })
    expect(tool?.input.state).toBe('dropped')
    const [cut] = record(create, { attributeValueLengthLimit: 14 }).map((span) => readStep(span))
    expect(cut?.input.state).toBe('truncated')
  })

  it('may have a parent in another process', () => {
    const exporter = new InMemorySpanExporter()
    const tracer = create({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('support')
    const remote = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
    }
    tracer.startSpan('work', {}, trace.setSpanContext(ROOT_CONTEXT, remote)).end()
    const [span] = exporter.getFinishedSpans()
    const step = readStep(span as ReadableSpan)
    expect(step).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), remoteParent: true })
  })
})

/** The part of the shape of `ReadableSpan` in SDK 1.30 that matters, and its parent. */
interface SdkOneSpan {
  readonly name: string
  readonly kind: number
  readonly spanContext: () => { traceId: string; spanId: string; traceFlags: number }
  readonly parentSpanId?: string
  readonly startTime: [number, number]
  readonly endTime: [number, number]
  readonly status: { code: number; message?: string }
  readonly attributes: Record<string, string | number | boolean | string[] | undefined>
  readonly links: readonly unknown[]
  readonly events: { name: string; time: [number, number]; attributes?: Record<string, string> }[]
  readonly duration: [number, number]
  readonly ended: boolean
  readonly resource: { attributes: Record<string, string>; asyncAttributesPending?: boolean }
  readonly instrumentationLibrary: { name: string; version?: string }
  readonly droppedAttributesCount: number
}

function sdkOneSpan(parts: Partial<SdkOneSpan>): SdkOneSpan {
  return {
    name: 'ai.toolCall',
    kind: 0,
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
    startTime: [1_764_460_800, 1],
    endTime: [1_764_460_801, 2],
    status: { code: 0 },
    attributes: { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'forecast' },
    links: [],
    events: [],
    duration: [1, 1],
    ended: true,
    resource: { attributes: { 'service.name': 'support' } },
    instrumentationLibrary: { name: 'ai' },
    droppedAttributesCount: 0,
    ...parts,
  }
}

describe('spans of SDK 1.x', () => {
  it('are read with the parent that their own field names', () => {
    const step = readStep(sdkOneSpan({ parentSpanId: '3'.repeat(16) }))
    expect(step).toMatchObject({
      kind: 'tool',
      nodeName: 'forecast',
      parentSpanId: '3'.repeat(16),
      remoteParent: false,
      startNs: 1_764_460_800_000_000_001n,
      endNs: 1_764_460_801_000_000_002n,
    })
  })

  it.each([{}, { parentSpanId: '' }])('are roots without a parent: %j', (parts) => {
    expect(readStep(sdkOneSpan(parts)).parentSpanId).toBeNull()
  })
})

describe('toNanoseconds', () => {
  it.each<[time: HrTime, nanoseconds: bigint]>([
    [[0, 0], 0n],
    [[1_764_460_800, 123_456_789], 1_764_460_800_123_456_789n],
    [[1, 999_999_999], 1_999_999_999n],
    [[1, 1_000_000_000], 2_000_000_000n],
    [[1.9, 0.9], 1_000_000_000n],
    [[Number.NaN, 5], 5n],
    [[5, Number.NaN], 5_000_000_000n],
    [[Infinity, -Infinity], 0n],
    [[-1, 0], 0n],
    [[-1, 1_500_000_000], 500_000_000n],
    [[18_446_744_073, 709_551_615], 18_446_744_073_709_551_615n],
    [[18_446_744_073, 709_551_616], 18_446_744_073_709_551_615n],
    [[Number.MAX_VALUE, 0], 18_446_744_073_709_551_615n],
  ])('of %j is %d', (time, nanoseconds) => {
    expect(toNanoseconds(time)).toBe(nanoseconds)
  })
})

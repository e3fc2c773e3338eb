import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it } from 'vitest'
import { findTracker } from '../../src/pipeline/process-hub.ts'
import { agent, tool } from '../chain/trace-script.ts'
import {
  badRun,
  goodRun,
  processorWith,
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
  toApiAttributes,
} from './record-run.ts'

const filling = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`filling.${n}`, n]))

const bad = (more: object = {}): Scripted => ({
  name: 'bad',
  attributes: { ...tool('bad', { id: 'A' }, { error: 'down' }), ...more },
})

/** Every reader of the spans must say what our report says. */
async function expectEqualReports(recorder: Recorder): Promise<void> {
  await recorder.processor.forceFlush()
  const digests = recorder.reports.map(({ digest }) => digest)
  const read = readBack(recorder.spans).filter(({ step_count: steps }) => steps > 0)
  expect(read.map(({ digest }) => digest)).toEqual(digests)
  expect(recorder.processor.swallowedErrors).toBe(0)
}

const marked = {
  'agent_reach.node.status': 'reached_invalid',
  'agent_reach.node.findings': ['error_in_result'],
}

describe('a span that is full', () => {
  it('of attributes gets its marks, and no more are counted as dropped', async () => {
    const recorder = startRecording()
    recorder.run({ ...goodRun, below: [bad(filling(200))] })
    const { attributes, droppedAttributesCount } = recorder.span('bad')
    expect(droppedAttributesCount).toBe(4 + 200 - 128)
    expect(attributes).toMatchObject({ ...marked, 'filling.123': 123 })
    expect(attributes['agent_reach.step.sequence']).toEqual(expect.any(Number))
    await expectEqualReports(recorder)
  })

  it('of attributes of which others were deleted gets them, too', () => {
    const hide = processorWith({
      onEnding: ({ attributes }) => {
        for (let n = 0; n < 100; n++) delete attributes[`filling.${n}`]
      },
    })
    const recorder = startRecording({ before: [hide] })
    recorder.run({ ...goodRun, below: [bad(filling(124))] })
    expect(recorder.span('bad')).toMatchObject({ droppedAttributesCount: 0, attributes: marked })
  })

  it('of events keeps all of them beside ours', () => {
    const recorder = startRecording({ options: { evaluationEvents: true } })
    const atEnd: Scripted['atEnd'] = (span) => {
      for (let n = 0; n < 128; n++) span.addEvent(`event ${n}`)
    }
    recorder.run({ ...goodRun, below: [{ ...bad(), atEnd }] })
    const { events, droppedEventsCount } = recorder.span('bad')
    expect(events.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 128 }, (_, n) => `event ${n}`),
      'gen_ai.evaluation.result',
    ])
    expect(droppedEventsCount).toBe(0)
  })

  it('whose values are cut is judged by what is left, as by every reader', async () => {
    const recorder = startRecording({ spanLimits: { attributeValueLengthLimit: 64 } })
    const rows = Array.from({ length: 20 }, (_, n) => ({ n, status: 'shipped' }))
    recorder.run({ ...goodRun, below: [bad(), { name: 'cut', attributes: tool('cut', {}, { rows }) }] })
    expect(recorder.span('bad').attributes).toMatchObject(marked)
    expect(recorder.span('cut').attributes).toMatchObject({
      'agent_reach.node.status': 'reached',
      'agent_reach.node.evidence': 'partial',
    })
    await expectEqualReports(recorder)
  })

  it('by narrow limits of its own gets its marks', async () => {
    const recorder = startRecording({ spanLimits: { attributeCountLimit: 4, eventCountLimit: 1 } })
    recorder.run({ ...goodRun, below: [bad({ more: 1, and: 2 })] })
    expect(recorder.span('bad')).toMatchObject({ droppedAttributesCount: 2, attributes: marked })
    await expectEqualReports(recorder)
  })
})

describe('a span that ends in an odd way', () => {
  it('twice is judged once', async () => {
    const recorder = startRecording()
    recorder.run({ ...goodRun, below: [{ ...bad(), atEnd: (span) => span.end() }] })
    expect(recorder.findings).toHaveLength(1)
    await expectEqualReports(recorder)
  })

  it('before its start, as the clock was set back, is judged', async () => {
    const recorder = startRecording()
    const attributes = toApiAttributes(bad().attributes)
    recorder.tracer
      .startSpan('bad', { attributes, startTime: Date.now() }, ROOT_CONTEXT)
      .end(Date.now() - 60_000)
    expect(recorder.span('bad').attributes).toMatchObject(marked)
    await expectEqualReports(recorder)
  })

  it('within a hook that ends it itself is judged once', async () => {
    let open: { end(): void } | null = null
    const recorder: Recorder = startRecording({ options: { onFinding: () => open?.end() } })
    recorder.run({ ...goodRun, below: [{ ...bad(), atEnd: (span) => void (open = span) }] })
    expect(recorder.spans.filter(({ name }) => name === 'bad').length).toBeGreaterThan(0)
    await recorder.processor.forceFlush()
    expect(recorder.reports).toMatchObject([{ step_count: 2 }])
  })

  it('within the end of another one leaves both judged once, and none counted as late', async () => {
    let other: { end(): void } | null = null
    const nest = processorWith({ onEnding: ({ name }) => (name === 'plain' ? other?.end() : undefined) })
    const recorder = startRecording({ after: [nest] })
    const plain = recorder.tracer.startSpan('plain')
    other = recorder.tracer.startSpan('bad', { attributes: toApiAttributes(bad().attributes) })
    plain.end()
    expect(recorder.findings).toHaveLength(1)
    expect(recorder.spans.map(({ name }) => name)).toEqual(['bad', 'plain'])
    expect(findTracker()?.counts.lateSpans).toBe(0)
    await expectEqualReports(recorder)
  })
})

describe('an SDK that hands spans over in another way', () => {
  const handOn = (processor: SpanProcessor, parts: Partial<SpanProcessor>): SpanProcessor =>
    processorWith({
      onStart: (span, context) => processor.onStart(span, context),
      onEnd: (span) => processor.onEnd(span),
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
      ...parts,
    })

  it('without onEnding gets the marks to exporters all the same', async () => {
    const recorder = startRecording({ wrap: (processor) => handOn(processor, {}) })
    recorder.run({ ...goodRun, below: [bad()] })
    expect(recorder.span('bad')).toMatchObject({ attributes: marked, status: { code: 2 } })
    expect(recorder.span('run').attributes['agent_reach.chain.status']).toBe('partial_failed')
    await expectEqualReports(recorder)
  })

  it('in a proxy of each call gets the marks to exporters', async () => {
    const proxy = <T extends object>(span: T): T =>
      new Proxy(span, {
        get: (target, key) => {
          const value = Reflect.get(target, key, target) as unknown
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
    const recorder = startRecording({
      wrap: (processor) =>
        handOn(processor, {
          onStart: (span, context) => processor.onStart(proxy(span), context),
          onEnding: (span) => processor.onEnding?.(proxy(span)),
          onEnd: (span) => processor.onEnd(proxy(span)),
        }),
    })
    recorder.run({ ...goodRun, below: [bad()] })
    expect(recorder.span('bad').attributes).toMatchObject(marked)
    expect(recorder.findings).toHaveLength(1)
    await expectEqualReports(recorder)
  })

  it('after others have changed it is judged as it is then', async () => {
    const redact = processorWith({
      onEnding: (span) => {
        if (span.name === 'order_query') span.setAttribute('gen_ai.tool.call.result', '{"status":"shipped"}')
      },
    })
    const recorder = startRecording({ before: [redact] })
    recorder.run(badRun)
    expect(recorder.span('order_query').attributes['agent_reach.node.status']).toBe('reached')
    await expectEqualReports(recorder)
  })

  it('with a parent that is in another process says so', async () => {
    const recorder = startRecording()
    const remote = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
      isRemote: true,
    }
    recorder.run(goodRun, trace.setSpanContext(ROOT_CONTEXT, remote))
    await recorder.processor.forceFlush()
    expect(recorder.reports).toMatchObject([
      { completeness: 'partial', completeness_reason: 'remote_parent' },
    ])
    await expectEqualReports(recorder)
  })

  it('that becomes a step of an agent only before its end is judged as one', async () => {
    const recorder = startRecording()
    const span = recorder.tracer.startSpan('run')
    recorder.run(bad(), trace.setSpan(ROOT_CONTEXT, span))
    span.setAttributes(toApiAttributes(agent('late')))
    span.end()
    expect((await recorder.oneReport()).agent_name).toBe('late')
    await expectEqualReports(recorder)
  })
})

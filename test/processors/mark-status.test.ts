import { SpanStatusCode } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import type { AgentReachProcessorOptions } from '../../src/processors/processor-options.ts'
import { readStep } from '../../src/steps/read-step.ts'
import { agent, tool } from '../chain/trace-script.ts'
import {
  type ApiSpan,
  badRun,
  goodRun,
  readBack,
  type Recorder,
  type Scripted,
  startRecording,
} from './record-run.ts'

const { UNSET, OK, ERROR } = SpanStatusCode

const bad = (more: Partial<Scripted> = {}, attributes: object = {}): Scripted => ({
  name: 'bad',
  ...more,
  attributes: { ...tool('bad', { id: 'A' }, { error: 'down' }), ...attributes },
})

/** Records a root with the given steps below it. */
function record(steps: readonly Scripted[], options: AgentReachProcessorOptions = {}): Recorder {
  const recorder = startRecording({ options })
  recorder.run({ ...goodRun, below: steps })
  return recorder
}

const isRaised = (recorder: Recorder, name: string): unknown =>
  recorder.span(name).attributes['agent_reach.status.set']

describe('the status of a step is raised to ERROR', () => {
  it('where it is invalid and nobody set one, and says why and by whom', () => {
    const recorder = record([bad()])
    const { status, attributes } = recorder.span('bad')
    expect(status).toEqual({ code: ERROR, message: attributes['agent_reach.node.reason'] })
    expect(status.message).not.toBe('')
    expect(isRaised(recorder, 'bad')).toBe(true)
  })

  it('where it threw and set no status', () => {
    const recorder = record([
      { ...bad(), atEnd: (span: ApiSpan) => span.recordException(new Error('broken')) },
    ])
    expect(recorder.span('bad').status.code).toBe(ERROR)
    expect(isRaised(recorder, 'bad')).toBe(true)
  })

  it('where it took longer than its limit', () => {
    const rules = { version: 1, nodes: { slow: { timeout: '1ms' } } } as const
    const recorder = startRecording({ options: { rules } })
    recorder.run({
      ...goodRun,
      below: [
        {
          name: 'slow',
          attributes: tool('slow', {}, { ok: true }),
          atEnd: () => {
            const end = performance.now() + 5
            while (performance.now() < end);
          },
        },
      ],
    })
    expect(recorder.span('slow').attributes['agent_reach.node.status']).toBe('timed_out')
    expect(isRaised(recorder, 'slow')).toBe(true)
  })

  it('and is read as unset by every reader', async () => {
    const recorder = startRecording()
    recorder.run(badRun)
    expect(readStep(recorder.span('order_query'))).toMatchObject({ status: 'unset', error: null })
    const report = await recorder.oneReport()
    expect(readBack(recorder.spans)[0]?.digest).toBe(report.digest)
  })
})

describe('the status of a step is left as it is', () => {
  it.each<[string, Partial<Scripted>, object, { code: number; message?: string }]>([
    ['where somebody set OK', { atEnd: (span) => span.setStatus({ code: OK }) }, {}, { code: OK }],
    [
      'where somebody set ERROR',
      { atEnd: (span) => span.setStatus({ code: ERROR, message: 'theirs' }) },
      {},
      { code: ERROR, message: 'theirs' },
    ],
    ['on an HTTP span', {}, { 'http.request.method': 'GET' }, { code: UNSET }],
    ['on an older HTTP span', {}, { 'http.method': 'GET' }, { code: UNSET }],
    ['on a database span', {}, { 'db.system.name': 'postgresql' }, { code: UNSET }],
    ['on an older database span', {}, { 'db.system': 'redis' }, { code: UNSET }],
  ])('%s', (_, more, attributes, status) => {
    const recorder = record([bad(more, attributes)])
    expect(recorder.span('bad').status).toEqual(status)
    expect(isRaised(recorder, 'bad')).toBe(undefined)
    expect(recorder.span('bad').attributes['agent_reach.node.status']).not.toBe('reached')
  })

  it('where it has a message already', () => {
    const recorder = record([
      bad({ atEnd: (span) => Object.assign(span, { status: { code: UNSET, message: 'theirs' } }) }),
    ])
    expect(recorder.span('bad').status).toEqual({ code: UNSET, message: 'theirs' })
  })

  it('on a root, however it ends', () => {
    const recorder = startRecording()
    recorder.run({ name: 'run', attributes: agent('support', { 'gen_ai.output.messages': '[]' }) })
    recorder.run(bad({ name: 'alone' }))
    expect(recorder.spans.map(({ status }) => status)).toEqual([{ code: UNSET }, { code: UNSET }])
    expect(recorder.span('alone').attributes['agent_reach.node.status']).toBe('reached_invalid')
  })

  it('on a step that is reached or that was skipped', () => {
    const skipped = { 'agent_reach.node.skipped_reason': 'no order' }
    const recorder = record([
      { name: 'good', attributes: tool('good', {}, { ok: true }) },
      bad({ name: 'skipped' }, skipped),
    ])
    expect(recorder.spans.map(({ status }) => status.code)).toEqual([UNSET, UNSET, UNSET])
    expect(recorder.span('skipped').attributes['agent_reach.node.status']).toBe('skipped')
  })

  it('everywhere where it is never to be marked', () => {
    const recorder = record([bad()], { markStatus: 'never' })
    expect(recorder.span('bad').status).toEqual({ code: UNSET })
    expect(recorder.span('bad').attributes['agent_reach.node.status']).toBe('reached_invalid')
    expect(isRaised(recorder, 'bad')).toBe(undefined)
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReportStep } from '../../src/report/chain-report.ts'
import type { SpanView } from '../../src/steps/span-view.ts'
import { arbitraryTrace } from '../pipeline/arbitrary-trace.ts'
import { openInference, readBy as listRead } from './link-script.ts'
import { agent, model, reportOf, reportsOf, type ScriptSpan, tool, toSpans } from './trace-script.ts'

const readBy = (script: readonly ScriptSpan[]): readonly string[] => listRead(reportOf(script), script)

const run: ScriptSpan = { id: 'run', at: 0, ms: 900, attributes: agent('lead') }
const answer = (id: string, parent: string, at: number, ms = 1): ScriptSpan => ({
  id,
  parent,
  at,
  ms,
  attributes: model('an answer'),
})
const call = (id: string, parent: string, at: number, ms = 1): ScriptSpan => ({
  id,
  parent,
  at,
  ms,
  attributes: tool('q', {}, 'a result'),
})

describe('who read a result', () => {
  it('is the next model beside it; parallel calls of one model share theirs', () => {
    const script: readonly ScriptSpan[] = [
      run,
      answer('m1', 'run', 1),
      call('t1', 'run', 5, 3),
      call('t2', 'run', 5, 9),
      answer('m2', 'run', 14),
      answer('m3', 'run', 30),
    ]
    expect(readBy(script)).toEqual(['t1 > m2', 't2 > m2'])
  })

  it('is no model that started before the result was there', () => {
    const script: readonly ScriptSpan[] = [
      run,
      answer('m1', 'run', 1),
      call('t1', 'run', 5, 20),
      answer('m2', 'run', 10),
      answer('m3', 'run', 25),
    ]
    expect(readBy(script)).toEqual(['t1 > m3'])
  })

  it('is nobody where no model follows', () => {
    expect(readBy([run, answer('m1', 'run', 1), call('t1', 'run', 5)])).toEqual([])
  })

  it('is the model of the next turn, where a turn holds a model and the tools that its code calls', () => {
    const turn = (n: number): readonly ScriptSpan[] => [
      { id: `s${n}`, parent: 'run', at: 100 * n, ms: 50, attributes: openInference('CHAIN') },
      { id: `m${n}`, parent: `s${n}`, at: 100 * n + 1, attributes: openInference('LLM') },
      {
        id: `t${n}`,
        parent: `s${n}`,
        at: 100 * n + 9,
        attributes: openInference('TOOL', { 'tool.name': 'q' }),
      },
    ]
    const script: readonly ScriptSpan[] = [
      { ...run, attributes: openInference('AGENT') },
      ...turn(1),
      ...turn(2),
      ...turn(3),
    ]
    expect(readBy(script)).toEqual(['t1 > m2', 't2 > m3'])
  })

  it('is the model that answers from what a retrieval found, in a step of its own', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'run', at: 0, ms: 90, attributes: openInference('CHAIN') },
      { id: 'find', parent: 'run', at: 1, ms: 20, attributes: openInference('CHAIN') },
      { id: 'r1', parent: 'find', at: 2, ms: 9, attributes: openInference('RETRIEVER') },
      { id: 'say', parent: 'run', at: 30, ms: 20, attributes: openInference('CHAIN') },
      { id: 'm1', parent: 'say', at: 31, attributes: openInference('LLM') },
    ]
    expect(readBy(script)).toEqual(['r1 > m1'])
  })

  it('of a sub-agent is the model beside it, and so of a tool with which the sub-agent ended', () => {
    const script: readonly ScriptSpan[] = [
      run,
      answer('m1', 'run', 1),
      { id: 't1', parent: 'run', at: 5, ms: 50, attributes: tool('ask', {}, 'found') },
      { id: 'a1', parent: 't1', at: 6, ms: 40, attributes: agent('researcher') },
      answer('m2', 'a1', 7),
      call('t2', 'a1', 9),
      answer('m3', 'a1', 12),
      call('t3', 'a1', 20),
      answer('m4', 'run', 30),
      answer('m5', 'run', 60),
    ]
    expect(readBy(script)).toEqual(['a1 > m5', 't1 > m5', 't2 > m3', 't3 > m5'])
  })

  it('is never inside an agent, a tool or a guardrail that came next', () => {
    const script: readonly ScriptSpan[] = [
      run,
      call('t1', 'run', 5),
      { id: 'a1', parent: 'run', at: 10, ms: 9, attributes: agent('writer') },
      answer('m1', 'a1', 11),
      call('t2', 'run', 20, 9),
      answer('m2', 't2', 21),
      { id: 'g1', parent: 'run', at: 30, ms: 9, attributes: openInference('GUARDRAIL') },
      answer('m3', 'g1', 31),
    ]
    expect(readBy(script)).toEqual([])
  })

  it('in a conversation is the first model of the agent that speaks next', () => {
    const script: readonly ScriptSpan[] = [
      { id: 'team', at: 0, ms: 900, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: 'a1', parent: 'team', at: 10, ms: 10, attributes: agent('coder') },
      answer('m1', 'a1', 11),
      call('t1', 'team', 30),
      { id: 'u1', parent: 'team', at: 35, attributes: agent('user') },
      { id: 'b1', parent: 'team', at: 40, ms: 10, attributes: agent('critic') },
      answer('m2', 'b1', 41),
      answer('m3', 'b1', 43),
      call('t2', 'team', 55),
      { id: 'a2', parent: 'team', at: 60, ms: 10, attributes: agent('coder') },
      answer('m4', 'a2', 61),
    ]
    expect(readBy(script)).toEqual(['t1 > m2', 't2 > m4'])
  })

  it('is the model that starts in the millisecond of the end, where starts are whole milliseconds', () => {
    const script: readonly ScriptSpan[] = [
      run,
      answer('m1', 'run', 1, 2.4),
      call('t1', 'run', 3, 4.7),
      answer('m2', 'run', 7),
      answer('m3', 'run', 9),
    ]
    expect(readBy(script)).toEqual(['t1 > m2'])
    const exact = script.map((span) => (span.id === 'm2' ? { ...span, at: 7.5 } : span))
    expect(readBy(exact)).toEqual(['t1 > m3'])
  })

  it('is not the model that asked, nor one before the call, where all fall into one millisecond', () => {
    const asking = { ...answer('m1', 'run', 5, 0), attributes: model([{ name: 'q', arguments: {} }]) }
    const numbered = [answer('m0', 'run', 5, 0), asking, call('t1', 'run', 5, 0), answer('m2', 'run', 5, 0)]
    const script = numbered.map((span, n) => ({
      ...span,
      attributes: { ...span.attributes, 'agent_reach.step.sequence': n },
    }))
    expect(readBy([run, ...script, answer('m3', 'run', 9)])).toEqual(['t1 > m2'])
  })
})

/** Trees of agents, turns, models and tools in which most results are read by somebody. */
const arbitraryRun: fc.Arbitrary<readonly SpanView[]> = fc
  .array(
    fc.record({
      attributes: fc.constantFrom(
        agent('lead'),
        agent('helper'),
        tool('q', {}, 'found'),
        tool('helper', {}, 'found'),
        model('an answer'),
        model([{ name: 'q', arguments: {} }]),
        model([{ name: 'helper' }, { name: 'transfer_to_lead' }]),
        { 'gen_ai.operation.name': 'agent_step' },
      ),
      parent: fc.nat(100),
      at: fc.nat(30),
      ms: fc.nat(9),
    }),
    { minLength: 3, maxLength: 20 },
  )
  .map((list) =>
    toSpans([
      { ...run, id: 's0' },
      // Most stand below one of the first three, so that there is something beside them.
      ...list.map(({ parent, ...span }, n) => ({
        ...span,
        id: `s${n + 1}`,
        parent: `s${parent % Math.min(n + 1, 3)}`,
      })),
    ]),
  )

describe('the links of any trace', () => {
  const stepsOf = (spans: readonly SpanView[]): ReadonlyMap<string, ReportStep> =>
    new Map(reportsOf(spans).flatMap(({ steps }) => steps.map((step) => [step.span_id, step])))

  const endOf = (spans: readonly SpanView[], id: string): number => {
    const span = spans.find((each) => each.spanContext().spanId === id)
    return span === undefined ? NaN : span.endTime[0] * 1_000 + span.endTime[1] / 1_000_000
  }

  it('lead to models: who asked started no later, who read no earlier than the end, and nobody to itself', () => {
    let asks = 0
    let reads = 0
    fc.assert(
      fc.property(fc.oneof(arbitraryTrace, arbitraryRun), (spans) => {
        const steps = stepsOf(spans)
        for (const step of steps.values()) {
          const asked = steps.get(step.producer_span_id ?? '')
          const read = steps.get(step.read_by_span_id ?? '')
          expect([asked?.kind ?? 'model', read?.kind ?? 'model']).toEqual(['model', 'model'])
          expect([asked, read]).not.toContain(step)
          if (asked !== undefined) {
            expect(asked.started_at <= step.started_at).toBe(true)
            asks++
          }
          if (read !== undefined) {
            expect(Date.parse(read.started_at)).toBeGreaterThanOrEqual(endOf(spans, step.span_id))
            expect(read).not.toBe(asked)
            reads++
          }
        }
      }),
      { numRuns: 500 },
    )
    expect(asks).toBeGreaterThan(300)
    expect(reads).toBeGreaterThan(300)
  })

  it('do not depend on the order in which the spans arrive', () => {
    fc.assert(
      fc.property(
        fc
          .oneof(arbitraryTrace, arbitraryRun)
          .chain((spans) =>
            fc.tuple(fc.constant(spans), fc.shuffledSubarray([...spans], { minLength: spans.length })),
          ),
        ([spans, other]) => {
          expect(stepsOf(other)).toEqual(stepsOf(spans))
        },
      ),
      { numRuns: 300 },
    )
  })
})

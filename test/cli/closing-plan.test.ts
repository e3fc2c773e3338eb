import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClosingPlan } from '../../src/cli/closing-plan.ts'
import type { TracePosition } from '../../src/otlp/index-traces.ts'

function planOf(last: Readonly<Record<string, TracePosition>>): ClosingPlan {
  return new ClosingPlan({ size: Object.keys(last).length, lastMention: (traceId) => last[traceId] })
}

describe('ClosingPlan', () => {
  it('gives out a trace once the reader is past its last mention, not at it', () => {
    const plan = planOf({ a: { input: 0, offset: 10 } })
    plan.open('a')
    expect(plan.takePassed({ input: 0, offset: 10 })).toEqual([])
    expect(plan.isClosed('a')).toBe(false)
    expect(plan.takePassed({ input: 0, offset: 11 })).toEqual(['a'])
    expect(plan.isClosed('a')).toBe(true)
    expect(plan.takePassed({ input: 1, offset: 0 })).toEqual([])
  })

  it('keeps a trace whose last mention is in a later input', () => {
    const plan = planOf({ a: { input: 1, offset: 5 } })
    plan.open('a')
    expect(plan.takePassed({ input: 0, offset: Infinity })).toEqual([])
    expect(plan.takePassed({ input: 2, offset: 0 })).toEqual(['a'])
  })

  it('never gives out a trace that has not been opened, or that the index does not know', () => {
    const plan = planOf({ a: { input: 0, offset: 1 } })
    plan.open('unknown')
    expect(plan.takePassed({ input: 9, offset: Infinity })).toEqual([])
  })

  it('gives out every trace once, in the order of their last mentions', () => {
    const positions = fc.array(fc.record({ input: fc.nat(2), offset: fc.nat(50) }), { maxLength: 60 })
    fc.assert(
      fc.property(positions, fc.nat(60), (last, openedLater) => {
        const plan = planOf(Object.fromEntries(last.map((position, at) => [`${at}`, position])))
        const rank = (id: string): number =>
          (last[Number(id)]?.input ?? 0) * 100 + (last[Number(id)]?.offset ?? 0)
        const ids = last.map((_, at) => `${at}`)
        for (const id of ids.slice(openedLater)) plan.open(id)
        const reader = { input: 1, offset: 25 }
        const first = plan.takePassed(reader)
        expect(first.map(rank)).toEqual(first.map(rank).toSorted((a, b) => a - b))
        expect(first.toSorted()).toEqual(
          ids
            .slice(openedLater)
            .filter((id) => rank(id) < 125)
            .toSorted(),
        )
        for (const id of ids) plan.open(id)
        const rest = plan.takePassed({ input: 3, offset: 0 })
        expect(rest.map(rank)).toEqual(rest.map(rank).toSorted((a, b) => a - b))
        expect([...first, ...rest].toSorted()).toEqual(ids.toSorted())
      }),
    )
  })
})

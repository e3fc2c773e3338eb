import { describe, expect, it } from 'vitest'
import { preparePrograms } from './run-program.ts'

const runProgram = preparePrograms()

interface Measured {
  readonly held: number
  readonly megabytes: number
  readonly evicted: number
  readonly distinct: number
  readonly others: number
}

describe('20,000 chains that never end', () => {
  it('are held by no more than their number and 150 MB, and each that makes room is reported once', async () => {
    const { code, output } = await runProgram(
      `
      const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed }
      const seen = new Map()
      const onReport = ({ chain_id, completeness, completeness_reason }) => {
        const kind = completeness + ' ' + completeness_reason
        if (!seen.has(kind)) seen.set(kind, [])
        seen.get(kind).push(chain_id)
      }
      const { processor, provider, tracer } = record({ reports: false, onReport })
      const open = (n) => {
        const rows = Array.from({ length: 40 }, (_, row) => ({ id: n + '-' + row, status: 'shipped', note: 'as ordered' }))
        return runAgent(tracer, [{ rows }, { rows: rows.slice(1) }])
      }
      // It is reported, so that it makes room for free.
      open(0).end()
      await processor.forceFlush()
      const idle = heap()
      for (let n = 1; n <= 20_000; n++) {
        open(n)
        if (n % 100 === 0) await new Promise(setImmediate)
      }
      await new Promise(setImmediate)
      const hub = globalThis[Symbol.for('agent-reach.v1')]
      const megabytes = Math.round((heap() - idle) / 1e6)
      const evicted = seen.get('partial evicted') ?? []
      console.log(JSON.stringify({
        held: hub.tracker.openTraces,
        megabytes,
        evicted: evicted.length,
        distinct: new Set(evicted).size,
        others: [...seen.keys()].filter((kind) => kind !== 'partial evicted' && kind !== 'complete null').length,
      }))
      await provider.shutdown()`,
      { flags: ['--expose-gc'] },
    )
    expect(code).toBe(0)
    const measured = JSON.parse(output) as Measured
    expect(measured).toMatchObject({ held: 10_000, evicted: 10_000, distinct: 10_000, others: 0 })
    expect(measured.megabytes).toBeLessThan(150)
  })
})

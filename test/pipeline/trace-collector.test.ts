import { describe, expect, it } from 'vitest'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import { agent, tool } from '../chain/trace-script.ts'
import { createSpan } from '../steps/span.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

const id = (n: number, digits: number): string => String(n).padStart(digits, '0')
const span = (trace: number, n: number): ReturnType<typeof createSpan> =>
  createSpan({
    traceId: id(trace, 32),
    spanId: id(n, 16),
    parentSpanId: n === 1 ? null : id(1, 16),
    attributes: n === 1 ? agent('support') : tool('q', { n }, n),
  })

describe('memory is bounded', () => {
  it('a trace beyond its number of spans says so, and counts what was left out', () => {
    const collector = new TraceCollector({ spansPerTrace: 3 })
    for (const n of [1, 2, 3, 4, 5, 2]) collector.add(span(1, n))
    const [report] = collector.closeAll()
    expect(report).toMatchObject({
      span_count: 3,
      completeness: 'partial',
      completeness_reason: 'step_limit',
      dropped: { rejected_spans: 2, duplicate_spans: 1 },
    })
    expectValidReport(report)
  })

  it('beyond the number of open traces the first one is closed, with a report that says so', () => {
    const collector = new TraceCollector({ openTraces: 2 })
    for (const trace of [1, 2, 3]) collector.add(span(trace, 1))
    const evicted = collector.takeEvicted()
    expect(evicted.map((report) => [report.trace_id, report.completeness_reason])).toEqual([
      [id(1, 32), 'evicted'],
    ])
    expect(collector.takeEvicted()).toEqual([])
    expect(collector.openTraces()).toEqual([id(2, 32), id(3, 32)])
  })

  it('what comes of an evicted trace is late and never replaces its report', () => {
    const collector = new TraceCollector({ openTraces: 1 })
    collector.add(span(1, 1))
    collector.add(span(2, 1))
    collector.add(span(1, 2))
    expect(collector.lateSpans).toBe(1)
    expect([...collector.closeAll()].map((report) => report.trace_id)).toEqual([id(2, 32)])
  })

  it('a report of a trace that lost a span to a bad id is partial', () => {
    const collector = new TraceCollector()
    collector.add(span(1, 1))
    collector.reject(id(1, 32))
    expect([...collector.closeAll()]).toMatchObject([
      { completeness: 'partial', completeness_reason: 'rejected_spans', dropped: { rejected_spans: 1 } },
    ])
  })
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import { displayWidth } from '../../src/report/display-width.ts'
import { renderText } from '../../src/report/render-text.ts'
import { arbitraryTrace } from '../pipeline/arbitrary-trace.ts'
import { expectValidReport } from './expect-valid-report.ts'

test('every report that is built fits the schema, and its text fits 100 columns', () => {
  fc.assert(
    fc.property(arbitraryTrace, (spans) => {
      const collector = new TraceCollector()
      for (const span of spans) collector.add(span)
      for (const report of collector.closeAll()) {
        expectValidReport(report)
        const lines = renderText(report, { color: false, ascii: false }).split('\n')
        expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(100)
      }
    }),
    { numRuns: 300 },
  )
})

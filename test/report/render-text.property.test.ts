import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSummaryRow } from '../../src/report/chain-summary-row.ts'
import { displayWidth } from '../../src/report/display-width.ts'
import { layoutNodes } from '../../src/report/layout-nodes.ts'
import { selectNodes } from '../../src/report/node-view.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTable } from '../../src/report/render-table.ts'
import { renderText } from '../../src/report/render-text.ts'
import { createTextForm } from '../../src/report/text-form.ts'
import { arbitraryReport } from './arbitrary-report.ts'

const arbitraryOptions = fc.record({
  color: fc.boolean(),
  ascii: fc.boolean(),
  width: fc.constantFrom(1, 40, 57, 80, 100, 101, 160),
})

interface Form {
  readonly color: boolean
  readonly ascii: boolean
  readonly width: number
}

const ESCAPE = '\u001b'

const COLORS = new RegExp(`${ESCAPE}\\[(?:0|1|2|31|32|33)m`, 'gu')

/** No line is wider than the terminal, nothing steers it but the colours that were asked for. */
function expectFits(text: string, { color, ascii, width }: Form): void {
  const uncolored = color ? text.replaceAll(COLORS, '') : text
  expect(uncolored.endsWith('\n')).toBe(true)
  for (const line of uncolored.slice(0, -1).split('\n')) {
    expect(displayWidth(line), line).toBeLessThanOrEqual(Math.max(40, width))
    expect(line).not.toMatch(/\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}| $/u)
    if (ascii) expect(line).toMatch(/^[\x20-\x7e]*$/u)
  }
}

test('renderText() fits its width and steers no terminal, whatever names it is given', () => {
  fc.assert(
    fc.property(arbitraryReport, arbitraryOptions, fc.string({ unit: 'binary' }), (report, options, file) => {
      expectFits(renderText(report, { ...options, file }), options)
    }),
    { numRuns: 120 },
  )
})

test('renderText() has the columns of all nodes below each other, whatever their names', () => {
  fc.assert(
    fc.property(arbitraryReport, fc.constantFrom(40, 100, 160), (report, width) => {
      const form = createTextForm({ color: false, ascii: false, width })
      const views = selectNodes(report).shown
      const nodes = layoutNodes(views, form).filter(([margin]) => margin?.text === '  ')
      const widths = nodes.map((cells) => cells.slice(0, 4).map(({ text }) => displayWidth(text)))
      expect(nodes).toHaveLength(views.length)
      for (const each of widths) expect(each).toEqual(widths[0])
    }),
    { numRuns: 80 },
  )
})

test('renderTable() fits its width and steers no terminal, whatever names it is given', () => {
  fc.assert(
    fc.property(fc.array(arbitraryReport, { maxLength: 4 }), arbitraryOptions, (reports, options) => {
      expectFits(renderTable(reports.map(toSummaryRow), options), options)
    }),
    { numRuns: 50 },
  )
})

test('renderMarkdown() keeps every row of a table in one line with its cells', () => {
  fc.assert(
    fc.property(arbitraryReport, (report) => {
      const text = renderMarkdown(report)
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}|</u)
      let columns = 0
      for (const line of text.split('\n')) {
        const bars = line.replaceAll(/\\./gu, '').split('|').length
        if (!line.startsWith('|')) expect(bars).toBe(1)
        else if (columns > 0) expect(bars).toBe(columns)
        columns = line.startsWith('|') ? bars : 0
      }
    }),
    { numRuns: 80 },
  )
})

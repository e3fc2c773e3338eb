import { chainStatuses } from '../chain/statuses.ts'
import { type ChainSummaryRow, toSummaryRow } from '../report/chain-summary-row.ts'
import { renderTable } from '../report/render-table.ts'
import { renderText } from '../report/render-text.ts'
import type { TextOptions } from '../report/text-form.ts'
import type { JudgedReport, ReportPresenter } from './report-presenter.ts'

const SHOWN_GLANCES = 3

/**
 * Shows a single chain at a glance; of many a table, and at a glance the worst three of those that are no success.
 * Holds a row for each chain, and no more reports than it shows.
 */
export function createTextPresenter(options: TextOptions): ReportPresenter {
  const rows: ChainSummaryRow[] = []
  const worst: JudgedReport[] = []
  let chains = 0
  return {
    add(judged) {
      rows.push(toSummaryRow(judged.report))
      if (judged.report.step_count === 0) return ''
      chains += 1
      keepWorst(worst, judged)
      return ''
    },
    end() {
      const shown = chains === 1 ? worst : worst.filter(isNoSuccess)
      const glances = shown.map(({ report, file }) =>
        renderText(report, { ...options, ...(file === null ? {} : { file }) }),
      )
      const table = chains > 1 ? [renderTable(rows, options)] : []
      return [...table, ...glances].join('\n')
    },
  }
}

function isNoSuccess({ report }: JudgedReport): boolean {
  return report.overall_status !== 'success'
}

/** Keeps a list of the worst, in the order of the table. */
function keepWorst(worst: JudgedReport[], judged: JudgedReport): void {
  worst.push(judged)
  worst.sort(compareBadness)
  worst.length = Math.min(worst.length, SHOWN_GLANCES)
}

function compareBadness({ report: a }: JudgedReport, { report: b }: JudgedReport): number {
  const byStatus = chainStatuses.indexOf(b.overall_status) - chainStatuses.indexOf(a.overall_status)
  if (byStatus !== 0) return byStatus
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1
  return a.report_id < b.report_id ? -1 : 1
}

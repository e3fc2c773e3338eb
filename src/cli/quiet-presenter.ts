import { neutralizeText, toAscii } from '../report/neutralize-text.ts'
import { nameChain } from '../report/report-headline.ts'
import type { ReportPresenter } from './report-presenter.ts'

/** Shows a line for each chain that is not well, with tabs between: why, its trace, its task or id, its summary. */
export function createQuietPresenter(ascii: boolean): ReportPresenter {
  return {
    add({ report, breach }) {
      if (breach === null) return ''
      const cells = [breach, report.trace_id, nameChain(report), report.summary].map(neutralizeText)
      return `${(ascii ? cells.map(toAscii) : cells).join('\t')}\n`
    },
    end: () => '',
  }
}

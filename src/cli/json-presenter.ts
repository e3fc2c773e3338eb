import type { ReportPresenter } from './report-presenter.ts'

/** Shows each report as one line of JSON. */
export function createJsonPresenter(): ReportPresenter {
  return {
    add: ({ report }) => `${JSON.stringify(report)}\n`,
    end: () => '',
  }
}

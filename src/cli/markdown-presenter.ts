import { renderMarkdown } from '../report/render-markdown.ts'
import type { ReportPresenter } from './report-presenter.ts'

/** Shows the reports of chains as Markdown, with a rule between two. */
export function createMarkdownPresenter(): ReportPresenter {
  let isFirst = true
  return {
    add({ report }) {
      if (report.step_count === 0) return ''
      const text = `${renderMarkdown(report).trimEnd()}\n`
      const separator = isFirst ? '' : '\n---\n\n'
      isFirst = false
      return separator + text
    },
    end: () => '',
  }
}

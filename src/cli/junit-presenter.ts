import type { ChainReport } from '../report/chain-report.ts'
import { formatSeconds, renderTestCase } from './render-test-case.ts'
import type { ReportPresenter } from './report-presenter.ts'

/**
 * Shows the reports of chains as JUnit XML: one suite, a test case for each chain, which fails where the chain is not
 * well. As a suite begins with its counts, everything comes at the end; a chain is held as text until then.
 */
export function createJunitPresenter(): ReportPresenter {
  const cases: string[] = []
  let failures = 0
  let milliseconds = 0
  let startedAt: string | null = null
  return {
    add(judged) {
      const { report, breach } = judged
      if (report.step_count === 0) return ''
      cases.push(renderTestCase(judged))
      if (breach !== null) failures += 1
      milliseconds += report.total_latency_ms
      startedAt = earlier(startedAt, report)
      return ''
    },
    end() {
      const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`
      const attributes = `name="agent-reach" ${counts} time="${formatSeconds(milliseconds)}"`
      // The schema of JUnit wants neither fractions nor a zone.
      const timestamp =
        startedAt === null ? '' : ` timestamp="${startedAt.slice(0, '2025-11-30T00:00:00'.length)}"`
      return [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        `<testsuites ${attributes}>\n`,
        `  <testsuite ${attributes}${timestamp}>\n`,
        ...cases,
        '  </testsuite>\n',
        '</testsuites>\n',
      ].join('')
    },
  }
}

function earlier(before: string | null, { started_at }: ChainReport): string {
  return before === null || started_at < before ? started_at : before
}

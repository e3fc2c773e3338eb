import { createFinding } from '../findings/create-finding.ts'
import type { Finding } from '../findings/finding.ts'
import type { Rules } from '../rules/rules.ts'
import type { SpanView } from '../steps/span-view.ts'
import { type JudgedSpan, judgeSpan, type LiveFacts } from './judge-span.ts'

/**
 * Judges a span that this process records, with what was captured of it. Of what only the captured content shows the
 * code alone is kept: nothing of such content leaves the process, and every reader of the span says the same.
 */
export function judgeLive(span: SpanView, rules: Rules, live: LiveFacts): JudgedSpan {
  if (live.captured === null) return judgeSpan(span, rules, live)
  const recorded = judgeSpan(span, rules, { ...live, captured: null })
  const judged = judgeReadable(span, rules, live)
  if (judged === null) return { ...recorded, checkErrors: recorded.checkErrors + 1 }
  if (!judged.captured) return judged
  const findings = withoutContent(judged.record.findings, recorded.record.findings)
  return { ...judged, record: { ...judged.record, findings } }
}

/** `null` where a value that was captured throws when it is read. */
function judgeReadable(span: SpanView, rules: Rules, live: LiveFacts): JudgedSpan | null {
  try {
    return judgeSpan(span, rules, live)
  } catch {
    return null
  }
}

/** As `condenseStep` reads them from the marks of the span. */
function withoutContent(judged: readonly Finding[], recorded: readonly Finding[]): readonly Finding[] {
  const codes = new Set(recorded.map(({ code }) => code))
  const bare = judged.flatMap(({ code, severity, spanId }) => {
    if (codes.has(code)) return []
    codes.add(code)
    return [createFinding({ code, severity, spanId, source: 'mark' })]
  })
  return [...recorded, ...bare]
}

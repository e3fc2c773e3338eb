import type { Rules } from '../rules/rules.ts'
import type { SpanView } from '../steps/span-view.ts'
import { type JudgedSpan, judgeSpan, type LiveFacts } from './judge-span.ts'

/** Judges a span that this process records, with what was captured of it unless that throws when it is read. */
export function judgeLive(span: SpanView, rules: Rules, live: LiveFacts): JudgedSpan {
  if (live.captured === null) return judgeSpan(span, rules, live)
  try {
    return judgeSpan(span, rules, live)
  } catch {
    const recorded = judgeSpan(span, rules, { ...live, captured: null })
    return { ...recorded, checkErrors: recorded.checkErrors + 1 }
  }
}

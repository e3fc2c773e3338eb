import type { Finding, FindingEvidence } from '../../findings/finding.ts'
import type { Severity } from '../../findings/severity.ts'

const weights: Readonly<Record<Severity, number>> = { info: 0, warn: 1, error: 2 }

/** The most observations that a merged finding carries: 5. */
const EVIDENCE_LIMIT = 5

/**
 * Joins what two sides say of one step. Of a code that both have there is one finding: the more severe one, with the
 * evidence of both.
 *
 * @param more prevails where both are as severe
 */
export function mergeFindings(findings: readonly Finding[], more: readonly Finding[]): readonly Finding[] {
  const merged = [...findings]
  for (const finding of more) {
    const at = merged.findIndex(({ code }) => code === finding.code)
    const known = merged[at]
    if (known === undefined) merged.push(finding)
    else merged[at] = merge(known, finding)
  }
  return merged
}

function merge(known: Finding, finding: Finding): Finding {
  const [first, second] =
    weights[known.severity] > weights[finding.severity] ? [known, finding] : [finding, known]
  const places = new Map<string, FindingEvidence>()
  for (const evidence of [...first.evidence, ...second.evidence]) {
    if (!places.has(evidence.path)) places.set(evidence.path, evidence)
  }
  return { ...first, evidence: [...places.values()].slice(0, EVIDENCE_LIMIT) }
}

import type { Finding } from '../findings/finding.ts'
import type { SeverityRules } from './rules.ts'

/**
 * Gives a finding the severity that the rules have for its code; `null` where it is to be left out. What hangs on an
 * order that nothing tells stays a warning at most.
 */
export function applySeverities(finding: Finding, severities: SeverityRules): Finding | null {
  const severity = severities[finding.code]
  if (severity === undefined) return finding
  if (severity === 'off') return null
  return { ...finding, severity: severity === 'error' && finding.order === 'uncertain' ? 'warn' : severity }
}

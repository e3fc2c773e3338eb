import { findingCatalog } from './catalog.ts'
import type { Finding, FindingParts } from './finding.ts'

/** Completes the parts a check decides: the severity of the catalogue, order certain, source content, no blame. */
export function createFinding(parts: FindingParts): Finding {
  return {
    code: parts.code,
    severity: parts.severity ?? findingCatalog[parts.code].severity,
    spanId: parts.spanId,
    blamedSpanId: parts.blamedSpanId ?? null,
    order: parts.order ?? 'certain',
    source: parts.source ?? 'content',
    detail: parts.detail ?? null,
    evidence: parts.evidence ?? [],
  }
}

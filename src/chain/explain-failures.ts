import { findingCatalog } from '../findings/catalog.ts'
import { createFinding } from '../findings/create-finding.ts'
import type { Chain, ChainStep, SettledFinding } from './chain.ts'

/**
 * Tells a failure where it broke: the error of a step is explained when a failed step below it that no later attempt
 * made good has the same error, or when its failed children are the attempts of one call. An explained error is replaced by the
 * info finding `failed_below`, which blames the step where it broke.
 */
export function explainFailures(
  chain: Chain,
  findings: readonly SettledFinding[],
): readonly SettledFinding[] {
  if (!findings.some(isError)) return findings
  const origins = findOrigins(chain)
  const told = new Set<ChainStep>()
  return findings.flatMap((settled) => {
    const { step, finding } = settled
    const origin = origins.get(step)
    const isOwn = finding.source === 'content' && findingCatalog[finding.code].group === 'step'
    if (origin === undefined || !isOwn || !isError(settled)) return [settled]
    if (told.has(step)) return []
    told.add(step)
    const below = createFinding({
      code: 'failed_below',
      spanId: step.record.spanId,
      blamedSpanId: origin.record.spanId,
      detail: origin.record.nodeName,
    })
    return [{ ...settled, finding: below }]
  })
}

function isError({ finding }: SettledFinding): boolean {
  return finding.severity === 'error'
}

/** For each step whose error is explained the step where it broke. Children come first in fold order. */
function findOrigins(chain: Chain): ReadonlyMap<ChainStep, ChainStep> {
  const { recovered } = chain
  const lastAttempts = mapLastAttempts(chain)
  const origins = new Map<ChainStep, ChainStep>()
  const failedBelow = new Map<ChainStep, Map<string, ChainStep>>()
  for (const step of chain.steps) {
    const errors = collectErrors(step, failedBelow, recovered)
    failedBelow.set(step, errors)
    if (step.record.errorDigest === null) continue
    const failedChildren = step.children.filter((child) => isFailed(child) && !recovered.has(child))
    const same = errors.get(step.record.errorDigest)
    const failedCalls = new Set(failedChildren.map((child) => lastAttempts.get(child) ?? child))
    const only = failedCalls.size === 1 ? [...failedCalls][0] : undefined
    const origin = same ?? (only === undefined ? undefined : (origins.get(only) ?? only))
    if (origin !== undefined) origins.set(step, origin)
  }
  return origins
}

/** Several attempts of one call are one failure, that of the last attempt. */
function mapLastAttempts(chain: Chain): ReadonlyMap<ChainStep, ChainStep> {
  const last = new Map<ChainStep, ChainStep>()
  for (const { attempts } of chain.calls) {
    for (const attempt of attempts) last.set(attempt, attempts.at(-1) ?? attempt)
  }
  return last
}

/** The errors of the unrecovered steps below, each with the first step that has it. */
function collectErrors(
  step: ChainStep,
  failedBelow: ReadonlyMap<ChainStep, ReadonlyMap<string, ChainStep>>,
  recovered: ReadonlySet<ChainStep>,
): Map<string, ChainStep> {
  const errors = new Map<string, ChainStep>()
  for (const child of step.children) {
    if (recovered.has(child)) continue
    for (const [digest, origin] of failedBelow.get(child) ?? []) {
      if (errors.size < ERROR_LIMIT && !errors.has(digest)) errors.set(digest, origin)
    }
    const { errorDigest } = child.record
    if (errorDigest !== null && errors.size < ERROR_LIMIT && !errors.has(errorDigest)) {
      errors.set(errorDigest, child)
    }
  }
  return errors
}

/** How many different errors below a step are told apart, so that a deep tree of errors stays cheap. */
const ERROR_LIMIT = 64

function isFailed(step: ChainStep): boolean {
  return step.record.errorDigest !== null || step.record.neverEnded
}

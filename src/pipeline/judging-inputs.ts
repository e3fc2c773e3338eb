import { defaultLoopThresholds } from '../checks/run/exact-loop.ts'
import { REASON_LIMIT } from '../findings/describe-finding.ts'
import { EXCERPT_LIMIT } from '../findings/excerpt.ts'
import { canonicalJson } from '../steps/canonical-json.ts'
import { CONTENT_LIMIT, EAGER_LIMIT, NESTING_LIMIT } from '../steps/content.ts'
import { labelledDigest } from '../steps/digest.ts'

/** Digest of the limits that a judgement depends on; they are equal at every door. */
export const LIMITS_DIGEST: string = labelledDigest(
  canonicalJson({
    content: CONTENT_LIMIT,
    eager: EAGER_LIMIT,
    nesting: NESTING_LIMIT,
    reason: REASON_LIMIT,
    excerpt: EXCERPT_LIMIT,
  }),
)

/** Digest of the rules that hold where nobody gave any: the default loop thresholds. */
export const DEFAULT_RULES_DIGEST: string = labelledDigest(
  canonicalJson({ version: 1, guards: { loop: defaultLoopThresholds } }),
)

import { REASON_LIMIT } from '../findings/describe-finding.ts'
import { EXCERPT_LIMIT } from '../findings/excerpt.ts'
import { canonicalJson } from '../steps/canonical-json.ts'
import { CONTENT_LIMIT, EAGER_LIMIT, NESTING_LIMIT } from '../steps/content.ts'
import { labelledDigest } from '../steps/digest.ts'
import { defaultLoopThresholds } from '../rules/loop-thresholds.ts'
import type { NodeRules, PlacedSchema, Rules } from '../rules/rules.ts'
import { isStandardSchema } from '../rules/standard-schema.ts'

let limitsDigest: string | null = null

/** Digest of the limits that a judgement depends on; they are equal at every door. */
export function digestLimits(): string {
  limitsDigest ??= labelledDigest(
    canonicalJson({
      content: CONTENT_LIMIT,
      eager: EAGER_LIMIT,
      nesting: NESTING_LIMIT,
      reason: REASON_LIMIT,
      excerpt: EXCERPT_LIMIT,
    }),
  )
  return limitsDigest
}

const rulesDigests = new WeakMap<Rules, string>()

/**
 * Digest of the rules that a chain was judged by, defaults filled in: equal for rules that mean the same, wherever
 * they came from. Of parts that say nothing there is nothing in it. A Standard Schema is code, of which the digest says
 * only that it is, and of which library: such rules are at no other door.
 */
export function digestRules(rules: Rules): string {
  const known = rulesDigests.get(rules)
  if (known !== undefined) return known
  const { exempt, ignoreFields, similar, cycles, ...thresholds } = rules.loop
  const digest = labelledDigest(
    canonicalJson({
      version: 1,
      nodes: unlessEmpty(Object.fromEntries(rules.nodes.map((node) => [node.name, toDigestedNode(node)]))),
      guards: {
        loop: {
          ...thresholds,
          // They came later: rules that do not speak of them have the digest that they had before.
          similar: similar === defaultLoopThresholds.similar ? undefined : (similar ?? 'off'),
          cycles: cycles === defaultLoopThresholds.cycles ? undefined : cycles,
          exempt: unlessEmpty(exempt.toSorted()),
          ignoreFields: unlessEmpty(ignoreFields.toSorted()),
        },
        budget: unlessEmpty(rules.budget),
      },
      findings: unlessEmpty(rules.severities),
    }),
  )
  rulesDigests.set(rules, digest)
  return digest
}

function toDigestedNode({ resultSchema, argumentsSchema, retryKey, ...node }: NodeRules): object {
  return {
    ...node,
    resultSchema: toDigestedSchema(resultSchema),
    argumentsSchema: toDigestedSchema(argumentsSchema),
    retryKey: retryKey.toSorted(),
  }
}

/** No JSON Schema has the key `~standard`, so none is taken for code. */
function toDigestedSchema(placed: PlacedSchema | null): object | null {
  if (placed === null) return null
  const { schema } = placed
  return isStandardSchema(schema) ? { '~standard': 'code', vendor: schema['~standard'].vendor } : schema
}

function unlessEmpty<T extends object>(part: T): T | undefined {
  return Object.keys(part).length === 0 ? undefined : part
}

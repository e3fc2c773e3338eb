import { safeRegex } from 'safe-regex2'

/** Steps of a backtracking matcher that one test may take: about a tenth of a second. */
const STEP_LIMIT = 20_000_000

/** How many optional groups one pattern may have: each doubles the ways to match. */
const OPTIONAL_GROUPS = 10

/**
 * True for a pattern whose time grows at most like a power of the length of the text: it compiles, no repetition
 * stands in a repetition, and no repeated group holds alternatives or is referred back to, since those may overlap.
 */
export function isSafePattern(pattern: string): boolean {
  if (!compiles(pattern) || /\\[1-9k]/u.test(pattern)) return false
  const skeleton = toSkeleton(pattern)
  const { plain, optional } = withoutFixedCounts(skeleton)
  return optional <= OPTIONAL_GROUPS && safeRegex(plain) && !repeatsAlternatives(skeleton)
}

/** The longest text on which a safe pattern is sure to end soon, in UTF-16 code units. */
export function longestSafeText(pattern: string): number {
  const skeleton = toSkeleton(pattern)
  const repetitions = skeleton.match(/[*+]|\{\d+,\d*\}/gu)?.length ?? 0
  const degree = repetitions + (skeleton.startsWith('^') ? 0 : 1)
  return Math.floor(STEP_LIMIT ** (1 / Math.max(1, degree)))
}

function compiles(pattern: string): boolean {
  try {
    return typeof new RegExp(pattern, 'u') === 'object'
  } catch {
    return false
  }
}

/** The pattern with every escape and character class replaced by one plain character. */
function toSkeleton(pattern: string): string {
  return pattern
    .replace(/\\u\{[^}]*\}|\\[pP]\{[^}]*\}|\\./gu, 'a')
    .replace(/\[[^\]]*\]/gu, 'a')
    .replace(/\(\?(?:<?[=!]|:|<[^>]*>)/gu, '(')
}

/**
 * Takes out what counts as a repetition and repeats nothing: fixed counts, and the question mark of groups that stand
 * in no other group.
 */
function withoutFixedCounts(skeleton: string): { readonly plain: string; readonly optional: number } {
  const counted = skeleton.replace(/(?<!\))\{\d+\}/gu, '')
  let plain = ''
  let depth = 0
  let optional = 0
  for (const char of counted) {
    if (char === '(') depth++
    if (char === ')') depth--
    if (char === '?' && depth === 0 && plain.endsWith(')')) optional++
    else plain += char
  }
  return { plain, optional }
}

function repeatsAlternatives(skeleton: string): boolean {
  const open: boolean[] = []
  for (let i = 0; i < skeleton.length; i++) {
    const char = skeleton[i]
    if (char === '(') open.push(false)
    else if (char === '|' && open.length > 0) open[open.length - 1] = true
    else if (char === ')') {
      const alternatives = open.pop() ?? false
      if (alternatives && /[*+{]/u.test(skeleton[i + 1] ?? '')) return true
      if (alternatives && open.length > 0) open[open.length - 1] = true
    }
  }
  return false
}

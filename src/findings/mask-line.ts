import { maskCatalog } from './mask-catalog.ts'
import { findExempt } from './mask-exempt.ts'
import type { MaskRow, MaskSpan } from './mask-row.ts'

/** A line and how much of it may be shown; what follows is there to see where something ends. */
export interface MaskedLine {
  readonly text: string
  readonly end: number
}

/** A label can uncover a number that was glued to what it replaced; more rounds find nothing new in practice. */
const MOST_ROUNDS = 4

/** Masks a line by the whole catalogue, again until nothing changes. */
export function maskLine(line: MaskedLine): MaskedLine {
  let masked = line
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = masked.text
    for (const row of maskCatalog) masked = maskByRow(masked, row)
    if (masked.text === before) break
  }
  return masked
}

function maskByRow(line: MaskedLine, row: MaskRow): MaskedLine {
  let { end } = line
  let text = ''
  let from = 0
  for (const [start, stop] of findHits(line.text, row)) {
    text += line.text.slice(from, start) + row.label
    // What begins in the part to show is told by its label as a whole, even if it ends outside.
    if (stop <= line.end) end += row.label.length - (stop - start)
    else if (start < line.end) end = text.length
    from = stop
  }
  return from === 0 ? line : { text: text + line.text.slice(from), end }
}

/** In order, none overlapping another. */
function findHits(text: string, { pattern, pick, sparesExempt }: MaskRow): readonly MaskSpan[] {
  const hits: MaskSpan[] = []
  let exempt: readonly MaskSpan[] | null = null
  for (const { 0: match, index, groups } of text.matchAll(pattern)) {
    const keep = groups?.['keep'] ?? ''
    const at = index + keep.length
    const candidate = match.slice(keep.length)
    for (const [from, to] of pick?.(candidate, keep) ?? [[0, candidate.length] as const]) {
      const hit: MaskSpan = [at + from, at + to]
      if (sparesExempt) {
        exempt ??= findExempt(text)
        if (exempt.some((span) => overlap(span, hit))) continue
      }
      hits.push(hit)
    }
  }
  return merge(hits)
}

function overlap(one: MaskSpan, other: MaskSpan): boolean {
  return one[0] < other[1] && other[0] < one[1]
}

function merge(hits: readonly MaskSpan[]): readonly MaskSpan[] {
  const merged: MaskSpan[] = []
  for (const hit of hits.toSorted((one, other) => one[0] - other[0])) {
    const last = merged.at(-1)
    if (last !== undefined && hit[0] < last[1])
      merged[merged.length - 1] = [last[0], Math.max(last[1], hit[1])]
    else merged.push(hit)
  }
  return merged
}

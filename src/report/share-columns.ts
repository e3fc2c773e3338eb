/**
 * Shares room out among texts so that together they fit: narrow ones get what they need, the widest give way, all
 * of them to the same width.
 *
 * @param widths columns that each text needs
 * @param room columns that there are for all
 * @returns columns for each, in the same order; never more than it needs
 */
export function shareColumns(widths: readonly number[], room: number): readonly number[] {
  const shares = widths.map(() => 0)
  const narrowFirst = widths.map((_, at) => at).sort((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0))
  let left = Math.max(0, room)
  for (const [position, at] of narrowFirst.entries()) {
    const share = Math.min(widths[at] ?? 0, Math.floor(left / (narrowFirst.length - position)))
    shares[at] = share
    left -= share
  }
  return shares
}

/** Start and end of a part of a text, in UTF-16 code units. */
export type MaskSpan = readonly [start: number, end: number]

/** One kind of content that must not leave the process, how it is recognised and what stands in its place. */
export interface MaskRow {
  readonly name: string
  readonly label: '[e-mail]' | '[phone]' | '[id number]' | '[card]' | '[secret]'
  /** Finds candidates. What its group `keep` holds, at the beginning of a match, stays readable. */
  readonly pattern: RegExp
  /** The parts of a candidate that are meant, `keep` taken off; they may overlap. The whole if absent. */
  readonly pick?: (candidate: string, keep: string) => readonly MaskSpan[]
  /** Leaves alone what {@link findExempt} names: dates, UUIDs, decimals, digests. */
  readonly sparesExempt?: true
}

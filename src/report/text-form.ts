import { cutEnd, displayWidth } from './display-width.ts'
import { asciiGlyphs, type Glyphs, type Mark, unicodeGlyphs } from './glyphs.ts'
import { neutralizeText, toAscii } from './neutralize-text.ts'

/** How text for a terminal looks. */
export interface TextOptions {
  /** Colours it; whether the terminal can show them is for the caller to know. */
  readonly color: boolean
  /** Uses ASCII only; characters outside it are shown as `\u8ba2`. */
  readonly ascii: boolean
  /**
   * Columns that no line exceeds; less than 40 is taken as 40.
   *
   * @default 100
   */
  readonly width?: number
}

/** What a piece of text means; each has one colour. */
export type Tone = 'good' | 'bad' | 'caution' | 'faint' | 'strong' | 'plain'

/** A piece of a line. */
export interface Segment {
  readonly text: string
  readonly tone: Tone
}

/** A form of text: what names go through, which signs it has, how wide it is, and how a line is written. */
export interface TextForm {
  readonly glyphs: Glyphs
  readonly width: number
  /** Makes text from a report safe for this form. Everything from outside goes through here, once. */
  readonly clean: (text: string) => string
  /** Writes a line without spaces at its end, cut where it is wider than the form. */
  readonly write: (line: readonly Segment[]) => string
}

/** The tone of each mark. */
export const markTones: Readonly<Record<Mark, Tone>> = {
  reached: 'good',
  failed: 'bad',
  looping: 'caution',
  warned: 'caution',
  skipped: 'faint',
}

/** SGR parameters (ECMA-48); the environment is not asked, so that `color` alone decides. */
const PALETTE: Readonly<Record<Tone, number | null>> = {
  good: 32,
  bad: 31,
  caution: 33,
  faint: 2,
  strong: 1,
  plain: null,
}

const NARROWEST = 40

/** Creates the form that the options ask for. */
export function createTextForm(options: TextOptions): TextForm {
  const glyphs = options.ascii ? asciiGlyphs : unicodeGlyphs
  const width = Math.max(NARROWEST, Math.floor(options.width ?? 100))
  return {
    glyphs,
    width,
    clean: (text) => (options.ascii ? toAscii(neutralizeText(text)) : neutralizeText(text)),
    write: (line) =>
      fitLine(line, width, glyphs.more)
        .map((segment) => (options.color ? paint(segment) : segment.text))
        .join(''),
  }
}

/** A piece of a line without a tone of its own. */
export function plain(text: string): Segment {
  return { text, tone: 'plain' }
}

function paint({ text, tone }: Segment): string {
  const code = PALETTE[tone]
  return code === null || text.trim() === '' ? text : `\x1b[${code}m${text}\x1b[0m`
}

/**
 * Layouts keep to the width themselves and clean names; this makes it certain, whatever a report that was read from
 * somewhere has in its fields.
 */
function fitLine(line: readonly Segment[], width: number, more: string): readonly Segment[] {
  const fitted: Segment[] = []
  let room = width
  for (const dirty of trimEnd(line)) {
    const segment = { ...dirty, text: dirty.text.replace(/\p{Cc}/gu, '') }
    const columns = displayWidth(segment.text)
    if (columns > room) {
      fitted.push({ ...segment, text: cutEnd(segment.text, room, more) })
      break
    }
    fitted.push(segment)
    room -= columns
  }
  return fitted
}

function trimEnd(line: readonly Segment[]): readonly Segment[] {
  const kept = [...line]
  for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
    const text = last.text.trimEnd()
    if (text !== '') return [...kept, { ...last, text }]
  }
  return []
}

import type { ChainReport } from '../../report/chain-report.ts'
import { renderMarkdown } from '../../report/render-markdown.ts'
import { renderText } from '../../report/render-text.ts'
import type { StoredReport } from '../report-store.ts'
import { createParameter, type Parameter } from './parameter.ts'

/** A form in which a report is shown. */
export type ReportForm = 'json' | 'markdown' | 'text'

/** The media type of each form, the one that is given where any will do first. */
export const MEDIA_TYPES: Readonly<Record<ReportForm, string>> = {
  json: 'application/json',
  markdown: 'text/markdown',
  text: 'text/plain',
}

const FORMS = Object.keys(MEDIA_TYPES) as readonly ReportForm[]

/** The form that is asked for by name; it goes before what the client says it takes. */
export const formatParameter: Parameter<ReportForm> = createParameter({
  description: 'Form of the report; goes before the header `Accept`',
  schema: { enum: FORMS },
  expected: FORMS.join(', '),
  read: (text) => FORMS.find((form) => form === text) ?? null,
})

/**
 * Chooses the form that a client likes most, by its `Accept` header. A client that takes none of them gets JSON: an
 * answer that it did not ask for tells it more than a refusal.
 */
export function chooseForm(accept: string | undefined): ReportForm {
  const ranges = (accept ?? '*/*').split(',').map(readRange)
  const ranked = FORMS.map((form) => ({ form, quality: rateType(MEDIA_TYPES[form], ranges) }))
  return ranked.toSorted((a, b) => b.quality - a.quality)[0]?.form ?? 'json'
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 }
}

/** What is said of the type itself goes before what is said of its kind, and that before what is said of all. */
function rateType(mediaType: string, ranges: readonly MediaRange[]): number {
  const kind = `${mediaType.split('/')[0]}/*`
  for (const type of [mediaType, kind, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === type)
    if (range !== undefined) return range.quality
  }
  return 0
}

/** Writes a stored report in a form. */
export function writeReport({ json }: StoredReport, form: ReportForm): string {
  if (form === 'json') return json
  const report = JSON.parse(json) as ChainReport
  return form === 'markdown' ? renderMarkdown(report) : renderText(report, { color: false, ascii: false })
}

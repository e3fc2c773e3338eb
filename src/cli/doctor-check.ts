import { neutralizeText } from '../report/neutralize-text.ts'

/** What `doctor` thinks of something: `warn` works, but not as one would expect; `fail` does not work. */
export type CheckStatus = 'ok' | 'warn' | 'fail'

/** What a check is about. */
export type CheckSubject =
  | 'node'
  | 'api'
  | 'sdk'
  | 'rules'
  | 'reports'
  | 'provider'
  | 'sampler'
  | 'processor'
  | 'export'
  | 'marks'
  | 'context'
  | 'copies'

/** One line of what `doctor` says; the names are those of the JSON form. */
export interface DoctorCheck {
  readonly check: CheckSubject
  readonly status: CheckStatus
  /** What was found and, unless all is well, what to do. */
  readonly text: string
}

/** The page that texts point to. */
export const SETUP_PAGE = 'docs/setup.md'

/** A line of text for a check; ends in a newline. */
export function renderCheck({ status, text }: DoctorCheck): string {
  return `${status.padEnd(4)}  ${neutralizeText(text)}\n`
}

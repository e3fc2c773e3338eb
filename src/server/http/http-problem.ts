import { STATUS_CODES } from 'node:http'
import type { HttpAnswer } from './http-handler.ts'

const CONTROL = /\p{Cc}/gu

/** Beside what every problem has. */
export interface HttpProblemOptions {
  /** A URI reference that names the kind of problem. @default 'about:blank', which the status alone explains */
  readonly type?: string
  /** What the kind of problem is called. @default the words of the status */
  readonly title?: string
  /** Further headers of the answer, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the problem. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** An answer that is not what was asked for; handlers throw it. Sent as problem details (RFC 9457). */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly status: number
  readonly options: HttpProblemOptions

  /** @param detail what is wrong with this request, for the one who sent it: it goes out as it is */
  constructor(status: number, detail: string, options: HttpProblemOptions = {}) {
    super(detail)
    this.status = status
    this.options = options
  }
}

/** Makes the answer of a problem: `application/problem+json`, never stored by anybody between. */
export function toProblemAnswer(problem: HttpProblem): HttpAnswer {
  const { type = 'about:blank', title, headers, members } = problem.options
  const body = {
    ...members,
    type,
    title: title ?? STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.message.replace(CONTROL, ' '),
  }
  return {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

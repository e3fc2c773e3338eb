import { StoreError } from '../report-store.ts'
import { HttpProblem } from './http-problem.ts'

const MAX_RETRY_SECONDS = 10

/**
 * Makes a problem of whatever a handler threw: an {@link HttpProblem} as it is; a `StoreError` 503 with `Retry-After`
 * where it passes, 500 where the store is damaged; anything else 500, without its text.
 *
 * @param random a number from 0 to below 1, which spreads out those who come back
 */
export function toProblem(error: unknown, random: () => number): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (!(error instanceof StoreError)) return new HttpProblem(500, 'The server failed on this request')
  if (error.fault === 'corrupt') {
    return new HttpProblem(500, 'What is stored is damaged; the operator has to look after it', {
      type: 'urn:agent-reach:problem:store-corrupt',
      title: 'The store is damaged',
    })
  }
  return toUnavailable('The store cannot do this now', random)
}

/** Makes a 503 with a `Retry-After` of 1 to 10 seconds; senders give up at once where it is much longer. */
export function toUnavailable(detail: string, random: () => number): HttpProblem {
  const seconds = 1 + Math.floor(random() * MAX_RETRY_SECONDS)
  return new HttpProblem(503, detail, { headers: { 'retry-after': String(seconds) } })
}

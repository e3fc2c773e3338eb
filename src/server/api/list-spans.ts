import { decodeMessage } from '../../otlp/decode-message.ts'
import type { HttpAnswer } from '../http/http-handler.ts'
import { HttpProblem } from '../http/http-problem.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainNameParameter } from './chain-row.ts'
import { describeJson, describeProblem, refuseMissing } from './json-answer.ts'
import { listSchema, objectSchema } from './json-schema.ts'
import { mergeSpans } from './merge-spans.ts'
import type { ReportReader } from './report-reader.ts'

/** Beyond it an answer would take too much memory: JSON is up to 10 times as large while it is made. */
const MOST_BYTES = 32 * 1024 * 1024

/** Shows the spans from which a chain was judged, with their content. */
export const listSpans: ApiRoute = defineRoute({
  path: '/api/v1/chains/{name}/spans',
  operationId: 'listSpans',
  summary: 'The stored spans of the trace of a chain, as OTLP/JSON',
  pathParameters: { name: chainNameParameter },
  queryParameters: {},
  answers: [
    describeJson(
      'An OTLP/JSON document: what was recorded, with its content, each span once',
      objectSchema('Traces in OTLP/JSON', {
        resourceSpans: listSchema('As OTLP defines it', { type: 'object' }),
      }),
    ),
    describeProblem(403, 'The service does not show spans'),
    describeProblem(404, 'There is no such chain, or its spans are no longer stored'),
    describeProblem(422, `The spans have more than ${MOST_BYTES} bytes`),
  ],
  answer: ({ path: { name }, services: { store, showSpans: isShown } }) => {
    if (!isShown) throw new HttpProblem(403, 'This service does not show spans')
    const chain = store.getChain(name)
    if (chain === null) throw refuseMissing(`Chain ${name}`)
    return showSpans(store, chain.traceId)
  },
})

function showSpans(store: ReportReader, traceId: string): HttpAnswer {
  const bodies = store.readTrace(traceId)?.bodies ?? []
  if (bodies.length === 0) throw new HttpProblem(404, `The spans of trace ${traceId} are no longer stored`)
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  if (bytes > MOST_BYTES) {
    throw new HttpProblem(
      422,
      `Cannot show the spans of trace ${traceId}: expected at most ${MOST_BYTES} bytes, found ${bytes}`,
    )
  }
  const document = mergeSpans(bodies.map((body) => decodeMessage(body).value))
  return {
    status: 200,
    // Recorded content is nothing for a disk between here and there.
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(document, spellNumber),
  }
}

/** JSON has no number for these; OTLP/JSON writes them as text. */
function spellNumber(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

import { HttpProblem } from '../http/http-problem.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import { describeProblem } from './json-answer.ts'
import { createParameter, type Parameter, readQuery } from './parameter.ts'

const HEADER = 'Last-Event-ID'
const POSITION = { type: 'integer', minimum: 0 }

const positionParameter: Parameter<number> = createParameter({
  description: 'Id of the last event that is known; those after it come first. 0 begins with the oldest',
  schema: POSITION,
  expected: 'the id of an event',
  read: (text) => (/^\d{1,15}$/u.test(text) ? Number(text) : null),
})

/** Streams the chains as they are reported. */
export const streamEvents: ApiRoute = defineRoute({
  path: '/api/v1/events',
  operationId: 'streamEvents',
  summary: 'Chains as they are reported, as server-sent events',
  pathParameters: {},
  queryParameters: { after: positionParameter },
  headers: [
    {
      name: HEADER,
      description: 'As `after`, and goes before it: browsers send it when they come back',
      schema: POSITION,
    },
  ],
  answers: [
    {
      status: 200,
      description: 'Events of type `chain`, whose data is a `ChainRow`, and a comment every 15 seconds',
      content: { 'text/event-stream': { type: 'string' } },
    },
    describeProblem(503, 'There are as many streams as may be, or the service ends'),
  ],
  answer: ({ query, request, services: { events } }) => {
    const client = events.open(
      readLastEvent(request.headers[HEADER.toLowerCase()]) ?? query.after ?? null,
      request.signal,
    )
    if (client === null) {
      throw new HttpProblem(503, 'No further stream of events can be opened now', {
        headers: { 'retry-after': '10' },
      })
    }
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // Proxies of the kind of nginx would hold events back until they have a page of them.
        'x-accel-buffering': 'no',
      },
      body: client,
    }
  },
})

/** A header that is empty is what browsers have before the first event. */
function readLastEvent(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  const known = { [HEADER]: positionParameter }
  return readQuery(new URLSearchParams({ [HEADER]: String(header) }), known)[HEADER]
}

import { type ApiRoute, defineRoute } from './api-route.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, schemaRef } from './json-schema.ts'
import { toOpenTraceRow } from './open-trace-row.ts'
import { DEFAULT_LIMIT, limitParameter } from './page-parameters.ts'

/** Lists the traces that are open. */
export const listOpenTraces: ApiRoute = defineRoute({
  path: '/api/v1/open',
  operationId: 'listOpenTraces',
  summary: 'The traces that are open',
  pathParameters: {},
  queryParameters: { limit: limitParameter },
  answers: [
    describeJson(
      'Open traces',
      objectSchema('Open traces', { items: listSchema('The first seen first', schemaRef('OpenTrace')) }),
    ),
  ],
  answer: ({ query: { limit = DEFAULT_LIMIT }, services: { openTraces } }) =>
    toJsonAnswer({ items: openTraces.list(limit).map(toOpenTraceRow) }),
})

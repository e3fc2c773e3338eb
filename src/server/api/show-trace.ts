import { type ApiRoute, defineRoute } from './api-route.ts'
import { traceIdParameter } from './chain-parameters.ts'
import { toChainRow } from './chain-row.ts'
import { describeJson, describeProblem, refuseMissing, toJsonAnswer } from './json-answer.ts'
import { listSchema, nullableSchema, objectSchema, reportRef, schemaRef } from './json-schema.ts'
import { toOpenTraceRow } from './open-trace-row.ts'
import { cutPage, DEFAULT_LIMIT, nextCursorSchema, pageParameters } from './page-parameters.ts'

/** Shows what there is of a trace. */
export const showTrace: ApiRoute = defineRoute({
  path: '/api/v1/traces/{trace_id}',
  operationId: 'showTrace',
  summary: 'The chains of a trace, and whether it is open',
  pathParameters: { trace_id: traceIdParameter },
  queryParameters: pageParameters,
  answers: [
    describeJson(
      'The trace',
      objectSchema('A trace', {
        trace_id: reportRef('TraceId'),
        open: nullableSchema('Null where the trace is not open', schemaRef('OpenTrace')),
        items: listSchema('Its chains that were reported, the newest first', schemaRef('ChainRow')),
        next_cursor: nextCursorSchema,
      }),
    ),
    describeProblem(404, 'No chain of the trace is stored, and it is not open'),
  ],
  answer: ({ path: { trace_id }, query, services: { store, openTraces } }) => {
    const { limit = DEFAULT_LIMIT, cursor = null } = query
    const found = store.listChains({ traceId: trace_id }, limit + 1, cursor)
    const open = openTraces.get(trace_id)
    if (found.length === 0 && open === null && cursor === null) throw refuseMissing(`Trace ${trace_id}`)
    const { items, nextCursor } = cutPage(found, limit)
    return toJsonAnswer({
      trace_id,
      open: open === null ? null : toOpenTraceRow(open),
      items: items.map(toChainRow),
      next_cursor: nextCursor,
    })
  },
})

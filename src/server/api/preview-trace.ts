import { type ApiRoute, defineRoute } from './api-route.ts'
import { traceIdParameter } from './chain-parameters.ts'
import { describeJson, describeProblem, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, reportRef, schemaRef } from './json-schema.ts'
import { toOpenTraceRow } from './open-trace-row.ts'
import { HttpProblem } from '../http/http-problem.ts'

/** Shows the reports that an open trace would have now. */
export const previewTrace: ApiRoute = defineRoute({
  path: '/api/v1/open/{trace_id}',
  operationId: 'previewTrace',
  summary: 'The provisional reports of an open trace',
  pathParameters: { trace_id: traceIdParameter },
  queryParameters: {},
  answers: [
    describeJson(
      'The reports as they would be if the trace were closed now; they are not stored',
      objectSchema('An open trace', {
        trace_id: reportRef('TraceId'),
        open: schemaRef('OpenTrace'),
        reports: listSchema('One for each chain', schemaRef('ChainReport')),
      }),
    ),
    describeProblem(404, 'The trace is not open'),
  ],
  answer: async ({ path: { trace_id }, services: { openTraces } }) => {
    const open = openTraces.get(trace_id)
    const reports = open === null ? null : await openTraces.preview(trace_id)
    if (open === null || reports === null) throw new HttpProblem(404, `Trace ${trace_id} is not open`)
    return toJsonAnswer({ trace_id, open: toOpenTraceRow(open), reports }, { 'cache-control': 'no-store' })
  },
})

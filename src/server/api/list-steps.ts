import type { ChainReport } from '../../report/chain-report.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainNameParameter } from './chain-row.ts'
import { describeJson, describeProblem, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, reportRef } from './json-schema.ts'
import { readStoredReport, revisionParameter } from './stored-report.ts'

/** Lists the steps of a chain without the rest of its report. */
export const listSteps: ApiRoute = defineRoute({
  path: '/api/v1/chains/{name}/steps',
  operationId: 'listSteps',
  summary: 'The steps of a chain',
  pathParameters: { name: chainNameParameter },
  queryParameters: { revision: revisionParameter },
  answers: [
    describeJson(
      'The steps of the report',
      objectSchema('The steps of a chain', {
        name: { description: 'Name of the chain', ...chainNameParameter.schema },
        revision: { description: 'Of the report', type: 'integer', minimum: 1 },
        items: listSchema('In the order of the report', reportRef('ReportStep')),
      }),
    ),
    describeProblem(404, 'There is no such report'),
  ],
  answer: ({ path: { name }, query, services: { store } }) => {
    const { json, revision } = readStoredReport(store, name, query.revision)
    const { steps } = JSON.parse(json) as ChainReport
    return toJsonAnswer({ name, revision, items: steps })
  },
})

import { chainStatuses } from '../../chain/statuses.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainParameters, toChainFilter } from './chain-parameters.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { countSchema, listSchema, objectSchema, reportRef } from './json-schema.ts'

/** Counts chains by their states. */
export const chainStatistics: ApiRoute = defineRoute({
  path: '/api/v1/statistics/chains',
  operationId: 'countChains',
  summary: 'How many chains there are, by status',
  pathParameters: {},
  queryParameters: chainParameters,
  answers: [
    describeJson(
      'Counts of chains',
      objectSchema('Counts of chains', {
        chains: countSchema('Chains in all'),
        items: listSchema(
          'One for each status, those without chains too',
          objectSchema('A status', {
            overall_status: reportRef('ChainStatus'),
            chains: countSchema('Chains of this status'),
          }),
        ),
      }),
    ),
  ],
  answer: ({ query, services: { store } }) => {
    const counts = store.countChains(toChainFilter(query))
    const items = chainStatuses.map((status) => ({ overall_status: status, chains: counts[status] ?? 0 }))
    return toJsonAnswer({ chains: items.reduce((sum, { chains }) => sum + chains, 0), items })
  },
})

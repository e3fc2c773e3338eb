import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainParameters, toChainFilter } from './chain-parameters.ts'
import { toChainRow } from './chain-row.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, schemaRef } from './json-schema.ts'
import { cutPage, DEFAULT_LIMIT, nextCursorSchema, pageParameters } from './page-parameters.ts'

/** Lists chains, the newest first. */
export const listChains: ApiRoute = defineRoute({
  path: '/api/v1/chains',
  operationId: 'listChains',
  summary: 'Chains that were reported, the newest first',
  pathParameters: {},
  queryParameters: { ...chainParameters, ...pageParameters },
  answers: [
    describeJson(
      'A page of chains',
      objectSchema('A page of chains', {
        items: listSchema('By start, the newest first', schemaRef('ChainRow')),
        next_cursor: nextCursorSchema,
      }),
    ),
  ],
  answer: ({ query, services: { store } }) => {
    const { limit = DEFAULT_LIMIT, cursor = null, ...filter } = query
    const { items, nextCursor } = cutPage(store.listChains(toChainFilter(filter), limit + 1, cursor), limit)
    return toJsonAnswer({ items: items.map(toChainRow), next_cursor: nextCursor })
  },
})

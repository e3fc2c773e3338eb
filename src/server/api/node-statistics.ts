import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainParameters, toChainFilter } from './chain-parameters.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { listSchema, nullableSchema, objectSchema, valueSchema } from './json-schema.ts'
import { timeSchema, toJsonTime } from './json-time.ts'
import { nodeHourSchema, nodeTotalSchema, sumNodes, toNodeHourRow } from './node-totals.ts'

const DEFAULT_RANGE_MS = 7 * 24 * 3_600_000

/** Rows of either list; names of nodes may be many where somebody puts ids into them. */
const MOST_ROWS = 10_000

/** Counts what became of each node. */
export const nodeStatistics: ApiRoute = defineRoute({
  path: '/api/v1/statistics/nodes',
  operationId: 'countNodes',
  summary: 'What became of each node, or of one, by hour and in all; without `from` of the last 7 days',
  pathParameters: {},
  queryParameters: chainParameters,
  answers: [
    describeJson(
      'Statistics of nodes',
      objectSchema('Statistics of nodes', {
        from: timeSchema('Chains that started at or after it'),
        to: nullableSchema('Chains that started before it; null without an end', timeSchema('A time')),
        nodes: listSchema('The nodes that failed in most chains first', nodeTotalSchema),
        hours: listSchema('One for each hour, node and state, the latest hour first', nodeHourSchema),
        is_cut: valueSchema(`A list had more than ${MOST_ROWS} rows, and these are the first`, 'boolean'),
      }),
    ),
  ],
  answer: ({ query, services: { store, now } }) => {
    const { from = Math.max(0, (query.to ?? now()) - DEFAULT_RANGE_MS), to } = query
    const ofChains = store.countNodes(toChainFilter({ ...query, from }))
    // The filter picks chains, and a chain has other nodes too.
    const hours = ofChains.filter(({ node }) => node === (query.node ?? node))
    const nodes = sumNodes(hours)
    return toJsonAnswer({
      from: toJsonTime(from),
      to: to === undefined ? null : toJsonTime(to),
      nodes: nodes.slice(0, MOST_ROWS),
      hours: hours
        .toSorted((a, b) => b.hourMs - a.hourMs)
        .slice(0, MOST_ROWS)
        .map(toNodeHourRow),
      is_cut: Math.max(nodes.length, hours.length) > MOST_ROWS,
    })
  },
})

import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainNameParameter } from './chain-row.ts'
import { describeJson, describeProblem, refuseMissing, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, reportRef } from './json-schema.ts'
import { timeSchema, toJsonTime } from './json-time.ts'

/** Lists the reports that a chain had. */
export const listRevisions: ApiRoute = defineRoute({
  path: '/api/v1/chains/{name}/revisions',
  operationId: 'listRevisions',
  summary: 'The revisions of the report of a chain',
  pathParameters: { name: chainNameParameter },
  queryParameters: {},
  answers: [
    describeJson(
      'The revisions that are stored',
      objectSchema('The revisions of a report', {
        name: { description: 'Name of the chain', ...chainNameParameter.schema },
        items: listSchema(
          'The latest first',
          objectSchema('A revision', {
            revision: { description: 'From 1', type: 'integer', minimum: 1 },
            digest: reportRef('Digest'),
            stored_at: timeSchema('When it was stored'),
          }),
        ),
      }),
    ),
    describeProblem(404, 'There is no such chain'),
  ],
  answer: ({ path: { name }, services: { store } }) => {
    const revisions = store.listRevisions(name)
    if (revisions.length === 0) throw refuseMissing(`Chain ${name}`)
    const items = revisions
      .toSorted((a, b) => b.revision - a.revision)
      .map(({ revision, digest, storedMs }) => ({ revision, digest, stored_at: toJsonTime(storedMs) }))
    return toJsonAnswer({ name, items })
  },
})

import { type ApiRoute, defineRoute } from './api-route.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { objectSchema } from './json-schema.ts'

/** Tells that the process serves. */
export const showHealth: ApiRoute = defineRoute({
  path: '/healthz',
  operationId: 'showHealth',
  summary: 'Whether the process serves',
  pathParameters: {},
  queryParameters: {},
  ignoresQuery: true,
  answers: [describeJson('It does', objectSchema('Health', { status: { const: 'ok' } }))],
  answer: () => toJsonAnswer({ status: 'ok' }, { 'cache-control': 'no-store' }),
})

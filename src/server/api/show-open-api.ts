import type { HttpAnswer } from '../http/http-handler.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { createOpenApiDocument } from './open-api-document.ts'
import { readReportSchema } from './read-report-schema.ts'

/** Makes the route that shows the document of all routes, itself among them. */
export function createOpenApiRoute(others: readonly ApiRoute[]): ApiRoute {
  let known: HttpAnswer | null = null
  const route: ApiRoute = defineRoute({
    path: '/openapi.json',
    operationId: 'showOpenApi',
    summary: 'This document',
    pathParameters: {},
    queryParameters: {},
    ignoresQuery: true,
    answers: [describeJson('OpenAPI 3.1', { type: 'object' })],
    answer: (): HttpAnswer =>
      (known ??= toJsonAnswer(createOpenApiDocument([...others, route], readReportSchema()))),
  })
  return route
}

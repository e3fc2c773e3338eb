import { type ApiRoute, defineRoute } from './api-route.ts'
import { PROMETHEUS_TYPE, writeMetrics } from './prometheus-text.ts'

/** Shows the counters of the service. */
export const showMetrics: ApiRoute = defineRoute({
  path: '/metrics',
  operationId: 'showMetrics',
  summary: 'Counters of the service for Prometheus',
  pathParameters: {},
  queryParameters: {},
  ignoresQuery: true,
  answers: [
    {
      status: 200,
      description: 'Text format 0.0.4',
      content: { 'text/plain': { type: 'string' } },
    },
  ],
  answer: ({ services: { metricSources } }) => ({
    status: 200,
    headers: { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' },
    body: writeMetrics(metricSources.flatMap((source) => source.metrics())),
  }),
})

import type { ApiRoute } from './api-route.ts'
import { chainStatistics } from './chain-statistics.ts'
import { listChains } from './list-chains.ts'
import { listOpenTraces } from './list-open-traces.ts'
import { listRevisions } from './list-revisions.ts'
import { listSpans } from './list-spans.ts'
import { listSteps } from './list-steps.ts'
import { nodeStatistics } from './node-statistics.ts'
import { previewTrace } from './preview-trace.ts'
import { showHealth } from './show-health.ts'
import { showMetrics } from './show-metrics.ts'
import { createOpenApiRoute } from './show-open-api.ts'
import { showReadiness } from './show-readiness.ts'
import { showReport } from './show-report.ts'
import { showTrace } from './show-trace.ts'
import { streamEvents } from './stream-events.ts'

const documented: readonly ApiRoute[] = [
  listChains,
  showReport,
  listRevisions,
  listSteps,
  listSpans,
  showTrace,
  listOpenTraces,
  previewTrace,
  nodeStatistics,
  chainStatistics,
  streamEvents,
  showHealth,
  showReadiness,
  showMetrics,
]

/** Every route of the read API. The router and the OpenAPI document are made from it. */
export const apiRoutes: readonly ApiRoute[] = [...documented, createOpenApiRoute(documented)]

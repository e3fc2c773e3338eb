import type { HttpRoute } from '../http/router.ts'
import type { ApiServices, ApiSources } from './api-services.ts'
import { apiRoutes } from './catalog.ts'
import { EventHub } from './event-hub.ts'

/** The read API of the report service. */
export interface ReadApi {
  /** For the router; all of them `GET`. */
  readonly routes: readonly HttpRoute[]
  /** Ends the streams of events, which would go on for as long as their clients want. The other routes still answer. */
  close(): void
}

/** Creates the read API. */
export function createReadApi(sources: ApiSources): ReadApi {
  const events = new EventHub(sources.store, sources.feed)
  const services: ApiServices = {
    showSpans: true,
    ...sources,
    metricSources: [...sources.metricSources, events],
    events,
  }
  const routes = apiRoutes.map(({ path, handle }) => ({
    method: 'GET',
    path,
    handler: (request: Parameters<HttpRoute['handler']>[0]) => handle(request, services),
  }))
  return { routes, close: () => events.close() }
}

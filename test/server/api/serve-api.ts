import { onTestFinished } from 'vitest'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import type { ApiSources } from '../../../src/server/api/api-services.ts'
import { createReadApi, type ReadApi } from '../../../src/server/api/read-api.ts'
import { HttpServer } from '../../../src/server/http/http-server.ts'
import type { OpenTraceView, OpenTraces } from '../../../src/server/open-traces.ts'
import { ReportFeed } from '../../../src/server/report-feed.ts'
import { MemoryStore } from './memory-store.ts'

/** The time at which the tests take place: 2026-11-30T12:00:00Z. */
export const NOW_MS = 1_796_040_000_000

/** An answer of the API. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Throws where the text is no JSON. */
  readonly json: unknown
}

/** A read API that is served until the end of the test. */
export interface ServedApi {
  readonly api: ReadApi
  readonly store: MemoryStore
  readonly feed: ReportFeed
  readonly url: string
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answered>
}

/** Serves the API of a store. */
export async function serveApi(
  store: MemoryStore = new MemoryStore(),
  sources: Partial<ApiSources> = {},
): Promise<ServedApi> {
  const feed = new ReportFeed()
  const api = createReadApi({
    store,
    feed,
    openTraces: createOpenTraces([]),
    state: { isShuttingDown: false, isIntakeFull: false },
    metricSources: [],
    now: () => NOW_MS,
    ...sources,
  })
  const server = new HttpServer({ routes: api.routes, port: 0, log: () => {}, random: () => 0 })
  const { url } = await server.listen()
  onTestFinished(async () => {
    api.close()
    await server.close(0)
  })
  return {
    api,
    store,
    feed,
    url,
    get: async (path, headers = {}) => {
      const response = await fetch(`${url}${path}`, { headers })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        text,
        get json() {
          return JSON.parse(text) as unknown
        },
      }
    },
  }
}

/** Open traces with the reports that each would have. */
export function createOpenTraces(
  traces: readonly { readonly view: OpenTraceView; readonly reports: readonly ChainReport[] }[],
): OpenTraces {
  const find = (traceId: string) => traces.find(({ view }) => view.traceId === traceId)
  return {
    list: (limit) => traces.slice(0, limit).map(({ view }) => view),
    get: (traceId) => find(traceId)?.view ?? null,
    preview: (traceId) => Promise.resolve(find(traceId)?.reports ?? null),
  }
}

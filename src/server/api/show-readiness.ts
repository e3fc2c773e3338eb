import { StoreError } from '../report-store.ts'
import { type ApiRoute, defineRoute } from './api-route.ts'
import type { ApiServices } from './api-services.ts'
import type { ReportReader } from './report-reader.ts'
import { describeJson, toJsonAnswer } from './json-answer.ts'
import { listSchema, objectSchema, valueSchema } from './json-schema.ts'

interface Reason {
  readonly code: 'shutting_down' | 'intake_full' | 'store'
  readonly detail: string
}

const readinessSchema = objectSchema('Readiness', {
  status: { enum: ['ready', 'not_ready'] },
  reasons: listSchema(
    'Why spans should not be sent now; empty where they may',
    objectSchema('A reason', {
      code: { enum: ['shutting_down', 'intake_full', 'store'] },
      detail: valueSchema('For people', 'string'),
    }),
  ),
})

/** Tells whether spans can be taken now. */
export const showReadiness: ApiRoute = defineRoute({
  path: '/readyz',
  operationId: 'showReadiness',
  summary: 'Whether spans can be taken now',
  pathParameters: {},
  queryParameters: {},
  ignoresQuery: true,
  answers: [
    describeJson('They can', readinessSchema),
    { status: 503, description: 'They cannot', content: { 'application/json': readinessSchema } },
  ],
  answer: ({ services }) => {
    const reasons = listReasons(services)
    const isReady = reasons.length === 0
    const body = { status: isReady ? 'ready' : 'not_ready', reasons }
    return { ...toJsonAnswer(body, { 'cache-control': 'no-store' }), status: isReady ? 200 : 503 }
  },
})

function listReasons({ state, store }: ApiServices): readonly Reason[] {
  const reasons: Reason[] = []
  if (state.isShuttingDown) reasons.push({ code: 'shutting_down', detail: 'The service ends' })
  if (state.isIntakeFull) reasons.push({ code: 'intake_full', detail: 'It holds as many spans as it may' })
  const fault = probe(store)
  if (fault !== null) reasons.push({ code: 'store', detail: `The store cannot be written: ${fault}` })
  return reasons
}

/** The message of the error may name paths, so that only its kind is told. */
function probe(store: ReportReader): string | null {
  try {
    store.probe()
    return null
  } catch (error) {
    return error instanceof StoreError ? error.fault : 'io'
  }
}

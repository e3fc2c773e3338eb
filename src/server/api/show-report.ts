import { type ApiRoute, defineRoute } from './api-route.ts'
import { chainNameParameter } from './chain-row.ts'
import { describeProblem } from './json-answer.ts'
import { schemaRef } from './json-schema.ts'
import { chooseForm, formatParameter, MEDIA_TYPES, type ReportForm, writeReport } from './report-form.ts'
import { readStoredReport, revisionParameter } from './stored-report.ts'
import type { StoredReport } from '../report-store.ts'

/** Shows a report as JSON, Markdown or text. */
export const showReport: ApiRoute = defineRoute({
  path: '/api/v1/chains/{name}',
  operationId: 'showReport',
  summary: 'The report of a chain',
  pathParameters: { name: chainNameParameter },
  queryParameters: { revision: revisionParameter, format: formatParameter },
  answers: [
    {
      status: 200,
      description: 'The report, as it was stored or as a page to read',
      content: {
        [MEDIA_TYPES.json]: schemaRef('ChainReport'),
        [MEDIA_TYPES.markdown]: { type: 'string' },
        [MEDIA_TYPES.text]: { type: 'string' },
      },
    },
    describeProblem(404, 'There is no such report'),
  ],
  answer: ({ path, query, request, services: { store } }) => {
    const stored = readStoredReport(store, path.name, query.revision)
    const form = query.format ?? chooseForm(request.headers.accept)
    return {
      status: 200,
      headers: {
        'content-type': form === 'json' ? MEDIA_TYPES.json : `${MEDIA_TYPES[form]}; charset=utf-8`,
        'cache-control': 'no-cache',
        vary: 'accept',
        etag: toEntityTag(stored, form),
      },
      body: writeReport(stored, form),
    }
  },
})

/** The digest leaves out the revision and what is missing, so that it alone would not tell two texts apart. */
function toEntityTag({ digest, revision }: StoredReport, form: ReportForm): string {
  return `"${digest.replaceAll(/[^\w:]/gu, '')}/${revision}/${form}"`
}

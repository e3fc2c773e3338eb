import type { StoredReport } from '../report-store.ts'
import type { ReportReader } from './report-reader.ts'
import { refuseMissing } from './json-answer.ts'
import { createParameter, type Parameter } from './parameter.ts'

/** The revision of a report. */
export const revisionParameter: Parameter<number> = createParameter({
  description: 'Revision of the report; the latest where it is left out',
  schema: { type: 'integer', minimum: 1 },
  expected: 'a whole number from 1',
  read: (text) => (/^[1-9]\d{0,8}$/u.test(text) ? Number(text) : null),
})

/**
 * Reads a report.
 *
 * @param revision the latest where it is left out
 * @throws {HttpProblem} 404 where it is not stored
 */
export function readStoredReport(
  store: ReportReader,
  name: string,
  revision: number | undefined,
): StoredReport {
  const report = store.getReport(name, revision)
  if (report !== null) return report
  throw refuseMissing(revision === undefined ? `Chain ${name}` : `Revision ${revision} of chain ${name}`)
}

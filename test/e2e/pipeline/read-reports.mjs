import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const command = fileURLToPath(new URL('../../../dist/esm/cli/main.js', import.meta.url))
const run = promisify(execFile)

/**
 * Asks the service.
 *
 * @returns {Promise<any>} `null` where there is no such thing
 */
export async function askService({ service, token }, path) {
  const answer = await fetch(new URL(path, service.url), { headers: { authorization: `Bearer ${token}` } })
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`Cannot read ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Reads the report of the one chain of a trace; `null` where there is none yet. */
export async function readStoredReport(pipeline, traceId) {
  const { items } = await askService(pipeline, `/api/v1/chains?trace_id=${traceId}`)
  return items.length === 0 ? null : askService(pipeline, `/api/v1/chains/${items[0].name}`)
}

/** Makes the reports of the archive, as `agent-reach report` on its folder does, by trace. */
export async function reportArchive({ collector }) {
  const args = [command, 'report', collector.archive, '--format', 'json', '--quiet']
  const { stdout } = await run(process.execPath, args, { maxBuffer: 512 * 1024 * 1024 })
  const reports = stdout.split('\n').filter((line) => line !== '')
  return new Map(reports.map((line) => JSON.parse(line)).map((report) => [report.trace_id, report]))
}

import { setTimeout as sleep } from 'node:timers/promises'
import { toChainName } from './seeded-traces.mjs'
import { send } from './service-process.mjs'

const WAIT_MS = 60_000

/**
 * Waits for the report of a trace with one chain.
 *
 * @param accept whether it is the one that is waited for
 */
export async function waitForReport(url, traceId, accept = () => true) {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    const { status, body } = await send(new URL(`/api/v1/chains/${toChainName(traceId)}`, url))
    if (status === 200) {
      const report = JSON.parse(body.toString())
      if (accept(report)) return report
    }
    if (Date.now() > deadline)
      throw new Error(`No report of trace ${traceId}: the last answer was ${status} ${body}`)
    await sleep(200)
  }
}

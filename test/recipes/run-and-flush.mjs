import { runAgent } from '../fixtures/suite/run-agent.mjs'

/**
 * Runs an agent whose tool fails in silence through the registered provider, then ends as `AGENT_ENDS` says: after the
 * provider, by itself (`idle`), or at once (`exit`).
 */
export async function runAndFlush(api) {
  const provider = api.trace.getTracerProvider().getDelegate()
  await runAgent(api, provider, { result: '{"error":"no such order"}' })
  if (process.env.AGENT_ENDS === 'exit') process.exit()
  if (process.env.AGENT_ENDS === 'idle') return
  await provider.forceFlush()
  await provider.shutdown()
}

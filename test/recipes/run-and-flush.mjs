import { runAgent } from '../fixtures/suite/run-agent.mjs'

/** Runs an agent whose tool fails in silence through the registered provider, then ends that provider. */
export async function runAndFlush(api) {
  const provider = api.trace.getTracerProvider().getDelegate()
  await runAgent(api, provider, { result: '{"error":"no such order"}' })
  await provider.forceFlush()
  await provider.shutdown()
}

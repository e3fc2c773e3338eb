import { expect, it, onTestFinished } from 'vitest'
import { writeMetrics } from '../../../src/server/api/prometheus-text.ts'
import { StoreGauges } from '../../../src/server/store-gauges.ts'
import { createChunk, createCommit, newStorePath, NOON_MS, openAt } from './store-samples.ts'

it('the size of the store and what waits in it are told, the last that was known where it cannot be read', async () => {
  const store = await openAt(newStorePath())
  onTestFinished(() => store.close())
  const gauges = new StoreGauges(store)
  const before = store.size().bytes
  const lastChunk = await store.append([createChunk(1, 'x'.repeat(500_000))], NOON_MS)
  store.commitTrace(createCommit(1, { lastChunk, forward: Buffer.from('F') }))
  const { bytes } = store.size()
  expect(bytes - before).toBeGreaterThan(500_000)
  expect(bytes).toBe(store.info().bytes)
  const values = (): readonly string[] =>
    writeMetrics(gauges.metrics())
      .split('\n')
      .filter((line) => !/^#|^$/u.test(line))
  const known = [
    `agent_reach_store_bytes ${bytes}`,
    'agent_reach_store_pending_bytes 0',
    'agent_reach_store_queued_forwards 1',
  ]
  expect(values()).toEqual(known)
  await store.close()
  expect(values()).toEqual(known)
})

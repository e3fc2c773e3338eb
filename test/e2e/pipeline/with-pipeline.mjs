import assert from 'node:assert/strict'
import { startPipeline } from './start-pipeline.mjs'

/**
 * Starts a pipeline, uses it, and stops it: the Collector and the service end well.
 *
 * @template T
 * @param settings of `startPipeline`
 * @param {(pipeline: Awaited<ReturnType<typeof startPipeline>>) => Promise<T>} use what is done with it
 * @returns {Promise<T>}
 */
export async function withPipeline(settings, use) {
  const pipeline = await startPipeline(settings)
  try {
    const found = await use(pipeline)
    assert.equal(await pipeline.collector.stop(), 0)
    assert.equal(await pipeline.service.stop(), 0)
    return found
  } finally {
    await pipeline.kill()
  }
}

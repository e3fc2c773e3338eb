import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toMessage } from '../../otlp/sdk-span.ts'
import { until } from '../../processors/record-run.ts'
import { bundleStore } from '../store/bundle-store.mjs'
import { createChunk, newStorePath, NOON_MS, openAt, traceId } from '../store/store-samples.ts'
import { startReceiver } from './trace-receiver.ts'

const program = join(import.meta.dirname, 'forward-child.mjs')
const QUEUED = 30
const PARALLEL = 2

let bundle: string

beforeAll(async () => {
  bundle = await bundleStore(['server/forward-sender.ts'])
})
afterAll(() => rmSync(dirname(bundle), { recursive: true, force: true }))

async function queueBodies(path: string): Promise<readonly Buffer[]> {
  const store = await openAt(path)
  const bodies = Array.from({ length: QUEUED }, (_, at) =>
    toMessage({ traceId: traceId(at + 1), spanId: '00f067aa0ba902b7', name: 'x'.repeat(2_000) }),
  )
  for (const [at, body] of bodies.entries()) {
    const lastChunk = await store.append([createChunk(at + 1, 'spans')], NOON_MS)
    store.queueForward({ traceId: traceId(at + 1), lastChunk, body, nowMs: Date.now() })
  }
  await store.close()
  return bodies
}

describe('forwarding whose process is killed', () => {
  it('brings every body at least once, in the bytes that were queued, and few twice', async () => {
    const path = newStorePath()
    const bodies = await queueBodies(path)
    const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 5))
    const arrived = (): Set<string> => new Set(receiver.received.map(({ body }) => body.toString('hex')))
    let kills = 0
    let isDone = false
    for (; !isDone; kills += isDone ? 0 : 1) {
      const child = spawn(process.execPath, [program, bundle, path, receiver.url.href], { stdio: 'inherit' })
      const before = arrived().size
      await until(() => arrived().size >= Math.min(before + 5, QUEUED))
      isDone = arrived().size === QUEUED
      // The kill comes at another moment of a request each time.
      await new Promise((resolve) => setTimeout(resolve, kills * 3))
      child.kill(isDone ? 'SIGTERM' : 'SIGKILL')
      await once(child, 'exit')
    }
    const store = await openAt(path)
    expect(store.queuedForwards(QUEUED)).toEqual([])
    await store.close()
    expect(arrived()).toEqual(new Set(bodies.map((body) => body.toString('hex'))))
    expect(receiver.received.length - QUEUED).toBeLessThanOrEqual(kills * PARALLEL)
    expect(kills).toBeGreaterThan(1)
  }, 60_000)
})

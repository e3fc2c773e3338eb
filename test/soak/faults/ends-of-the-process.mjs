// The process of the service ends while it is sent to.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSoak } from '../run-soak.mjs'
import { createRandom } from '../seeded-traces.mjs'
import { runStore, startService } from '../service-process.mjs'

/** Three senders at ease keep every start of the service busy, and leave a number of traces that is soon read back. */
const load = { hold: true, pace: 60, parallel: 3, duplicates: 0.1, wait: 120 }

/** Ends the service by a signal again and again while the checker sends; it is started at once. */
async function endOften(folder, { times, soak, end }) {
  const store = join(folder, 'reports.db')
  const random = createRandom(7)
  let service = await startService({ store })
  const checker = startSoak({ url: service.url, ...load, ...soak })
  const { port } = service
  try {
    for (let at = 0; at < times; at++) {
      await sleep(150 + random() * 350)
      await end(service)
      service = await startService({ store, port })
    }
    const found = await checker.finish()
    assert.equal(await service.stop(), 0)
    const verified = runStore('verify', store)
    assert.deepEqual(verified, { status: 0, output: 'nothing is wrong' })
    return found
  } finally {
    checker.kill()
    await service.kill()
  }
}

const tell = ({ traces, spans, duplicates, acknowledged, retried, torn }) =>
  `${traces} traces, ${spans} spans and ${duplicates} copies in ${acknowledged} requests, ${retried} sent again, ${torn} torn`

export async function killUnderLoad(folder) {
  const times = 50
  const soak = { seed: 11, torn: 0.05 }
  const found = await endOften(folder, { times, soak, end: (service) => service.kill() })
  assert.ok(found.retried > times / 5, 'hardly any request was under way when the service was killed')
  return `${times} kills; ${tell(found)}`
}

export async function stopUnderLoad(folder) {
  const times = 8
  const end = async (service) => assert.equal(await service.stop(), 0)
  const found = await endOften(folder, { times, soak: { seed: 12, torn: 0 }, end })
  return `${times} stops; ${tell(found)}`
}

import { setTimeout as sleep } from 'node:timers/promises'

/** Bounds only what hangs: the machine may be busy. */
const WAIT_MS = 60_000

/**
 * Asks again and again until there is something.
 *
 * @template T
 * @param {string} what for the message of the error
 * @param {() => Promise<T | null>} ask `null` where there is nothing yet; one that throws is asked again
 * @returns {Promise<T>}
 */
export async function waitUntil(what, ask, waitMs = WAIT_MS) {
  const deadline = performance.now() + waitMs
  let last = 'nothing'
  for (;;) {
    try {
      const found = await ask()
      if (found !== null) return found
      last = 'nothing'
    } catch (error) {
      last = error.message
    }
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}: last was ${last}`)
    await sleep(100)
  }
}

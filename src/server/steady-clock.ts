/**
 * Makes a clock that never goes back: where the one it reads is set back, it goes on from where it was.
 *
 * @param now milliseconds since the Unix epoch
 */
export function createSteadyClock(now: () => number): () => number {
  let last = now()
  let aheadMs = 0
  return () => {
    const read = now()
    if (read < last) aheadMs += last - read
    last = read
    return read + aheadMs
  }
}

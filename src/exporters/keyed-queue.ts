/** Runs tasks: those of one key one after another in the order given, those of different keys side by side. */
export interface KeyedQueue {
  /** Resolves or rejects as the task does; a task that fails holds up none after it. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>
  /** Resolves when all tasks that were given so far have ended, whether they failed or not. */
  settled(): Promise<void>
}

/**
 * Creates a queue.
 *
 * @param concurrency tasks that run at a time, at least 1
 */
export function createKeyedQueue(concurrency: number): KeyedQueue {
  /** The end of the last task of each key that has one; a key is gone when its last task has ended. */
  const tails = new Map<string, Promise<void>>()
  /** Tasks that wait for their turn, in order. */
  const waiting = new Set<() => void>()
  let running = 0

  const take = async (): Promise<void> => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.add(resolve))
    else running++
  }

  // A place is handed on to the next that waits, so that `running` cannot exceed the limit in between.
  const release = (): void => {
    const [next] = waiting
    if (next === undefined) running--
    else {
      waiting.delete(next)
      next()
    }
  }

  return {
    run: (key, task) => {
      const before = tails.get(key) ?? Promise.resolve()
      const result = before.then(take).then(() => task().finally(release))
      const tail: Promise<void> = result
        .then(
          () => {},
          () => {},
        )
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key)
        })
      tails.set(key, tail)
      return result
    },
    settled: async () => {
      await Promise.all(tails.values())
    },
  }
}

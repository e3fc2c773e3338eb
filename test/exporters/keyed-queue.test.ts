import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createKeyedQueue } from '../../src/exporters/keyed-queue.ts'

describe('createKeyedQueue()', () => {
  test('runs the tasks of one key one after another, in order', async () => {
    const queue = createKeyedQueue(8)
    const events: string[] = []
    const task = (name: string, ms: number) => async () => {
      events.push(`${name} starts`)
      await setTimeout(ms)
      events.push(`${name} ends`)
    }
    await Promise.all([queue.run('a', task('first', 20)), queue.run('a', task('second', 1))])
    expect(events).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
  })

  test('runs no more tasks at a time than it may', async () => {
    const queue = createKeyedQueue(3)
    let running = 0
    let most = 0
    const task = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await setTimeout(1)
      running--
    }
    await Promise.all(Array.from({ length: 40 }, (_, at) => queue.run(`key ${at % 20}`, task)))
    expect(most).toBe(3)
    expect(running).toBe(0)
  })

  test('gives the result of a task, or its error', async () => {
    const queue = createKeyedQueue(1)
    const failed = queue.run('a', () => Promise.reject(new Error('no')))
    const done = queue.run('a', () => Promise.resolve('yes'))
    await expect(failed).rejects.toThrow('no')
    await expect(done).resolves.toBe('yes')
  })

  test('is settled when all tasks so far have ended, whether they failed or not', async () => {
    const queue = createKeyedQueue(1)
    let ended = 0
    const task = async (): Promise<void> => {
      await setTimeout(5)
      ended++
      throw new Error('no')
    }
    const results = ['a', 'a', 'b'].map((key) => queue.run(key, task))
    const checked = Promise.all(results.map((result) => expect(result).rejects.toThrow('no')))
    await queue.settled()
    expect(ended).toBe(3)
    await checked
    await queue.settled()
  })
})

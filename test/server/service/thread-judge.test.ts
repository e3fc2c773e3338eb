import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JudgeThreadData } from '../../../src/server/judge-messages.ts'
import { openJudge } from '../../../src/server/open-judge.ts'
import { LocalJudge } from '../../../src/server/local-judge.ts'
import { ThreadJudge } from '../../../src/server/thread-judge.ts'
import { defaultRules, type Rules } from '../../../src/rules/rules.ts'
import { openAt } from '../store/store-samples.ts'

/** A program that answers, fails, keeps silent or ends as it is asked to; it counts what it was asked. */
const PROGRAM = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads'
  let asked = 0
  parentPort.on('message', ({ number, preview }) => {
    asked++
    if (preview === 'end') process.exit(3)
    if (preview === 'throw') setImmediate(() => { throw new RangeError('out of range') })
    if (preview === 'count') parentPort.postMessage({ number, result: asked })
    const failure = { message: 'page 7 is damaged', stack: 'here', fault: 'corrupt' }
    if (preview === 'fail') parentPort.postMessage({ number, failure })
  })
`)}`,
)

const settings = { rules: defaultRules, spansPerTrace: 10, marks: null }
const data: JudgeThreadData = { store: 'unused.db', settings }

function startJudge(): ThreadJudge {
  const judge = new ThreadJudge(data, PROGRAM)
  onTestFinished(() => judge.close())
  return judge
}

describe('a judge in a thread of its own', () => {
  it('answers, and tells what the store said when it failed', async () => {
    const judge = startJudge()
    expect(await judge.preview('count')).toBe(1)
    await expect(judge.preview('fail')).rejects.toMatchObject({
      name: 'StoreError',
      fault: 'corrupt',
      message: 'page 7 is damaged',
    })
    expect(await judge.preview('count')).toBe(3)
  })

  it.each([
    ['end', 'The thread of the judge ended with 3'],
    ['throw', 'out of range'],
  ])('is replaced when its thread ends by %s, and what it was asked is rejected', async (how, message) => {
    const judge = startJudge()
    expect(await judge.preview('count')).toBe(1)
    const silent = judge.preview('silent')
    const asked = Promise.allSettled([silent, judge.preview(how)])
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(silent).rejects.toThrow(message)
    expect(await judge.preview('count')).toBe(1)
  })

  it('rejects what is not answered when it is closed', async () => {
    const judge = startJudge()
    const silent = judge.preview('silent')
    const rejected = expect(silent).rejects.toThrow('The service has stopped')
    await judge.close()
    await rejected
  })
})

describe('a thread', () => {
  const program = pathToFileURL(import.meta.filename)

  it('is for stores in files, and rules that are plain data', () => {
    const schema = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } }
    const rules = { ...defaultRules, nodes: [{ resultSchema: { schema } }] } as unknown as Rules
    expect(ThreadJudge.isPossible(data, program)).toBe(true)
    expect(ThreadJudge.isPossible({ store: ':memory:', settings }, program)).toBe(false)
    expect(ThreadJudge.isPossible({ ...data, settings: { ...settings, rules } }, program)).toBe(false)
    expect(ThreadJudge.isPossible(data, new URL('absent.js', program))).toBe(false)
  })

  it('is not what judges a store in memory', async () => {
    const store = await openAt(':memory:')
    onTestFinished(() => store.close())
    expect(openJudge(store, ':memory:', settings)).toBeInstanceOf(LocalJudge)
  })
})

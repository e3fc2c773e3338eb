import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ChainReport } from '../report/chain-report.ts'
import type { JudgeFailure, JudgeQuestion, JudgeReply, JudgeThreadData } from './judge-messages.ts'
import { StoreError } from './report-store.ts'
import type { JudgeTask, TraceJudge, TraceVerdict } from './trace-judge.ts'

/** Where the program of the thread lies in the package as it is built. */
const PROGRAM = new URL('../server/judge-thread.js', import.meta.url)

const PARALLEL = 16
const SLICE_MS = 200

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

type Question = JudgeQuestion extends infer Q ? (Q extends unknown ? Omit<Q, 'number'> : never) : never

/**
 * Judges in a thread of its own, which reads the file of the store: however long a trace is, requests are answered
 * meanwhile. A thread that ends, since the memory was not enough for a trace, takes nothing with it: what was asked for
 * is rejected, and the next question starts another one.
 */
export class ThreadJudge implements TraceJudge {
  readonly parallel: number = PARALLEL
  readonly sliceMillis: number = SLICE_MS
  readonly #data: JudgeThreadData
  readonly #program: URL
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #asked = 0

  /** @param program what the thread runs */
  constructor(data: JudgeThreadData, program: URL = PROGRAM) {
    this.#data = data
    this.#program = program
  }

  /** Whether there is a program for the thread, and what it has to be given can be given to it. */
  static isPossible(data: JudgeThreadData, program: URL = PROGRAM): boolean {
    if (data.store === ':memory:' || !existsSync(program)) return false
    try {
      structuredClone(data)
      return true
    } catch {
      return false
    }
  }

  judge(task: JudgeTask): Promise<TraceVerdict | null> {
    return this.#ask({ task }) as Promise<TraceVerdict | null>
  }

  preview(traceId: string): Promise<readonly ChainReport[] | null> {
    return this.#ask({ preview: traceId }) as Promise<readonly ChainReport[] | null>
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
    this.#rejectAll(new Error('The service has stopped'))
  }

  #ask(question: Question): Promise<unknown> {
    const worker = (this.#worker ??= this.#start())
    this.#asked++
    const number = this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      worker.postMessage({ ...question, number })
    })
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { workerData: this.#data, name: 'judge' })
    worker.on('message', (reply: JudgeReply) => this.#settle(reply))
    worker.on('error', (error: Error) => this.#ended(worker, error))
    worker.on('exit', (code) => this.#ended(worker, new Error(`The thread of the judge ended with ${code}`)))
    return worker
  }

  #settle(reply: JudgeReply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if ('result' in reply) waiting?.resolve(reply.result)
    else waiting?.reject(toError(reply.failure))
  }

  #ended(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#rejectAll(error)
  }

  #rejectAll(error: Error): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}

function toError({ message, stack, fault }: JudgeFailure): Error {
  const error = fault === null ? new Error(message) : new StoreError(fault, message)
  error.stack = stack
  return error
}

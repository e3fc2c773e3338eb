import { parentPort, workerData } from 'node:worker_threads'
import type { JudgeFailure, JudgeQuestion, JudgeReply, JudgeThreadData } from './judge-messages.ts'
import { judgeTrace, previewTrace, toJudgeParts } from './judge-trace.ts'
import { openStore } from './open-store.ts'
import { type ReportStore, StoreError } from './report-store.ts'

// The program of the thread in which traces are judged: `ThreadJudge` starts it.
const { store, settings } = workerData as JudgeThreadData
const parts = toJudgeParts(settings)
let source: Promise<ReportStore> | null = null

parentPort?.on('message', (question: JudgeQuestion) => {
  void answer(question).then((reply) => parentPort?.postMessage(reply))
})

/** What could not be opened is opened anew for the next question. */
async function openSource(): Promise<ReportStore> {
  try {
    return await openStore({ path: store, now: Date.now, readOnly: true })
  } catch (error) {
    source = null
    throw error
  }
}

async function answer(question: JudgeQuestion): Promise<JudgeReply> {
  const { number } = question
  try {
    const traces = await (source ??= openSource())
    const result =
      'task' in question
        ? judgeTrace(traces, question.task, parts)
        : previewTrace(traces, question.preview, parts)
    return { number, result }
  } catch (error) {
    return { number, failure: toFailure(error) }
  }
}

function toFailure(error: unknown): JudgeFailure {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { message, stack, fault: error instanceof StoreError ? error.fault : null }
}

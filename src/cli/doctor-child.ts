import { spawn } from 'node:child_process'
import type { CliIo } from './cli-io.ts'
import { createProbeProgram, type ProbeFacts, type ProbeMessage } from './doctor-probe.ts'

/** The files that a program is started with, as `node` takes them. */
export interface Preloads {
  readonly require: string | null
  readonly import: string | null
}

/** What became of a probe. */
export interface ProbeOutcome {
  /** `null` where the probe did not come to its end. */
  readonly facts: ProbeFacts | null
  /** How the process ended where there are no facts. */
  readonly ending: string
  /** The last of what was written to standard error. */
  readonly stderr: string
}

/** How long a set-up may take to load and be looked at. */
const PROBE_LIMIT_MILLIS = 30_000

const KEPT_STDERR = 16_384

/** Starts Node with a set-up in front of the probe, as the program is started, and waits for its end. Never rejects. */
export function runProbe(
  preloads: Preloads,
  { cwd, env }: Pick<CliIo, 'cwd' | 'env'>,
  limitMillis: number = PROBE_LIMIT_MILLIS,
): Promise<ProbeOutcome> {
  const child = spawn(process.execPath, toArguments(preloads), {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
    // Whatever the set-up has started itself may hold it open.
    child.stderr?.destroy()
  }, limitMillis)
  let facts: ProbeFacts | null = null
  let stderr = ''
  child.on('message', (message) => {
    // A set-up may send messages of its own.
    if (isProbeMessage(message)) facts = message.agentReachDoctor
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT_STDERR)
  })
  return new Promise((resolve) => {
    const settle = (ending: string): void => {
      clearTimeout(timer)
      resolve({ facts, ending, stderr })
    }
    child.on('error', (error) => settle(error.message))
    child.on('close', (code, signal) => {
      if (isLate) settle(`a process that was still at it after ${limitMillis / 1000} s`)
      else settle(`a process that ended with ${signal ?? `exit code ${code}`}`)
    })
  })
}

function toArguments(preloads: Preloads): readonly string[] {
  return [
    ...(preloads.require === null ? [] : ['--require', preloads.require]),
    ...(preloads.import === null ? [] : ['--import', preloads.import]),
    '--input-type=commonjs',
    '--eval',
    createProbeProgram(),
  ]
}

function isProbeMessage(message: unknown): message is ProbeMessage {
  return typeof message === 'object' && message !== null && 'agentReachDoctor' in message
}

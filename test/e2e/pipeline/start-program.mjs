import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from './wait-until.mjs'

/**
 * Starts a program and waits until it answers.
 *
 * @param {object} program
 * @param {string} program.file
 * @param {string[]} program.args
 * @param {Record<string, string>} program.env what comes to the environment
 * @param {string} program.cwd
 * @param {string} program.healthUrl answers 200 when it is ready
 */
export async function startProgram({ file, args, env, cwd, healthUrl }) {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      if (lines.length < 10_000) lines.push(piece)
    })
  }
  const output = () => lines.join('')
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal) => {
    child.kill(signal)
    return exit
  }
  try {
    await waitUntil(`${file} at ${healthUrl}`, async () => {
      if (hasEnded()) return 'ended'
      return (await fetch(healthUrl)).status === 200 ? 'ready' : null
    })
  } catch (error) {
    await end('SIGKILL')
    throw new Error(`${error.message}\n${output()}`, { cause: error })
  }
  if (hasEnded()) throw new Error(`Cannot start ${file}: it ended with ${child.exitCode}\n${output()}`)
  return {
    pid: child.pid,
    output,
    /** @returns the exit code */
    stop: async () => (await end('SIGTERM')).code,
    kill: () => end('SIGKILL'),
  }
}

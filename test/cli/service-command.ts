import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { command } from '../build-dist.ts'
import { createTraces } from '../docs/traces.ts'

/** Where a command runs, and what it finds around it. */
export interface CommandPlace {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** What a command that ended has left. */
export interface CommandOutcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command as it is shipped, until it ends; with nothing of the environment but the path. */
export function runCommand(args: readonly string[], { cwd, env = {} }: CommandPlace): CommandOutcome {
  return spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'], ...env },
  })
}

/** `agent-reach serve` in a process of its own. */
export interface RunningCommand {
  readonly url: string
  readonly child: ChildProcess
  /** Exit code and signal. */
  readonly ended: Promise<readonly unknown[]>
  /** Waits for a line of the log. */
  readonly waitForLine: (message: string) => Promise<void>
}

/** Starts `agent-reach serve` on a free port unless told otherwise, and waits until it listens. */
export async function startCommand(
  args: readonly string[],
  { cwd, env = {} }: CommandPlace,
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [command, 'serve', ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], AGENT_REACH_PORT: '0', ...env },
  })
  const ended = once(child, 'exit')
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  const find = async (message: string): Promise<string> => {
    for (;;) {
      const line = lines.find((text) => text.includes(`"message":"${message}"`))
      if (line !== undefined) return line
      if (child.exitCode !== null) throw new Error(`ended without '${message}': ${lines.join('\n')}`)
      await delay(10)
    }
  }
  const { url } = JSON.parse(await find('service started')) as { readonly url: string }
  return {
    url,
    child,
    ended,
    waitForLine: async (message) => {
      await find(message)
    },
  }
}

/** Sends one small trace, and gives the status of the answer. */
export async function sendTraces(url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body: createTraces() })
  return status
}

/** Waits until the service has made a report. */
export async function waitForReport(url: string): Promise<void> {
  for (;;) {
    const { items } = (await (await fetch(`${url}/api/v1/chains`)).json()) as { readonly items: unknown[] }
    if (items.length > 0) return
    await delay(50)
  }
}

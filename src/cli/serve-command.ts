import { EventEmitter, once } from 'node:events'
import { constants } from 'node:os'
import { createJsonLog, type LogLevel, type ServiceLog } from '../server/service-log.ts'
import type { ServiceSettings } from '../server/service-settings.ts'
import { startService } from '../server/start-report-service.ts'
import type { CliIo } from './cli-io.ts'
import { parseArguments } from './command-options.ts'
import { renderHelp } from './help-text.ts'
import { readServeSettings } from './read-serve-settings.ts'
import { findSettings, type FoundSetting, type ServeSettingName, serveTable } from './serve-options.ts'
import { isSystemError } from './system-error.ts'
import { TextOutput } from './text-output.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs `serve`, until the process is told to end.
 *
 * @returns the exit code
 * @throws {UsageError} where the arguments make no sense
 * @throws {RulesError} where the rules cannot be used
 */
export async function runServeCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const given = parseArguments(argv, serveTable)
  const output = new TextOutput(io.stdout)
  if (given.flags.has('help')) {
    await output.write(renderHelp(serveTable))
    return 0
  }
  if (given.operands.length > 0) {
    throw new UsageError(`Cannot run ${serveTable.name}: expected options only, found ${given.operands[0]}`)
  }
  const found = findSettings(given, io.env)
  const settings = readServeSettings({ found, cwd: io.cwd, env: io.env })
  if (given.flags.has('print-config')) {
    await output.write(printSettings(found, settings))
    return 0
  }
  const level = (found.get('log-level')?.value ?? 'info') as LogLevel
  const log = createJsonLog(level, (line) => void io.stderr.write(line), Date.now)
  return serve(settings, log)
}

/** A refusal to start is told like any wrong use; what happens later goes to the log. */
async function serve(settings: ServiceSettings, log: ServiceLog): Promise<number> {
  // Heard from now on, so that a stop that comes early is a stop.
  const signals = hearSignals()
  try {
    const service = await startService(settings, log).catch((error: unknown) => {
      throw toListenError(error, settings)
    })
    const { url, driver } = service
    log('info', 'service started', { url, store: settings.store, driver, pid: process.pid })
    await signals.first
    log('info', 'service stopping')
    await service.stop()
  } finally {
    signals.ignore()
  }
  return 0
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Hears what tells a process to end. The first signal is for the caller; the second, of whichever kind, ends the process
 * at once, with the exit code that a shell gives it: as the first process of a container it would survive the default
 * action. What has been acknowledged is on the disk by then.
 */
function hearSignals(): { readonly first: Promise<void>; readonly ignore: () => void } {
  const heard = new EventEmitter()
  const hear = (signal: (typeof STOP_SIGNALS)[number]): void => {
    // Nobody listens for it any more once it came.
    if (!heard.emit('first')) process.exit(128 + constants.signals[signal])
  }
  const first = once(heard, 'first').then(() => {})
  for (const signal of STOP_SIGNALS) process.on(signal, hear)
  const ignore = (): void => {
    for (const signal of STOP_SIGNALS) process.off(signal, hear)
  }
  return { first, ignore }
}

/** The mishap that is met most says what to look at. */
function toListenError(error: unknown, { host, port }: ServiceSettings): unknown {
  if (!isSystemError(error) || error.code !== 'EADDRINUSE') return error
  return new UsageError(
    `Cannot listen on ${host}:${port}: expected a port that is free, found one that another program has`,
  )
}

function printSettings(
  found: ReadonlyMap<ServeSettingName, FoundSetting>,
  settings: ServiceSettings,
): string {
  const shown = Object.fromEntries(
    [...found.values()].map(({ name, value, source }) => [name, { value: hide(name, value), source }]),
  )
  return `${JSON.stringify({ ...shown, token: { value: settings.token === null ? null : 'set' } }, null, 2)}\n`
}

/** Headers of an endpoint hold its keys. */
function hide(name: ServeSettingName, value: string | null): string | null {
  return name === 'forward-headers' && value !== null
    ? value.replaceAll(/(?<=^|,)([\w-]*=)?[^,]*/gu, '$1…')
    : value
}

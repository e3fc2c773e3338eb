import { once } from 'node:events'
import { openStore } from '../server/open-store.ts'
import { ReportService } from '../server/report-service.ts'
import { createJsonLog, describeForLog, type LogLevel, type ServiceLog } from '../server/service-log.ts'
import type { ServiceSettings } from '../server/service-settings.ts'
import type { CliIo } from './cli-io.ts'
import { parseArguments } from './command-options.ts'
import { renderHelp } from './help-text.ts'
import { readServeSettings } from './read-serve-settings.ts'
import { findSettings, type FoundSetting, type ServeSettingName, serveTable } from './serve-options.ts'
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
  const store = await openStore({ path: settings.store, now: Date.now })
  // Heard from now on, so that a stop that comes early is a stop.
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  try {
    const service = new ReportService(settings, { store, log, now: Date.now, random: Math.random })
    const { url } = await service.start()
    log('info', 'service started', {
      url,
      store: settings.store,
      driver: store.info().driver,
      pid: process.pid,
    })
    await stopped
    log('info', 'service stopping')
    await service.stop()
  } catch (error) {
    await store.close().catch((closing: unknown) => {
      log('error', 'the store could not be closed', { reason: describeForLog(closing) })
    })
    throw error
  }
  return 0
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

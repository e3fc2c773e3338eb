import { openStore } from './open-store.ts'
import { ReportService } from './report-service.ts'
import { type ReportServiceOptions, toServiceSettings } from './report-service-options.ts'
import type { ServiceLog } from './service-log.ts'
import type { ServiceSettings } from './service-settings.ts'

/** A report service that runs in this program. */
export interface RunningReportService {
  /** Where it listens, with its port. */
  readonly url: string
  /** What the store is opened with: `node:sqlite` or `better-sqlite3`. */
  readonly driver: string
  /** All that holds, defaults filled in. */
  readonly settings: ServiceSettings
  /** Answers what is in work, makes the reports that are due, closes the store. */
  stop(): Promise<void>
}

/**
 * Starts a report service in this program: what `agent-reach serve` does, without the command line. On Node.js before
 * 22.13 the package `better-sqlite3` 12 has to be installed.
 *
 * @throws {TypeError} where an option makes no sense
 * @throws {RulesError} where the rules cannot be used
 * @throws the error of the store where its file cannot be used, and that of the system where the address cannot be had
 */
export async function startReportService(options: ReportServiceOptions = {}): Promise<RunningReportService> {
  return startService(toServiceSettings(options), options.log ?? (() => {}))
}

/** Starts a report service by settings that are complete; throws as {@link startReportService}. */
export async function startService(
  settings: ServiceSettings,
  log: ServiceLog,
): Promise<RunningReportService> {
  const store = await openStore({ path: settings.store, now: Date.now })
  try {
    const service = new ReportService(settings, { store, log, now: Date.now, random: Math.random })
    const { url } = await service.start()
    return { url, settings, driver: store.info().driver, stop: () => service.stop() }
  } catch (error) {
    await store.close()
    throw error
  }
}

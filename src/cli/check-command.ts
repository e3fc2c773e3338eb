import type { CliIo } from './cli-io.ts'
import { reportRemarks, runReportCommand } from './report-command.ts'
import { reportOptionRows, type ReportCommand } from './report-options.ts'

/** `agent-reach check`: `report` with the bar `partial_failed`, for CI. */
export const checkCommand: ReportCommand = {
  table: {
    name: 'agent-reach check',
    usage: '<input…> [options]',
    summary: [
      'The same as agent-reach report --fail-on partial_failed: reads spans, judges each run of an agent in',
      'them, and exits 1 unless all are a success.',
    ],
    options: reportOptionRows,
    remarks: reportRemarks,
  },
  defaultBar: 'partial_failed',
}

/**
 * Runs `check`.
 *
 * @returns the exit code
 * @throws {UsageError} where the arguments make no sense
 */
export function runCheckCommand(argv: readonly string[], io: CliIo): Promise<number> {
  return runReportCommand(argv, io, checkCommand)
}

import { loadRules } from '../rules/load-rules.ts'
import { defaultRules, type Rules } from '../rules/rules.ts'
import type { RulesFile } from '../rules/rules-file.ts'
import type { ReportTarget } from '../exporters/report-outlet.ts'
import { requireTimerMillis } from '../exporters/require-whole-number.ts'
import { type LiveLimits, toLiveLimits } from '../pipeline/live-limits.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { LiveAlert, LiveFinding } from './live-event.ts'

/** How an `AgentReachProcessor` judges, what it writes on spans, and where its reports go. All may be left out. */
export interface AgentReachProcessorOptions {
  /**
   * What is asked of the runs: the path of a rules file, or the same as an object.
   *
   * @default no rules: the built-in checks alone
   */
  readonly rules?: string | RulesFile
  /**
   * Where reports go: the path of a folder (one file per chain), a sink, or a list of both; `false` for nowhere. Each
   * sink gets a queue of its own, so that nothing is ever written while the agent waits.
   *
   * @default 'chain-reports'
   */
  readonly reports?: ReportTarget | false
  /**
   * Whether the status of a step that is `reached_invalid`, `unreachable` or `timed_out` is raised from UNSET to
   * ERROR, so that backends show it in red. Never that of a root, of an HTTP or a database span, and never one that
   * somebody set. It changes error rates that count spans.
   *
   * @default 'unset'
   */
  readonly markStatus?: 'unset' | 'never'
  /**
   * Adds an event `gen_ai.evaluation.result` (and a log record) to every step of which something could be checked.
   *
   * @default false
   */
  readonly evaluationEvents?: boolean
  /**
   * The address of a report, written on the root; `{trace_id}`, `{chain_id}`, `{day}` (on which the root started, in
   * UTC) and `{report_name}` (the name of the file without its ending) are filled in.
   */
  readonly reportUrl?: string
  readonly limits?: LiveLimits
  /**
   * How long `forceFlush` and `shutdown` wait for the sinks at most, in milliseconds.
   *
   * @default 5000
   */
  readonly flushTimeoutMillis?: number
  /** Told of each finding when its step ends, before what the report finally makes of it. */
  readonly onFinding?: (finding: LiveFinding) => void
  /** Told of each alert when the step ends at which it fires. */
  readonly onAlert?: (alert: LiveAlert) => void
  /** Told of each report when its chain is closed. What it does is recorded in no trace. */
  readonly onReport?: (report: ChainReport) => void
}

/** Options with every default filled in. */
export interface ProcessorSettings extends Required<
  Pick<AgentReachProcessorOptions, 'markStatus' | 'evaluationEvents' | 'flushTimeoutMillis'>
> {
  readonly rules: Rules
  readonly reports: ReportTarget | null
  readonly limits: Required<LiveLimits>
  readonly reportUrl: string | null
  readonly hooks: Pick<AgentReachProcessorOptions, 'onFinding' | 'onAlert' | 'onReport'>
}

const knownOptions: readonly string[] = [
  'rules',
  'reports',
  'markStatus',
  'evaluationEvents',
  'reportUrl',
  'limits',
  'flushTimeoutMillis',
  'onFinding',
  'onAlert',
  'onReport',
]

/**
 * Checks options and fills in the defaults.
 *
 * @throws {RulesError} where the rules cannot be used
 * @throws {TypeError} where an option is unknown or of a wrong kind
 * @throws {RangeError} where a number is out of range
 */
export function toProcessorSettings(options: AgentReachProcessorOptions): ProcessorSettings {
  for (const name of Object.keys(options)) {
    if (!knownOptions.includes(name)) refuse(name, `one of ${knownOptions.join(', ')}`, 'an unknown option')
  }
  const { rules, reports = 'chain-reports', markStatus = 'unset', reportUrl = null } = options
  if (markStatus !== 'unset' && markStatus !== 'never') {
    refuse('markStatus', `'unset' or 'never'`, JSON.stringify(markStatus))
  }
  requireType(options, ['onFinding', 'onAlert', 'onReport'], 'function')
  requireType(options, ['reportUrl'], 'string')
  requireType(options, ['evaluationEvents'], 'boolean')
  requireType(options, ['limits'], 'object')
  return {
    rules: rules === undefined ? defaultRules : loadRules(rules),
    reports: reports === false ? null : reports,
    markStatus,
    evaluationEvents: options.evaluationEvents ?? false,
    reportUrl,
    limits: toLiveLimits(options.limits ?? {}),
    flushTimeoutMillis: requireTimerMillis({
      of: 'AgentReachProcessor',
      name: 'flushTimeoutMillis',
      value: options.flushTimeoutMillis ?? 5_000,
      minimum: 0,
    }),
    hooks: options,
  }
}

function requireType(
  options: AgentReachProcessorOptions,
  names: readonly (keyof AgentReachProcessorOptions)[],
  type: 'function' | 'string' | 'boolean' | 'object',
): void {
  for (const name of names) {
    const value: unknown = options[name]
    const found = value === null ? 'null' : typeof value
    if (value === undefined || found === type) continue
    refuse(name, `${type === 'object' ? 'an' : 'a'} ${type}`, found)
  }
}

function refuse(name: string, expected: string, found: string): never {
  throw new TypeError(
    `Cannot create an AgentReachProcessor: expected ${name} to be ${expected}, found ${found}`,
  )
}

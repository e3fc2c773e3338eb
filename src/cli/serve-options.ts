import type { CommandTable, GivenArguments, OptionRow } from './command-options.ts'
import { UsageError } from './usage-error.ts'

/** The settings of `serve`: each is an option, and an environment variable. */
export type ServeSettingName =
  | 'store'
  | 'host'
  | 'port'
  | 'allow-host'
  | 'token-file'
  | 'tls-cert'
  | 'tls-key'
  | 'rules'
  | 'settle'
  | 'remote-wait'
  | 'idle'
  | 'max-age'
  | 'max-open'
  | 'retention'
  | 'retention-size'
  | 'span-retention'
  | 'max-body'
  | 'max-requests'
  | 'max-pending'
  | 'show-spans'
  | 'forward'
  | 'forward-headers'
  | 'forward-after'
  | 'forward-max-age'
  | 'mark-status'
  | 'report-url'
  | 'stop-timeout'
  | 'log-level'

export type ServeOptionName = ServeSettingName | 'print-config' | 'help'

interface SettingRow extends OptionRow<ServeSettingName> {
  /** What holds where nothing is given; `null` where there is nothing then. */
  readonly fallback: string | null
}

/** One row for each setting. */
const serveSettings: readonly SettingRow[] = [
  row('store', 'FILE', 'agent-reach.db', 'the file of spans and reports'),
  row('host', 'ADDRESS', '127.0.0.1', 'where it listens; any but a local address needs a token'),
  row('port', 'PORT', '4318', 'the port; 0 takes a free one'),
  row(
    'allow-host',
    'NAMES',
    null,
    'further names, separated by commas, that it may be called by without a token',
  ),
  row('token-file', 'FILE', null, 'a file with the token that every request has to bring'),
  row('tls-cert', 'FILE', null, 'the certificate in PEM, for HTTPS'),
  row('tls-key', 'FILE', null, 'the key of the certificate in PEM'),
  row('rules', 'FILE', null, 'what is asked of the runs'),
  row('settle', 'TIME', '5s', 'a complete trace is reported after so long without a span'),
  row('remote-wait', 'TIME', '30s', 'the same where a parent is in another process and has not come'),
  row('idle', 'TIME', '30m', 'the same where a trace is not complete; its reports are partial'),
  row('max-age', 'TIME', '1d', 'an open trace is reported after so long in any case'),
  row('max-open', 'NUMBER', '100000', 'traces that are open; beyond them the oldest is reported as partial'),
  row('retention', 'TIME', null, 'reported traces are removed after so long'),
  row('retention-size', 'SIZE', null, 'the oldest reported traces are removed where the store is larger'),
  row(
    'span-retention',
    'TIME',
    null,
    'the spans of reported traces are removed after so long, their reports stay',
  ),
  row('max-body', 'SIZE', '64MiB', 'the longest request, packed or not'),
  row('max-requests', 'NUMBER', '64', 'requests in work at a time; more are told to come again'),
  row('max-pending', 'SIZE', '256MiB', 'bytes in work or waiting for the disk; with more the same'),
  {
    ...row('show-spans', 'MODE', 'yes', 'whether the API shows recorded spans, with their content'),
    choices: ['yes', 'no'],
  },
  row('forward', 'URL', null, 'an OTLP/HTTP endpoint that gets the spans with their marks'),
  row('forward-headers', 'LIST', null, 'headers for it, as name=value,name=value'),
  row('forward-after', 'TIME', '10s', 'spans of an open trace go on after so long'),
  row('forward-max-age', 'TIME', '1d', 'what could not be delivered for so long is given up'),
  {
    ...row('mark-status', 'MODE', 'unset', 'whether a failed step may be given status ERROR'),
    choices: ['unset', 'never'],
  },
  row('report-url', 'TEMPLATE', null, 'the link to the report on forwarded roots, with {report_name}'),
  row('stop-timeout', 'TIME', '10s', 'how long a stop may take'),
  {
    ...row('log-level', 'LEVEL', 'info', 'the least grave lines of the log'),
    choices: ['debug', 'info', 'warn', 'error'],
  },
]

/** `agent-reach serve`: the report service. */
export const serveTable: CommandTable<ServeOptionName> = {
  name: 'agent-reach serve',
  usage: '[options]',
  summary: [
    'Takes spans by OTLP/HTTP from any SDK or collector, keeps one report per chain and answers over HTTP.',
    'What it has acknowledged is on the disk.',
  ],
  options: [
    ...serveSettings.map(({ fallback, ...option }) => ({
      ...option,
      help: fallback === null ? option.help : `${option.help} (default ${fallback})`,
    })),
    { name: 'print-config', help: 'show what holds and where it is from, and do nothing' },
    { name: 'help', short: 'h', help: 'show this text' },
  ],
  remarks: [
    'Every setting is an environment variable too, as AGENT_REACH_RETENTION_SIZE; an option outweighs it. The token may',
    'stand in AGENT_REACH_TOKEN. The log goes to standard error, one JSON object a line.',
    '',
    'SIGTERM or SIGINT stops it: what is in work is answered first. A second one ends it at once; what has been',
    'acknowledged is on the disk all the same.',
    '',
    'Exit codes: 0 it was stopped; 2 it could not start; 130 or 143 a second SIGINT or SIGTERM ended it.',
  ],
}

function row(name: ServeSettingName, value: string, fallback: string | null, help: string): SettingRow {
  return { name, value, fallback, help }
}

/** A setting as it was found. */
export interface FoundSetting {
  readonly name: ServeSettingName
  /** `null` where there is none. */
  readonly value: string | null
  /** `option`, the name of the environment variable, or `default`. */
  readonly source: string
}

/**
 * Finds what holds: an option, else the environment variable where that is not empty, else the default.
 *
 * @throws {UsageError} where a variable has none of the values that its setting can have
 */
export function findSettings(
  { values }: GivenArguments<ServeOptionName>,
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<ServeSettingName, FoundSetting> {
  return new Map(
    serveSettings.map(({ name, fallback, choices }) => {
      const variable = `AGENT_REACH_${name.replaceAll('-', '_').toUpperCase()}`
      const given = values.get(name)
      const set = env[variable] ?? ''
      if (given !== undefined) return [name, { name, value: given, source: 'option' }]
      if (set !== '' && choices?.includes(set) === false) {
        throw new UsageError(`Cannot read ${variable}: expected ${choices.join(', ')}, found '${set}'`)
      }
      if (set !== '') return [name, { name, value: set, source: variable }]
      return [name, { name, value: fallback, source: 'default' }]
    }),
  )
}

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadRules } from '../rules/load-rules.ts'
import { defaultRules } from '../rules/rules.ts'
import { defaultClosingLimits } from '../server/open-trace-log.ts'
import type { ForwardSettings, ServiceSettings } from '../server/service-settings.ts'
import { readBytes } from './read-bytes.ts'
import { readPeriod } from './read-period.ts'
import type { FoundSetting, ServeSettingName } from './serve-options.ts'
import { describeSystemError, isSystemError } from './system-error.ts'
import { UsageError } from './usage-error.ts'

/** Where settings are read: what was found, the folder of relative paths, and the environment for the token. */
export interface SettingSource {
  readonly found: ReadonlyMap<ServeSettingName, FoundSetting>
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads what was found as the settings of the service.
 *
 * @throws {UsageError} where a value makes no sense or a file cannot be read
 * @throws {RulesError} where the rules cannot be used
 */
export function readServeSettings(source: SettingSource): ServiceSettings {
  const read = new SettingReader(source)
  const rules = read.path('rules')
  return {
    store: read.text('store') === ':memory:' ? ':memory:' : (read.path('store') ?? ''),
    host: read.text('host') ?? '',
    port: read.count('port', 0, 65_535),
    allowedHosts: read.list('allow-host'),
    token: readToken(read, source.env),
    tls: readTls(read),
    rules: rules === null ? defaultRules : loadRules(rules, { name: read.text('rules') ?? rules }),
    closing: {
      ...defaultClosingLimits,
      settleMillis: read.period('settle'),
      remoteMillis: read.period('remote-wait'),
      idleMillis: read.period('idle'),
      maxAgeMillis: read.period('max-age'),
      openTraces: read.count('max-open', 1),
    },
    retention: {
      ...read.optional('retention', (name) => ({ maxAgeMs: read.period(name) })),
      ...read.optional('retention-size', (name) => ({ maxBytes: read.bytes(name) })),
      ...read.optional('span-retention', (name) => ({ maxSpanAgeMs: read.period(name) })),
    },
    maxBodyBytes: read.bytes('max-body'),
    maxRequests: read.count('max-requests', 1),
    maxPendingBytes: read.bytes('max-pending'),
    showSpans: read.text('show-spans') !== 'no',
    forward: readForward(read),
    stopMillis: read.period('stop-timeout'),
  }
}

class SettingReader {
  readonly #source: SettingSource

  constructor(source: SettingSource) {
    this.#source = source
  }

  text(name: ServeSettingName): string | null {
    return this.#source.found.get(name)?.value ?? null
  }

  optional<T>(name: ServeSettingName, read: (name: ServeSettingName) => T): T | undefined {
    return this.text(name) === null ? undefined : read(name)
  }

  path(name: ServeSettingName): string | null {
    const text = this.text(name)
    return text === null ? null : resolve(this.#source.cwd, text)
  }

  file(name: ServeSettingName): Buffer | null {
    const path = this.path(name)
    if (path === null) return null
    try {
      return readFileSync(path)
    } catch (error) {
      throw new UsageError(
        `Cannot read --${name}: expected a file that can be read, found ${isSystemError(error) ? describeSystemError(error) : 'none'}`,
      )
    }
  }

  period(name: ServeSettingName): number {
    return readPeriod(name, this.text(name) ?? '')
  }

  bytes(name: ServeSettingName): number {
    return readBytes(name, this.text(name) ?? '')
  }

  count(name: ServeSettingName, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
    const text = this.text(name) ?? ''
    const number = /^\d+$/u.test(text) ? Number(text) : -1
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
    throw new UsageError(`Cannot read --${name}: expected a whole number ${range}, found '${text}'`)
  }

  list(name: ServeSettingName): readonly string[] {
    return (this.text(name) ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  }
}

/** Printable ASCII without spaces: what a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/u

function readToken(read: SettingReader, env: SettingSource['env']): string | null {
  const file = read.file('token-file')
  const text = file === null ? (env['AGENT_REACH_TOKEN'] ?? '') : file.toString('utf8').trim()
  if (file === null && text === '') return null
  if (TOKEN.test(text)) return text
  const name = file === null ? 'AGENT_REACH_TOKEN' : '--token-file'
  throw new UsageError(`Cannot read ${name}: expected one line of printable characters, found something else`)
}

function readTls(read: SettingReader): ServiceSettings['tls'] {
  const cert = read.file('tls-cert')
  const key = read.file('tls-key')
  if (cert !== null && key !== null) return { cert, key }
  if (cert === null && key === null) return null
  throw new UsageError(
    `Cannot use TLS: expected --tls-cert and --tls-key, found --tls-${cert === null ? 'key' : 'cert'} alone`,
  )
}

function readForward(read: SettingReader): ForwardSettings | null {
  const url = read.text('forward')
  if (url === null) return null
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
    throw new UsageError(`Cannot read --forward: expected an http or https URL, found '${url}'`)
  }
  return {
    url,
    headers: readHeaders(read.list('forward-headers')),
    afterMillis: read.period('forward-after'),
    maxAgeMillis: read.period('forward-max-age'),
    markStatus: read.text('mark-status') === 'never' ? 'never' : 'unset',
    reportUrl: read.text('report-url'),
  }
}

/** As `OTEL_EXPORTER_OTLP_HEADERS` has them: names and values percent-encoded. */
function readHeaders(parts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parts.map(readHeader))
}

function readHeader(part: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+)=(.*)$/u.exec(part) ?? []
  try {
    const decoded = decodeURIComponent(value.trim())
    if (name !== '' && /^[\t\x20-\x7e]*$/u.test(decoded)) return [name.toLowerCase(), decoded]
  } catch {
    // Told below.
  }
  throw new UsageError(
    `Cannot read --forward-headers: expected name=value, found something else in the part that begins with '${part.slice(0, 4)}'`,
  )
}

import { loadRules } from '../rules/load-rules.ts'
import { defaultRules } from '../rules/rules.ts'
import type { RulesFile } from '../rules/rules-file.ts'
import { defaultClosingLimits } from './open-trace-log.ts'
import type { ServiceLog } from './service-log.ts'
import type { ForwardSettings, ServiceSettings } from './service-settings.ts'

/** How a report service runs inside a program. Everything is optional; the defaults are those of `agent-reach serve`. */
export interface ReportServiceOptions {
  /**
   * The file of the store; `:memory:` keeps nothing beyond the process.
   *
   * @default 'agent-reach.db' in the folder of the process
   */
  readonly store?: string
  /**
   * The address to listen on. Any that other machines reach needs a token.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string
  /**
   * From 0 to 65535; 0 takes a free one.
   *
   * @default 4318
   */
  readonly port?: number
  /**
   * Names under which it may be called beside its address; only asked where there is no token.
   *
   * @default none
   */
  readonly allowedHosts?: readonly string[]
  /**
   * What every request has to bring, as `Authorization: Bearer …`: visible ASCII characters.
   *
   * @default none is asked
   */
  readonly token?: string
  /**
   * Certificate and key in PEM, for HTTPS.
   *
   * @default plain HTTP
   */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /**
   * The path of a rules file, or what would stand in it.
   *
   * @default nothing is asked of the runs but what holds for all
   */
  readonly rules?: string | RulesFile
  /** When traces are closed: see `ClosingLimits` for each and its default. */
  readonly closing?: Partial<ServiceSettings['closing']>
  /**
   * What is removed, and when.
   *
   * @default everything is kept
   */
  readonly retention?: ServiceSettings['retention']
  /**
   * The longest body in bytes, before and after it is unpacked.
   *
   * @default 67108864
   */
  readonly maxBodyBytes?: number
  /**
   * Requests in work at a time; more are told to come again.
   *
   * @default 64
   */
  readonly maxRequests?: number
  /**
   * Bytes of bodies that may be in work, and bytes that may wait for the disk.
   *
   * @default 268435456
   */
  readonly maxPendingBytes?: number
  /**
   * Whether recorded spans, with their content, are shown.
   *
   * @default true
   */
  readonly showSpans?: boolean
  /**
   * Where judged spans go on to. `afterMillis` is 10 s, `maxAgeMillis` a day, `markStatus` `unset`, unless they are given.
   *
   * @default nowhere
   */
  readonly forward?: Pick<ForwardSettings, 'url'> & Partial<ForwardSettings>
  /**
   * Milliseconds that a stop may take.
   *
   * @default 10000
   */
  readonly stopMillis?: number
  /**
   * Gets what the service has to say of itself.
   *
   * @default nobody
   */
  readonly log?: ServiceLog
}

const MIB = 1024 * 1024

/** What holds where nothing else is said. */
const defaultServiceSettings: ServiceSettings = {
  store: 'agent-reach.db',
  host: '127.0.0.1',
  port: 4318,
  allowedHosts: [],
  token: null,
  tls: null,
  rules: defaultRules,
  closing: defaultClosingLimits,
  retention: {},
  maxBodyBytes: 64 * MIB,
  maxRequests: 64,
  maxPendingBytes: 256 * MIB,
  showSpans: true,
  forward: null,
  stopMillis: 10_000,
}

/** What holds of forwarding beside the URL. */
const defaultForwardSettings: Omit<ForwardSettings, 'url'> = {
  headers: {},
  afterMillis: 10_000,
  maxAgeMillis: 86_400_000,
  markStatus: 'unset',
  reportUrl: null,
}

/**
 * Makes settings of options.
 *
 * @throws {TypeError} where an option is not known or has a value that makes no sense
 * @throws {RulesError} where the rules cannot be used
 */
export function toServiceSettings(options: ReportServiceOptions): ServiceSettings {
  const { log: _log, rules, closing, forward, ...rest } = options
  refuseUnknown(options)
  const settings: ServiceSettings = {
    ...defaultServiceSettings,
    ...withoutAbsent(rest),
    rules: rules === undefined ? defaultRules : loadRules(rules),
    closing: { ...defaultClosingLimits, ...withoutAbsent(closing ?? {}) },
    forward:
      forward === undefined
        ? null
        : { ...defaultForwardSettings, ...withoutAbsent(forward), url: forward.url },
  }
  for (const [name, value, most] of listNumbers(settings)) requireWhole(name, value, most)
  return settings
}

function refuseUnknown(options: ReportServiceOptions): void {
  const known = new Set([...Object.keys(defaultServiceSettings), 'log'])
  const foreign = Object.keys(options).find((name) => !known.has(name))
  if (foreign === undefined) return
  throw new TypeError(
    `Cannot start the report service: expected options among ${[...known].join(', ')}, found '${foreign}'`,
  )
}

function withoutAbsent<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> }
}

function listNumbers(settings: ServiceSettings): readonly (readonly [string, unknown, number?])[] {
  const { port, maxBodyBytes, maxRequests, maxPendingBytes, stopMillis, closing, retention, forward } =
    settings
  const { afterMillis = 0, maxAgeMillis = 0 } = forward ?? {}
  return [
    ['port', port, 65_535],
    ...Object.entries({ maxBodyBytes, maxRequests, maxPendingBytes, stopMillis }),
    ...within('closing', closing),
    ...within('retention', retention),
    ...within('forward', { afterMillis, maxAgeMillis }),
  ]
}

function within(group: string, values: object): readonly (readonly [string, unknown])[] {
  return Object.entries(values).map(([name, value]) => [`${group}.${name}`, value])
}

function requireWhole(name: string, value: unknown, most: number = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return
  const range = most === Number.MAX_SAFE_INTEGER ? 'from 0' : `from 0 to ${most}`
  throw new TypeError(
    `Cannot start the report service: expected ${name} to be a whole number ${range}, found ${String(value)}`,
  )
}

import type { Rules } from '../rules/rules.ts'
import type { ClosingLimits } from './open-trace-log.ts'
import type { Retention } from './report-store.ts'

/** How the report service runs, all defaults filled in. Times are milliseconds, sizes bytes. */
export interface ServiceSettings {
  /** The file of the store. */
  readonly store: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Names under which it may be called beside its address; only asked where there is no token. */
  readonly allowedHosts: readonly string[]
  /** What every request has to bring, as `Authorization: Bearer …`; `null` where nothing is asked. */
  readonly token: string | null
  /** PEM of certificate and key; `null` for plain HTTP. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly rules: Rules
  readonly closing: ClosingLimits
  readonly retention: Retention
  /** The longest body, before and after it is unpacked. */
  readonly maxBodyBytes: number
  readonly maxRequests: number
  /** Bytes of bodies that may be in work, and bytes that may wait for the disk. */
  readonly maxPendingBytes: number
  /** Whether recorded spans, with their content, are shown. */
  readonly showSpans: boolean
  readonly forward: ForwardSettings | null
  /** How long a stop may take. */
  readonly stopMillis: number
}

/** Where judged spans go on to, and how. */
export interface ForwardSettings {
  /** An OTLP/HTTP endpoint; `/v1/traces` is added where it has no path. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Spans whose trace is still open go on after so long. */
  readonly afterMillis: number
  /** What could not be delivered for so long is given up. */
  readonly maxAgeMillis: number
  readonly markStatus: 'unset' | 'never'
  /** Template of the link to a report, as the processor has it; `null` for none. */
  readonly reportUrl: string | null
}

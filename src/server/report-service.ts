import { createReadApi, type ReadApi } from './api/read-api.ts'
import { ChainCounts } from './chain-counts.ts'
import { readForwardUrl, refuseOwnAddress } from './forward-address.ts'
import { ForwardSender } from './forward-sender.ts'
import { type HttpAddress, HttpServer } from './http/http-server.ts'
import { openJudge } from './open-judge.ts'
import type { PackedReport } from './packed-report.ts'
import { ReportFeed } from './report-feed.ts'
import type { ReportStore } from './report-store.ts'
import { ServiceClock } from './service-clock.ts'
import { describeForLog, type ServiceLog } from './service-log.ts'
import type { ServiceSettings } from './service-settings.ts'
import { StoreGauges } from './store-gauges.ts'
import { TraceCloser } from './trace-closer.ts'
import type { JudgeSettings, TraceJudge } from './trace-judge.ts'
import { TraceReceiver } from './receive-traces.ts'

/** What the service needs from outside. */
export interface ServiceParts {
  /** Opened for writing; the service closes it when it stops. */
  readonly store: ReportStore
  readonly log: ServiceLog
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** From 0 to below 1. */
  readonly random: () => number
}

const STORE_CLOSE_PART = 0.2

const SPANS_PER_TRACE = 100_000

/** The report service: takes spans, makes reports, answers, and forwards. */
export class ReportService {
  readonly #settings: ServiceSettings
  readonly #parts: ServiceParts
  readonly #feed = new ReportFeed()
  readonly #chains: ChainCounts
  readonly #judge: TraceJudge
  readonly #closer: TraceCloser
  readonly #sender: ForwardSender | null
  readonly #api: ReadApi
  readonly #server: HttpServer
  readonly #clock: ServiceClock
  #stopping: Promise<void> | undefined

  /** @throws {TypeError} where settings do not go together */
  constructor(settings: ServiceSettings, parts: ServiceParts) {
    const { store, log, now, random } = parts
    this.#settings = settings
    this.#parts = parts
    this.#sender = createSender(settings, parts)
    this.#chains = new ChainCounts(settings.rules)
    this.#judge = openJudge(store, settings.store, toJudgeSettings(settings))
    this.#closer = new TraceCloser({
      ...settings.closing,
      store,
      judge: this.#judge,
      now,
      maxPendingBytes: settings.maxPendingBytes,
      forwardAfterMillis: settings.forward?.afterMillis ?? null,
      onReports: (reports) => this.#announce(reports),
      onError: (message, error) => log('error', message, { reason: describeForLog(error) }),
    })
    this.#clock = new ServiceClock({
      closer: this.#closer,
      store,
      retention: settings.retention,
      now,
      log,
    })
    const receiver = new TraceReceiver({
      intake: this.#closer,
      random,
      maxBodyBytes: settings.maxBodyBytes,
      maxRequests: settings.maxRequests,
      maxPendingBytes: Math.max(settings.maxPendingBytes, settings.maxBodyBytes),
    })
    this.#api = this.#createApi([
      this.#chains,
      receiver,
      this.#closer,
      new StoreGauges(store),
      ...(this.#sender === null ? [] : [this.#sender]),
    ])
    this.#server = new HttpServer({
      routes: [...receiver.routes, ...this.#api.routes],
      host: settings.host,
      port: settings.port,
      token: settings.token,
      allowedHosts: settings.allowedHosts,
      tls: settings.tls,
      log,
      random,
    })
  }

  /**
   * Takes up what was open, and listens.
   *
   * @throws the error of the system where the address cannot be had, {@link StoreError} where the store cannot be read
   */
  async start(): Promise<HttpAddress> {
    this.#closer.recover()
    const address = await this.#server.listen()
    try {
      if (this.#settings.forward !== null) {
        await refuseOwnAddress(readForwardUrl(this.#settings.forward.url), address)
      }
    } catch (error) {
      await this.#server.close(0)
      throw error
    }
    this.#clock.start()
    this.#sender?.start()
    return address
  }

  /**
   * Stops: what is in work is answered, reports that are due are made, what is open stays in the store for the next
   * start. The store is closed.
   */
  async stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    await this.#stopping
  }

  async #stop(): Promise<void> {
    const { store, log } = this.#parts
    const deadline = Math.round(this.#settings.stopMillis * (1 - STORE_CLOSE_PART))
    this.#api.close()
    await Promise.all([this.#server.close(deadline), this.#sender?.stop(deadline)])
    await this.#clock.stop()
    await this.#judge.close()
    await store.close()
    log('info', 'service stopped')
  }

  #announce(reports: readonly PackedReport[]): void {
    for (const { revision, counted } of reports) if (revision === 1) this.#chains.add(counted)
    this.#feed.publish()
    this.#sender?.wake()
  }

  #createApi(metricSources: Parameters<typeof createReadApi>[0]['metricSources']): ReadApi {
    const { store, now } = this.#parts
    const { maxPendingBytes, showSpans } = this.#settings
    const isShuttingDown = (): boolean => this.#stopping !== undefined
    return createReadApi({
      store,
      openTraces: this.#closer,
      feed: this.#feed,
      state: {
        get isShuttingDown() {
          return isShuttingDown()
        },
        get isIntakeFull() {
          return store.pendingBytes > maxPendingBytes
        },
      },
      metricSources,
      now,
      showSpans,
    })
  }
}

function createSender({ forward }: ServiceSettings, parts: ServiceParts): ForwardSender | null {
  if (forward === null) return null
  const { url, headers, maxAgeMillis } = forward
  return new ForwardSender({ ...parts, url: readForwardUrl(url), headers, maxAgeMillis })
}

function toJudgeSettings({ rules, forward }: ServiceSettings): JudgeSettings {
  const marks = forward && { markStatus: forward.markStatus, reportUrl: forward.reportUrl }
  return { rules, spansPerTrace: SPANS_PER_TRACE, marks }
}

import { unrefTimer } from '../../pipeline/unref-timer.ts'
import type { Metric, MetricSource } from '../metric-source.ts'
import type { ReportFeed } from '../report-feed.ts'
import type { ReportReader } from './report-reader.ts'
import { EventClient } from './event-client.ts'
import { HEARTBEAT, writeEvent, writeOpening } from './event-frame.ts'

const HEARTBEAT_MS = 15_000
const MAX_CLIENTS = 100
const MAX_CLIENT_BYTES = 1024 * 1024

/** Changes that are read at a time. A row with the longest names has some kilobytes; a page has to fit a client. */
const PAGE = 25

/** What the hub needs of the store. */
export type ChangeLog = Pick<ReportReader, 'listChanges' | 'lastChange'>

/**
 * Tells clients of reports as they are stored. Each change is read and written once for all who are live; who comes
 * back after a while reads what he missed from the store at his own pace.
 */
export class EventHub implements MetricSource {
  readonly #store: ChangeLog
  readonly #clients = new Set<EventClient>()
  readonly #unsubscribe: () => void
  /** Number of the last change that the live clients have. */
  #position = 0
  #isPumping = false
  #isClosed = false
  #dropped = 0
  #failures = 0
  #heartbeat: ReturnType<typeof setInterval> | null = null

  constructor(store: ChangeLog, feed: ReportFeed) {
    this.#store = store
    this.#unsubscribe = feed.subscribe(() => this.#schedule())
  }

  /**
   * Opens a stream.
   *
   * @param after the change that the client had last; `null` begins with what comes
   * @param signal ends the stream
   * @returns `null` where there are as many streams as may be, or the service ends
   */
  open(after: number | null, signal: AbortSignal): EventClient | null {
    if (this.#isClosed || this.#clients.size >= MAX_CLIENTS) return null
    const last = this.#store.lastChange()
    // A number that is not given yet comes from another store.
    let position = after === null || after > last ? last : after
    const client: EventClient = new EventClient(
      {
        next: () => {
          const page = this.#store.listChanges(position, PAGE)
          position = page.at(-1)?.number ?? position
          if (page.length > 0) return page.map(writeEvent)
          this.#join(position)
          return null
        },
      },
      MAX_CLIENT_BYTES,
      () => this.#remove(client),
    )
    this.#clients.add(client)
    client.push(writeOpening(position))
    if (signal.aborted) client.end()
    else signal.addEventListener('abort', () => client.end(), { once: true })
    this.#heartbeat ??= unrefTimer(setInterval(() => this.#beat(), HEARTBEAT_MS))
    return client
  }

  /** Ends all streams, and opens no more. */
  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    for (const client of this.#clients) client.end()
  }

  metrics(): readonly Metric[] {
    return [
      {
        name: 'agent_reach_event_clients',
        help: 'Open streams of events',
        type: 'gauge',
        samples: [{ value: this.#clients.size }],
      },
      {
        name: 'agent_reach_event_clients_dropped_total',
        help: 'Streams of events that were ended since their client was too slow',
        type: 'counter',
        samples: [{ value: this.#dropped }],
      },
      {
        name: 'agent_reach_event_read_failures_total',
        help: 'Times that changes could not be read from the store for the streams of events',
        type: 'counter',
        samples: [{ value: this.#failures }],
      },
    ]
  }

  /** A client has read all there was. Those who are live are brought there first: one position is for all of them. */
  #join(position: number): void {
    if (this.#live().length > 0) this.#pump()
    this.#position = Math.max(this.#position, position)
  }

  #schedule(): void {
    if (this.#isPumping || this.#live().length === 0) return
    this.#isPumping = true
    // The caller has just stored reports, and goes on with the next ones first.
    setImmediate(() => {
      this.#isPumping = false
      this.#tryToPump()
    })
  }

  /** What the store cannot tell now, the clients get with the next report or heartbeat. */
  #tryToPump(): void {
    if (this.#isClosed || this.#live().length === 0) return
    try {
      this.#pump()
    } catch {
      this.#failures++
    }
  }

  #pump(): void {
    for (let page = this.#read(); page.length > 0; page = this.#read()) {
      this.#position = page.at(-1)?.number ?? this.#position
      const frames = page.map(writeEvent)
      for (const client of this.#live()) if (!frames.every((frame) => client.push(frame))) this.#dropped++
    }
  }

  #read(): ReturnType<ChangeLog['listChanges']> {
    return this.#store.listChanges(this.#position, PAGE)
  }

  #beat(): void {
    this.#tryToPump()
    for (const client of this.#clients) if (!client.beat(HEARTBEAT)) this.#dropped++
  }

  #live(): readonly EventClient[] {
    return [...this.#clients].filter(({ isLive }) => isLive)
  }

  #remove(client: EventClient): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0 || this.#heartbeat === null) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = null
  }
}

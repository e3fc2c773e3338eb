import { TraceRecords } from '../chain/trace-records.ts'
import { createTraceDecoder } from '../otlp/decode-json.ts'
import { decodeMessage } from '../otlp/decode-message.ts'
import { listSpans } from '../otlp/rewrite-request.ts'
import { judgeSpan } from '../pipeline/judge-span.ts'
import type { Rules } from '../rules/rules.ts'
import type { StoredTrace } from './report-store.ts'

/** Where a span stands: in which body, and at which place among the spans of it. */
interface Place {
  readonly body: number
  readonly position: number
}

/** The spans of a trace that are to go on now: each that has not gone on before, once. */
export class ForwardSelection {
  /** The bodies in which they are. */
  readonly bodies: readonly Buffer[]
  readonly #gone: ReadonlySet<string>
  /** Of spans of which there are copies, where the one stands that goes on. */
  readonly #chosen: ReadonlyMap<string, Place>

  /** @param rules by which the trace is judged: they decide between copies that nothing else tells apart */
  constructor({ traceId, bodies, numbers, forwardedChunk }: StoredTrace, rules: Rules) {
    const isGone = (at: number): boolean => (numbers[at] ?? 0) <= forwardedChunk
    this.#gone = new Set(
      bodies.flatMap((body, at) => (isGone(at) ? listSpans(body).map(({ spanId }) => spanId) : [])),
    )
    this.bodies = bodies.filter((_, at) => !isGone(at))
    const copies = findCopies(this.bodies, this.#gone)
    this.#chosen = copies.size === 0 ? new Map() : new CopyChooser(traceId, this.bodies, rules).choose(copies)
  }

  /** Whether the span at a place goes on. */
  has(spanId: string, body: number, position: number): boolean {
    if (spanId === '') return true
    if (this.#gone.has(spanId)) return false
    const chosen = this.#chosen.get(spanId)
    return chosen === undefined || (chosen.body === body && chosen.position === position)
  }
}

/** The places of spans that are there more than once. */
function findCopies(
  bodies: readonly Buffer[],
  gone: ReadonlySet<string>,
): ReadonlyMap<string, readonly Place[]> {
  const first = new Map<string, Place>()
  const copies = new Map<string, Place[]>()
  for (const [body, bytes] of bodies.entries()) {
    for (const [position, { spanId }] of listSpans(bytes).entries()) {
      if (spanId === '' || gone.has(spanId)) continue
      const place = { body, position }
      const known = first.get(spanId)
      if (known === undefined) first.set(spanId, place)
      else if (copies.has(spanId)) copies.get(spanId)?.push(place)
      else copies.set(spanId, [known, place])
    }
  }
  return copies
}

interface RequestJson {
  readonly resourceSpans?: readonly {
    readonly resource?: unknown
    readonly scopeSpans?: readonly { readonly scope?: unknown; readonly spans?: readonly unknown[] }[]
  }[]
}

/** Chooses between copies as the records of a trace do. */
class CopyChooser {
  readonly #traceId: string
  readonly #rules: Rules
  readonly #bodies: readonly Buffer[]
  /** Of each body its spans by their place, each as a request in JSON of its own. */
  readonly #requests = new Map<number, readonly unknown[]>()

  constructor(traceId: string, bodies: readonly Buffer[], rules: Rules) {
    this.#traceId = traceId
    this.#rules = rules
    this.#bodies = bodies
  }

  choose(copies: ReadonlyMap<string, readonly Place[]>): ReadonlyMap<string, Place> {
    return new Map([...copies].map(([spanId, places]) => [spanId, this.#chooseOne(spanId, places)]))
  }

  #chooseOne(spanId: string, places: readonly Place[]): Place {
    const records = new TraceRecords(this.#traceId)
    let chosen = places[0] as Place
    for (const place of places) {
      const [span] = createTraceDecoder()(this.#requestAt(place)).spans
      if (span === undefined) continue
      const { record } = judgeSpan(span, this.#rules)
      records.add(record)
      if (records.get(spanId) === record) chosen = place
    }
    return chosen
  }

  #requestAt({ body, position }: Place): unknown {
    let requests = this.#requests.get(body)
    if (requests === undefined) {
      requests = splitRequest(decodeMessage(this.#bodies[body] as Buffer).value)
      this.#requests.set(body, requests)
    }
    return requests[position] ?? {}
  }
}

function splitRequest(request: RequestJson): readonly unknown[] {
  return (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map((span) => ({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] })),
    ),
  )
}

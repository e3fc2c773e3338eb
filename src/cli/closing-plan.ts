import type { TraceIndex, TracePosition } from '../otlp/index-traces.ts'

interface OpenTrace {
  readonly traceId: string
  readonly last: TracePosition
}

/**
 * Knows when the last span of a trace has been read, by an index that was made before. A trace that the index has
 * missed stays open until the end.
 */
export class ClosingPlan {
  readonly #index: TraceIndex
  readonly #known = new Set<string>()
  readonly #closed = new Set<string>()
  /** A binary heap: no trace is mentioned for the last time before its parent at `(at - 1) / 2` is. */
  readonly #heap: OpenTrace[] = []

  constructor(index: TraceIndex) {
    this.#index = index
  }

  /** Notes that a span of the trace has been read; again and again is fine. */
  open(traceId: string): void {
    if (this.#known.has(traceId)) return
    this.#known.add(traceId)
    const last = this.#index.lastMention(traceId)
    if (last !== undefined) this.#push({ traceId, last })
  }

  /** True once the trace has been given out by {@link takePassed}. */
  isClosed(traceId: string): boolean {
    return this.#closed.has(traceId)
  }

  /**
   * Gives out the open traces of which nothing more comes, each once, in the order of their last mentions.
   *
   * @param reader where the reader is: everything of that input before the offset has been read
   */
  takePassed(reader: TracePosition): readonly string[] {
    const passed: string[] = []
    for (
      let first = this.#heap[0];
      first !== undefined && isBefore(first.last, reader);
      first = this.#heap[0]
    ) {
      this.#removeFirst()
      this.#closed.add(first.traceId)
      passed.push(first.traceId)
    }
    return passed
  }

  #push(trace: OpenTrace): void {
    const heap = this.#heap
    let at = heap.push(trace) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as OpenTrace
      if (!isBefore(trace.last, above.last)) break
      heap[at] = above
      at = parent
    }
    heap[at] = trace
  }

  #removeFirst(): void {
    const heap = this.#heap
    const moved = heap.pop()
    if (moved === undefined || heap.length === 0) return
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1]
      if (right !== undefined && isBefore(right.last, (heap[child] as OpenTrace).last)) child += 1
      const below = heap[child] as OpenTrace
      if (!isBefore(below.last, moved.last)) break
      heap[at] = below
      at = child
    }
    heap[at] = moved
  }
}

function isBefore(a: TracePosition, b: TracePosition): boolean {
  return a.input === b.input ? a.offset < b.offset : a.input < b.input
}

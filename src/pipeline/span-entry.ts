import { NOTHING_BELOW, type UsageBelow } from '../chain/usage-below.ts'
import { ATTR_AGENT_REACH_CHAIN_ID } from '../semconv/agent-reach.ts'
import { isAgentSpan } from '../steps/is-agent-span.ts'
import type { SpanView } from '../steps/span-view.ts'
import type { CapturedContent } from '../steps/captured-content.ts'
import type { FailuresBelow } from './failures-below.ts'

/** What stands above a span that starts. */
export interface Above {
  /** The nearest span above it that is open. */
  readonly entry: SpanEntry | null
  /** What the nearest one above it names, whether that is open or not. */
  readonly chainId: string | null
}

/** A span from its start until nothing below it is open any more. */
export class SpanEntry {
  readonly spanId: string
  readonly parentSpanId: string | null
  /** The parent is in another process. */
  readonly remoteParent: boolean
  /** The nearest span above it that was open when it started: its parent, unless that had ended. */
  readonly parent: SpanEntry | null
  /** Counted per process at the start. */
  readonly sequence: number
  /** The span while it is open: let go at its end, as it holds content. */
  span: SpanView | null
  captured: CapturedContent | null = null
  /** What ended below it has used so far. */
  below: UsageBelow = NOTHING_BELOW
  /** A model step ended below it. */
  holdsModel = false
  /** A step ended below it. */
  holdsStep = false
  /** A step below it recorded its cost. */
  holdsCost = false
  failures: FailuresBelow | null = null
  /** The chain that it or the nearest span above it names; `null` for the default chain of its trace. */
  chainId: string | null
  /** The task that is stamped on this span or above it. */
  taskId: string | null = null
  #isAgent = false

  constructor(span: SpanView, sequence: number, { entry: parent, chainId }: Above) {
    this.spanId = span.spanContext().spanId
    this.parentSpanId = toParentSpanId(span)
    this.remoteParent = span.parentSpanContext?.isRemote === true
    this.parent = parent
    this.sequence = sequence
    this.span = span
    this.taskId = parent?.taskId ?? null
    this.chainId = chainId
  }

  /** True once the span is known for a step of an agent: what it carries may come any time before its end. */
  get isAgent(): boolean {
    if (!this.#isAgent && this.span !== null) this.#isAgent = looksLikeAgent(this.span)
    return this.#isAgent
  }

  /** Takes over the chain that the span itself names. */
  readChainId({ attributes }: SpanView): void {
    const own = attributes[ATTR_AGENT_REACH_CHAIN_ID]
    if (typeof own === 'string' && own !== '') this.chainId = own
  }

  /** Lets go of the span, when it has ended. */
  end(isAgent: boolean): void {
    this.#isAgent = isAgent
    this.span = null
    this.captured = null
  }

  /** A step goes on that it stands below: its trace cannot be complete. */
  get isInsideOpenStep(): boolean {
    const above = this.agentAbove()
    return above !== null && above.span !== null
  }

  /** The nearest step of an agent above it; `null` where there is none among the spans this process knows. */
  agentAbove(): SpanEntry | null {
    for (let above = this.parent; above !== null; above = above.parent) {
      if (above.isAgent) return above
    }
    return null
  }
}

/** The id of the parent, wherever the SDK keeps it; `null` for a root. */
export function toParentSpanId({ parentSpanContext, parentSpanId }: SpanView): string | null {
  const id = parentSpanContext?.spanId ?? parentSpanId ?? ''
  return id === '' ? null : id
}

/** Asked for while other spans end: one that cannot be read is no reason not to judge them. */
function looksLikeAgent(span: SpanView): boolean {
  try {
    return isAgentSpan(span)
  } catch {
    return false
  }
}

import { priceCall } from '../chain/price-call.ts'
import { hasFailed, toStatus } from '../chain/step-failure.ts'
import type { StepRecord } from '../chain/step-record.ts'
import { addBelow, countOwn, withOwn } from '../chain/usage-below.ts'
import type { CountedTokens } from '../chain/chain.ts'
import { findingCatalog } from '../findings/catalog.ts'
import { createFinding } from '../findings/create-finding.ts'
import type { Finding } from '../findings/finding.ts'
import { isStandIn } from '../steps/is-stand-in.ts'
import type { SpanView } from '../steps/span-view.ts'
import { isAgentStep } from '../steps/step.ts'
import { toChainTotals } from './chain-totals.ts'
import type { EndedRoot, EndedStep, LiveAlert } from './ended-step.ts'
import { type FailureBelow, FailuresBelow } from './failures-below.ts'
import { judgeLive } from './judge-live.ts'
import type { JudgedSpan } from './judge-span.ts'
import type { OpenTrace } from './open-trace.ts'
import type { SpanEntry } from './span-entry.ts'

/**
 * Judges a span at its end and files it under its trace.
 *
 * @returns what its marks say; `null` for a span that is no step of an agent
 */
export function endSpan(trace: OpenTrace, entry: SpanEntry, span: SpanView): EndedStep | null {
  const judged = judgeLive(span, trace.rules, { captured: entry.captured, sequence: entry.sequence })
  trace.checkErrors += judged.checkErrors
  const { record } = judged
  if (!isAgentStep(record)) {
    passOn(entry)
    entry.end(false)
    if (isStandIn(span)) trace.drop(record.spanId)
    else trace.end(record)
    return null
  }
  return endStep(trace, entry, judged)
}

function endStep(trace: OpenTrace, entry: SpanEntry, { record, captured }: JudgedSpan): EndedStep {
  entry.chainId = record.chainId ?? entry.chainId
  const root = isRoot(trace, entry)
  const told = trace.toldBefore(record)
  const repeated = told !== 'nothing'
  const tokens = told === 'all' ? null : countOwn(record.usage, entry.below)
  const costUsd = told === 'all' ? null : countCost(entry, record, tokens)
  const origin = explainError(entry, record)
  const findings = origin === null ? record.findings : withFailedBelow(record, origin)
  const isModelCall = record.kind === 'model' && !entry.holdsModel && !repeated
  const share = {
    repeated,
    isBelow: !root,
    tokens: tokens?.count ?? 0,
    costUsd: costUsd ?? 0,
    modelCalls: Number(isModelCall),
    toolCalls: Number(record.kind === 'tool' && !repeated),
  }
  const alerts = trace
    .chainOf(entry.chainId ?? trace.traceId, record)
    .observe(record, share)
    .map(({ alert, finding }): LiveAlert => ({ alert, finding, signature: record.signature }))
  tellParent(entry, record, { tokens, origin })
  entry.end(true)
  const openSpans = root ? trace.openBelow(entry) : []
  trace.end(openSpans.length === 0 ? record : { ...record, openSpans: [...record.openSpans, ...openSpans] })
  return {
    record,
    captured,
    status: toStatus(record, findings),
    findings: alerts.length === 0 ? findings : [...findings, ...alerts.map(({ finding }) => finding)],
    alerts,
    tokenCount: tokens?.count ?? null,
    costUsd,
    chainId: entry.chainId ?? trace.traceId,
    root: root ? endRoot(trace, entry, openSpans) : null,
  }
}

/** The topmost step of its chain, as far as this process knows. */
function isRoot(trace: OpenTrace, entry: SpanEntry): boolean {
  const above = entry.agentAbove()
  return above === null ? !trace.hasAgentAbove(entry) : above.chainId !== entry.chainId
}

function endRoot(trace: OpenTrace, entry: SpanEntry, openSpans: EndedRoot['openSpans']): EndedRoot {
  const chainId = entry.chainId ?? trace.traceId
  const provisional = !trace.isQuietIn(entry.chainId)
  const chain = trace.judgeSoFar(provisional)?.find(({ settled }) => settled.chain.chainId === chainId)
  return {
    openSpans,
    totals: chain === undefined ? null : toChainTotals(chain.settled),
    provisional,
  }
}

function countCost(entry: SpanEntry, record: StepRecord, tokens: CountedTokens | null): number | null {
  if (record.recordedCost !== null) return entry.holdsCost ? null : record.recordedCost
  return tokens === null ? null : priceCall(record, tokens)
}

function explainError(entry: SpanEntry, { errorDigest }: StepRecord): FailureBelow | null {
  return errorDigest === null ? null : (entry.failures?.explain(errorDigest) ?? null)
}

function withFailedBelow(record: StepRecord, origin: FailureBelow): readonly Finding[] {
  const others = record.findings.filter(
    ({ code, severity }) => severity !== 'error' || findingCatalog[code].group !== 'step',
  )
  const below = createFinding({
    code: 'failed_below',
    spanId: record.spanId,
    blamedSpanId: origin.spanId,
    detail: origin.nodeName,
  })
  return [...others, below]
}

interface Ending {
  readonly tokens: CountedTokens | null
  readonly origin: FailureBelow | null
}

/** What the span above needs to know for its own end. */
function tellParent(entry: SpanEntry, record: StepRecord, { tokens, origin }: Ending): void {
  const { parent } = entry
  if (parent === null) return
  parent.below = addBelow(parent.below, withOwn(record, entry.below, tokens, !entry.holdsStep))
  parent.holdsStep = true
  if (record.kind === 'model' || entry.holdsModel) parent.holdsModel = true
  if (record.recordedCost !== null || entry.holdsCost) parent.holdsCost = true
  const failure = hasFailed(record) ? toFailure(record, origin) : null
  if (failure === null && parent.failures === null && entry.failures === null) return
  parent.failures ??= new FailuresBelow()
  parent.failures.note(record.nodeName, failure, entry.failures)
}

function toFailure({ nodeName, spanId, errorDigest }: StepRecord, origin: FailureBelow | null): FailureBelow {
  return { nodeName: origin?.nodeName ?? nodeName, spanId: origin?.spanId ?? spanId, errorDigest }
}

/** A plain span hands on what came from below it, as though it were not there. */
function passOn(entry: SpanEntry): void {
  const { parent } = entry
  if (parent === null || !entry.holdsStep) return
  parent.below = addBelow(parent.below, entry.below)
  parent.holdsStep = true
  parent.holdsModel ||= entry.holdsModel
  parent.holdsCost ||= entry.holdsCost
  if (entry.failures === null) return
  parent.failures ??= new FailuresBelow()
  parent.failures.absorb(entry.failures)
}

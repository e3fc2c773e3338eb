import { ATTR_AGENT_REACH_CHECKPOINT_ID } from '../semconv/agent-reach.ts'
import { Content } from './content.ts'
import { answeringDialects, declaringDialects, dialects } from './dialects/catalog.ts'
import { FieldReader, type FieldSource, toName, toNameText } from './field-reader.ts'
import { toFinishReason } from './finish-reason.ts'
import { readFirstTokenMs } from './first-token.ts'
import { readLabels } from './labels.ts'
import { type ModelOutput, unseenOutput } from './model-output.ts'
import { readKind } from './read-kind.ts'
import { type SpanView, toNanoseconds } from './span-view.ts'
import { readCheckpoints, readError, readOpenSpans } from './step-events.ts'
import type {
  CapturedDigests,
  ModelStep,
  PlainStep,
  RecordedCheckpoint,
  Step,
  StepKind,
  ToolStep,
} from './step.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { readRecordedCost, readUsage } from './usage.ts'

/**
 * Reads a finished span of any dialect into a step. Fields are detected one by one, so a span that several
 * instrumentations wrote on gives the best of each. Content is decoded only when it is asked for.
 *
 * Never throws on odd values: what cannot be read is absent.
 *
 * @param span what the SDK or the OTLP decoder gave
 * @param trace where given, collects which dialect and key each field came from
 */
export function readStep(span: SpanView, trace: FieldSource[] | null = null): Step {
  const reader = new FieldReader(span.attributes, (span.droppedAttributesCount ?? 0) > 0, trace)
  const kind = readKind(reader)
  const base = readBase(span, reader, kind)
  if (kind === 'model') return toModelStep(base, reader)
  if (kind === 'tool') return toToolStep(base, reader)
  return Object.assign(base, { kind })
}

/** Tells for every field of a step which key of which dialect it came from. */
export function explainStep(span: SpanView): {
  readonly step: Step
  readonly sources: readonly FieldSource[]
} {
  const sources: FieldSource[] = []
  const step = readStep(span, sources)
  if (step.kind === 'model') {
    step.readOutput()
    step.readTools()
  }
  if (step.kind === 'tool') step.readTools()
  return { step, sources: [...new Map(sources.map((source) => [source.field, source])).values()] }
}

type Base = Omit<PlainStep, 'kind'>

function readBase(span: SpanView, reader: FieldReader, kind: StepKind): Base {
  const { traceId, spanId } = span.spanContext()
  const parentSpanId = span.parentSpanContext?.spanId ?? span.parentSpanId ?? ''
  const spanName = toName(span.name)
  const agentName = reader.text('agent.name')
  const raisedByUs = reader.flag('status.set') === true
  const status = raisedByUs ? 'unset' : (STATUSES[span.status.code] ?? 'unset')
  const marked = reader.text('marks.evidence') === 'captured'
  const labels = readLabels(reader)
  const usage = readUsage(reader)
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? null : parentSpanId,
    remoteParent: span.parentSpanContext?.isRemote === true,
    spanName,
    scopeName: span.instrumentationScope?.name ?? null,
    nodeName: readNodeName(reader, kind, { agentName, spanName }) ?? (spanName || 'unnamed'),
    agentName,
    startNs: toNanoseconds(span.startTime),
    endNs: toNanoseconds(span.endTime),
    status,
    error: readError(span, reader, raisedByUs),
    sequence: labels.sequence,
    chainId: labels.chainId,
    taskId: labels.taskId,
    sessionId: reader.text('session.id'),
    phase: labels.phase,
    subtaskId: labels.subtaskId,
    subtaskStatus: labels.subtaskStatus,
    reflectionStatus: labels.reflectionStatus,
    attempt: labels.attempt,
    skippedReason: labels.skippedReason,
    requires: labels.requires,
    stopAction: labels.stopAction,
    checkpoints: readAllCheckpoints(span, reader, status),
    openSpans: span.events.length === 0 ? NONE : readOpenSpans(span),
    usage,
    recordedCost: usage.replayed === true ? 0 : readRecordedCost(reader),
    input: readInput(reader, kind),
    output: readOutput(reader, kind),
    finishReasons: readFinishReasons(reader),
    outputMimeType: reader.text('output.mime_type')?.toLowerCase() ?? null,
    marks: marked ? reader.texts('marks.findings') : NONE,
    captured: marked,
    agentTools: kind === 'agent' ? readAgentTools(reader) : NONE,
    digests: marked ? readDigests(reader) : null,
    attributeCount: reader.keys.length,
    droppedAttributes: span.droppedAttributesCount ?? 0,
    resource: span.resource,
  }
}

function readDigests(reader: FieldReader): CapturedDigests {
  return {
    signature: reader.text('digest.arguments'),
    retryKey: reader.text('digest.retry_key'),
    result: reader.text('digest.result'),
  }
}

const STATUSES = ['unset', 'ok', 'error'] as const

/** Shared by the many spans that have nothing of a kind. */
const NONE: readonly never[] = []

function readAgentTools(reader: FieldReader): readonly string[] {
  const declared = readToolDefinitions(reader).map(({ name }) => name)
  const names = [...declared, ...reader.texts('agent.tools'), ...reader.texts('agent.members')]
  return names.length === 0 ? NONE : [...new Set(names)]
}

function readFinishReasons(reader: FieldReader): readonly string[] {
  const recorded = reader.texts('finish.reasons')
  return recorded.length === 0 ? NONE : [...new Set(recorded.map(toFinishReason))]
}

function readAllCheckpoints(
  span: SpanView,
  reader: FieldReader,
  status: Base['status'],
): readonly RecordedCheckpoint[] {
  const written = span.events.length === 0 ? NONE : readCheckpoints(span)
  const labelled = readCheckpointAttribute(span, reader, status)
  return labelled.length === 0 ? written : [...written, ...labelled]
}

/** A name for the place in the chain. A tool is its own node even where its span carries its caller's agent name. */
function readNodeName(
  reader: FieldReader,
  kind: StepKind,
  { agentName, spanName }: Pick<Base, 'agentName' | 'spanName'>,
): string | null {
  const recorded = reader.text('node.name')
  if (recorded !== null) return recorded
  if (kind === 'tool') return readToolName(reader, spanName)
  const agent = kind === 'agent' || kind === 'model' ? agentName : null
  return agent ?? reader.text('entity.name')
}

function readToolName(reader: FieldReader, spanName: string): string | null {
  const recorded = reader.text('tool.name') ?? reader.text('entity.name')
  if (recorded !== null) return recorded
  for (const dialect of dialects) {
    const name = dialect.readToolName?.(reader, spanName) ?? null
    if (name === null) continue
    reader.note({ field: 'tool.name', key: 'span name', dialect: dialect.name, version: '' })
    return name
  }
  return null
}

function readInput(reader: FieldReader, kind: StepKind): Content {
  if (kind === 'tool') return reader.content('call.arguments', 'input')
  return kind === 'retrieval' ? reader.content('retrieval.query', 'input') : reader.content('input')
}

function readOutput(reader: FieldReader, kind: StepKind): Content {
  if (kind === 'tool') return reader.content('call.result', 'output')
  if (kind !== 'retrieval') return reader.content('output')
  const recorded = reader.content('retrieval.documents', 'output')
  if (recorded.key !== null) return recorded
  for (const dialect of dialects) {
    const documents = dialect.readDocuments?.(reader) ?? null
    if (documents === null) continue
    return Content.recorded(documents, {
      field: 'retrieval.documents',
      key: 'retrieval.documents.N',
      dialect: dialect.name,
      version: '',
    })
  }
  return recorded
}

/** A checkpoint that is an event, too, is told by that. */
function readCheckpointAttribute(
  span: SpanView,
  reader: FieldReader,
  status: Base['status'],
): readonly RecordedCheckpoint[] {
  const id = reader.text('checkpoint.id')
  if (id === null) return NONE
  const isEvent = span.events.some(
    ({ attributes }) => toNameText(attributes?.[ATTR_AGENT_REACH_CHECKPOINT_ID]) === id,
  )
  if (isEvent) return NONE
  const outcome = status === 'error' ? 'failed' : 'passed'
  return [{ id, name: null, status: outcome, timeNs: toNanoseconds(span.endTime), data: null }]
}

function toModelStep(base: Base, reader: FieldReader): ModelStep {
  const readOutputOnce = once(() => readModelOutput(base, reader))
  return Object.assign(base, {
    kind: 'model' as const,
    requestModel: reader.text('model.request'),
    responseModel: reader.text('model.response'),
    provider: reader.text('provider'),
    responseId: reader.text('response.id'),
    firstTokenMs: readFirstTokenMs(reader, base.startNs),
    outputType: reader.text('output.type')?.toLowerCase() ?? null,
    readOutput: readOutputOnce,
    readTools: once(() => readToolDefinitions(reader)),
  })
}

function toToolStep(base: Base, reader: FieldReader): ToolStep {
  return Object.assign(base, {
    kind: 'tool' as const,
    toolName: readToolName(reader, base.spanName) ?? (base.spanName || 'unnamed'),
    callId: reader.text('call.id'),
    readTools: once(() => readToolDefinitions(reader)),
  })
}

function readModelOutput(base: Base, reader: FieldReader): ModelOutput {
  for (const dialect of answeringDialects) {
    const output = dialect.readModelOutput?.(reader) ?? null
    if (output !== null) return output
  }
  const { output } = base
  return output.seen && typeof output.value === 'string'
    ? { ...unseenOutput('seen'), text: output.value }
    : unseenOutput(output.state)
}

function readToolDefinitions(reader: FieldReader): readonly ToolDefinition[] {
  for (const dialect of declaringDialects) {
    const definitions = dialect.readToolDefinitions?.(reader) ?? null
    if (definitions !== null) return definitions
  }
  return []
}

function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined
  return () => (result ??= { value: read() }).value
}

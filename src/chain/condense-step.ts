import { findingCatalog, isFindingCode } from '../findings/catalog.ts'
import { createFinding } from '../findings/create-finding.ts'
import type { Finding } from '../findings/finding.ts'
import type { Severity } from '../findings/severity.ts'
import { CAPTURED_KEY } from '../steps/captured-content.ts'
import { sha256Hex } from '../steps/digest.ts'
import { isAnswerTool } from '../steps/is-answer-tool.ts'
import {
  toPromptSignature,
  toRequestSignature,
  toResultDigest,
  toRetryKey,
  toSignature,
} from '../steps/signature.ts'
import { readIdleCode } from '../steps/read-idle-code.ts'
import type { OpenSpan, Step, StepError, StepKind } from '../steps/step.ts'
import { NO_USAGE } from '../steps/usage.ts'
import { toRepeatable } from './to-repeatable.ts'
import type { Evidence, RequestedCallRecord, StepRecord } from './step-record.ts'

/**
 * Condenses a step and what the step checks found in it into the record that its chain keeps. Content is digested
 * here and not held on to.
 *
 * @param retryKey names of the arguments that identify what the call is about; none for those named like ids
 * @param ignored names of arguments that do not matter where calls are compared for loops
 */
export function condenseStep(
  step: Step,
  findings: readonly Finding[],
  retryKey: readonly string[] = [],
  ignored?: readonly string[],
): StepRecord {
  const model = step.kind === 'model' ? step : null
  const signature = sign(step)
  // One literal, without spreads: all records have one shape, and it is known when they are made.
  return {
    kind: step.kind,
    traceId: step.traceId,
    spanId: step.spanId,
    parentSpanId: step.parentSpanId,
    remoteParent: step.remoteParent,
    spanName: step.spanName,
    scopeName: step.scopeName,
    nodeName: step.nodeName,
    agentName: step.agentName,
    startNs: step.startNs,
    endNs: step.endNs < step.startNs ? step.startNs : step.endNs,
    neverEnded: false,
    status: step.status,
    errorDigest: digestError(step.error),
    sequence: step.sequence,
    chainId: step.chainId,
    taskId: step.taskId,
    sessionId: step.sessionId,
    phase: step.phase,
    subtaskId: step.subtaskId,
    subtaskStatus: step.subtaskStatus,
    reflectionStatus: step.reflectionStatus,
    attempt: step.attempt,
    skippedReason: step.skippedReason,
    requires: step.requires,
    stopAction: step.stopAction,
    checkpoints: step.checkpoints,
    openSpans: step.openSpans,
    usage: step.usage,
    recordedCost: step.recordedCost,
    model: model === null ? null : (model.responseModel ?? model.requestModel),
    provider: model?.provider ?? null,
    responseId: model?.responseId ?? null,
    firstTokenMs: model?.firstTokenMs ?? null,
    toolName: step.kind === 'tool' ? step.toolName : null,
    callId: step.kind === 'tool' ? step.callId : null,
    signature,
    retryKey: toStepRetryKey(step, retryKey),
    resultDigest: toStepResultDigest(step),
    repeatable: toRepeatable(step, signature, findings, ignored),
    requestedCalls: condenseCalls(step),
    tools: listTools(step),
    idleCode: toIdleCode(step),
    hasOutput: readHasOutput(step),
    evidence: readEvidence(step),
    findings: withMarks(step, findings),
    attributeCount: step.attributeCount,
    droppedAttributes: step.droppedAttributes,
    resource: step.resource,
  }
}

function digestError(error: StepError | null): string | null {
  return error === null ? null : sha256Hex(`${error.type ?? ''}\n${error.message}`).slice(0, 16)
}

/** Where content was not recorded what was digested in process stands for it. */
function sign(step: Step): string | null {
  if (step.digests !== null && step.input.key === null) return step.digests.signature
  if (step.kind === 'model') return toPromptSignature(step.nodeName, step.input)
  return CALLS.has(step.kind) ? toSignature(step.nodeName, step.input) : null
}

function toStepRetryKey(
  { kind, nodeName, input, digests }: Step,
  retryKey: readonly string[],
): string | null {
  if (!CALLS.has(kind)) return null
  if (digests !== null && input.key === null) return digests.retryKey
  return input.seen ? toRetryKey(nodeName, input.value, retryKey) : null
}

function toStepResultDigest({ kind, output, digests }: Step): string | null {
  if (!CALLS.has(kind)) return null
  return digests !== null && output.key === null ? digests.result : toResultDigest(output)
}

/** Kinds of steps that are compared by what they were called with. */
const CALLS: ReadonlySet<StepKind> = new Set(['tool', 'retrieval', 'agent'])

/** Shared by the many records that have nothing of a kind. */
const NONE: readonly never[] = []

function condenseCalls(step: Step): readonly RequestedCallRecord[] {
  if (step.kind !== 'model') return NONE
  return step.readOutput().calls.map((call) => ({
    id: call.id,
    name: call.name,
    signature: toRequestSignature(call.name, call.arguments),
    providerExecuted: call.providerExecuted,
  }))
}

/** How many names of tools are kept of one step: 64. */
const MOST_TOOLS = 64

/** Of a model only where it gives the answer by a tool: to read its tools costs more than to read the rest of it. */
function listTools(step: Step): readonly string[] {
  if (step.kind !== 'model') return step.agentTools.slice(0, MOST_TOOLS)
  const answers = step.readOutput().calls.some(({ name }) => isAnswerTool(name))
  return answers
    ? step
        .readTools()
        .slice(0, MOST_TOOLS)
        .map(({ name }) => name)
    : NONE
}

/** Only what is recorded counts, as it does where calls are compared. */
function toIdleCode(step: Step): readonly string[] | null {
  if (step.kind !== 'model') return null
  const { text, calls } = step.readOutput()
  return text === null || calls.length > 0 || step.output.key === CAPTURED_KEY ? null : readIdleCode(text)
}

function readHasOutput(step: Step): boolean {
  if (step.kind === 'model') {
    const output = step.readOutput()
    return output.hasOtherParts || (output.text ?? '').trim() !== ''
  }
  return step.output.key !== null && step.output.text.trim() !== ''
}

function readEvidence(step: Step): Evidence {
  if (step.output.key === CAPTURED_KEY) return 'captured'
  const state = step.kind === 'model' ? step.readOutput().state : step.output.state
  if (state === 'seen') return 'full'
  if (state === 'partial' || state === 'truncated') return 'partial'
  return step.captured ? 'captured' : 'none'
}

function withMarks(step: Step, findings: readonly Finding[]): readonly Finding[] {
  return step.marks.length === 0 ? findings : [...findings, ...readMarks(step, findings)]
}

/** Finding codes that were recorded in process stand where the content itself is not here to be judged again. */
function readMarks(step: Step, judged: readonly Finding[]): readonly Finding[] {
  if (!step.captured || (step.output.key !== null && step.input.key !== null)) return []
  return step.marks.flatMap((mark) => {
    const [code = '', severity = 'error'] = mark.split(':')
    if (!isFindingCode(code) || !isSeverity(severity) || findingCatalog[code].group === 'run') return []
    if (judged.some((finding) => finding.code === code)) return []
    return [createFinding({ code, severity, spanId: step.spanId, source: 'mark' })]
  })
}

function isSeverity(text: string): text is Severity {
  return text === 'error' || text === 'warn' || text === 'info'
}

/** A record for a span that was still open when its root ended: all that is known of it is what the root says. */
export function recordOpenSpan(open: OpenSpan, root: StepRecord): StepRecord {
  return {
    ...root,
    kind: 'workflow',
    spanId: open.spanId,
    parentSpanId: open.parentSpanId,
    remoteParent: false,
    spanName: open.name,
    nodeName: open.name,
    agentName: null,
    startNs: open.startNs,
    endNs: open.startNs > root.endNs ? open.startNs : root.endNs,
    neverEnded: true,
    status: 'unset',
    errorDigest: null,
    sequence: null,
    chainId: null,
    taskId: null,
    sessionId: null,
    phase: null,
    subtaskId: null,
    subtaskStatus: null,
    reflectionStatus: null,
    attempt: null,
    skippedReason: null,
    requires: [],
    stopAction: null,
    checkpoints: [],
    openSpans: [],
    usage: NO_USAGE,
    recordedCost: null,
    model: null,
    provider: null,
    responseId: null,
    firstTokenMs: null,
    toolName: null,
    callId: null,
    signature: null,
    retryKey: null,
    resultDigest: null,
    repeatable: null,
    requestedCalls: [],
    tools: [],
    idleCode: null,
    hasOutput: false,
    evidence: 'none',
    findings: [],
    attributeCount: 0,
    droppedAttributes: 0,
  }
}

import type { Content } from './content.ts'
import type { ModelOutput } from './model-output.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** What a span is for an agent. `other` is a span of no agent dialect: it is kept in the tree and is no step. */
export type StepKind =
  | 'agent'
  | 'model'
  | 'tool'
  | 'retrieval'
  | 'plan'
  | 'reflection'
  | 'guardrail'
  | 'evaluation'
  | 'workflow'
  | 'other'

export type Phase = 'planning' | 'executing' | 'reflecting' | 'summarizing'
export type SubtaskStatus = 'pending' | 'success' | 'failed' | 'skipped'
export type ReflectionStatus = 'continue' | 'replan' | 'done'
export type StopAction = 'node' | 'chain' | 'handoff'

/** Tokens as one span reports them. `null` is not recorded. Cached tokens are inside input, reasoning inside output. */
export interface Usage {
  readonly input: number | null
  readonly output: number | null
  /** A count that is not split into input and output. */
  readonly total: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly reasoning: number | null
  /** The span reported cached tokens beside its input; they were added to it. */
  readonly cacheWasBeside: boolean
  /** The span reported reasoning tokens beside its output; they were added to it. */
  readonly reasoningWasBeside: boolean
  /** The answer was replayed, and what it used is not counted again. */
  readonly replayed?: true
}

/** What went wrong in a span, by its status, its exception event and `error.type`. */
export interface StepError {
  /** `exception.type`, else `error.type`; `null` where neither is recorded. */
  readonly type: string | null
  /** `exception.message`, else the status message, else `error.message`; empty where none is recorded. */
  readonly message: string
}

/** A checkpoint that the agent itself recorded, as an event or an attribute. */
export interface RecordedCheckpoint {
  readonly id: string
  readonly name: string | null
  readonly status: 'passed' | 'failed'
  readonly timeNs: bigint
  readonly data: string | null
}

/** A span that was still open when its root ended, as its root tells. */
export interface OpenSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly startNs: bigint
}

/** What is read of every span and is no content: a chain keeps it as it is. */
export interface SpanFacts {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** The parent is in another process. */
  readonly remoteParent: boolean
  readonly spanName: string
  /** Where in the chain the step belongs: the recorded node name, else tool, agent or span name. */
  readonly nodeName: string
  readonly agentName: string | null
  /** Nanoseconds since the Unix epoch. */
  readonly startNs: bigint
  readonly endNs: bigint
  /** The instrumentation that made the span, `null` where it is not recorded. */
  readonly scopeName: string | null
  /** OpenTelemetry's status; one that our own processor raised reads as unset. */
  readonly status: 'unset' | 'ok' | 'error'
  readonly sequence: number | null
  readonly chainId: string | null
  readonly taskId: string | null
  readonly sessionId: string | null
  readonly phase: Phase | null
  readonly subtaskId: string | null
  readonly subtaskStatus: SubtaskStatus | null
  readonly reflectionStatus: ReflectionStatus | null
  readonly attempt: number | null
  readonly skippedReason: string | null
  readonly requires: readonly string[]
  readonly stopAction: StopAction | null
  readonly checkpoints: readonly RecordedCheckpoint[]
  readonly openSpans: readonly OpenSpan[]
  readonly usage: Usage
  /** USD, as recorded. */
  readonly recordedCost: number | null
  readonly attributeCount: number
  readonly droppedAttributes: number
  /** Read only when the chain is built: an SDK may still be resolving it when the span ends. */
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
}

/** Digests of content that was checked in process and not recorded, by which calls are compared. */
export interface CapturedDigests {
  readonly signature: string | null
  readonly retryKey: string | null
  readonly result: string | null
}

interface StepBase extends SpanFacts {
  readonly error: StepError | null
  /** Arguments of a tool, query of a retrieval, messages of a model, input of anything else. */
  readonly input: Content
  /** Result of a tool, documents of a retrieval, answer of a model, output of anything else. */
  readonly output: Content
  /** As recorded, with the spellings of tool use and content filter made one (`tool_calls`, `content_filter`). */
  readonly finishReasons: readonly string[]
  /** The recorded MIME type of the output, lower case, or `null`. */
  readonly outputMimeType: string | null
  /** Finding codes that were recorded in process because the content itself was not. */
  readonly marks: readonly string[]
  /** The content was checked in process and not recorded. */
  readonly captured: boolean
  /** Names of the tools and sub-agents that an agent has; empty where none are recorded, and for other kinds. */
  readonly agentTools: readonly string[]
  /** What stands for content that was checked in process and not recorded; `null` where all there is is recorded. */
  readonly digests: CapturedDigests | null
}

/** A call of a model: chat, completion, embeddings. */
export interface ModelStep extends StepBase {
  readonly kind: 'model'
  readonly requestModel: string | null
  readonly responseModel: string | null
  readonly provider: string | null
  readonly responseId: string | null
  readonly firstTokenMs: number | null
  /** The recorded output type (`text`, `json`, …) or `null`. */
  readonly outputType: string | null
  /** The answer and the tool calls in it; decoded at the first call. */
  readonly readOutput: () => ModelOutput
  /** The tools the model was offered; decoded at the first call; empty where none are recorded. */
  readonly readTools: () => readonly ToolDefinition[]
}

/** A call of a tool. */
export interface ToolStep extends StepBase {
  readonly kind: 'tool'
  readonly toolName: string
  readonly callId: string | null
  /** Definitions recorded on the tool's own span; empty where none are. */
  readonly readTools: () => readonly ToolDefinition[]
}

/** Any step that is neither a call of a model nor of a tool. */
export interface PlainStep extends StepBase {
  readonly kind: Exclude<StepKind, 'model' | 'tool'>
}

/** A span, read into our own shape: a union by `kind`. */
export type Step = ModelStep | ToolStep | PlainStep

/** True for every kind but `other`. */
export function isAgentStep(step: { readonly kind: StepKind }): boolean {
  return step.kind !== 'other'
}

/**
 * A canonical field of a step. Each names one fact; the tables beside this file say under which keys the
 * instrumentations record it.
 */
export type Field =
  | 'agent.members'
  | 'agent.name'
  | 'agent.tools'
  | 'call.arguments'
  | 'call.id'
  | 'call.result'
  | 'chain.id'
  | 'checkpoint.id'
  | 'cost.input'
  | 'cost.output'
  | 'cost.total'
  | 'digest.arguments'
  | 'digest.result'
  | 'digest.retry_key'
  | 'entity.name'
  | 'error.level'
  | 'error.message'
  | 'error.type'
  | 'finish.reasons'
  | 'first_token.milliseconds'
  | 'first_token.seconds'
  | 'first_token.time'
  | 'input'
  | 'input.mime_type'
  | 'marks.evidence'
  | 'marks.findings'
  | 'model.request'
  | 'model.response'
  | 'node.attempt'
  | 'node.name'
  | 'node.requires'
  | 'node.skipped_reason'
  | 'output'
  | 'output.calls'
  | 'output.mime_type'
  | 'output.reasoning'
  | 'output.type'
  | 'phase'
  | 'provider'
  | 'reflection.status'
  | 'response.id'
  | 'retrieval.documents'
  | 'retrieval.query'
  | 'sequence'
  | 'session.id'
  | 'status.set'
  | 'stop.action'
  | 'subtask.id'
  | 'subtask.status'
  | 'task.id'
  | 'tokens.cache_read'
  | 'tokens.cache_write'
  | 'tokens.cache_write_1h'
  | 'tokens.cache_write_5m'
  | 'tokens.input'
  | 'tokens.output'
  | 'tokens.reasoning'
  | 'tokens.total'
  | 'tool.definitions'
  | 'tool.name'
  | 'usage.origin'

/** The conventions and instrumentations whose keys are read. */
export type DialectName =
  | 'a365'
  | 'agent-reach'
  | 'ai-sdk'
  | 'any-agent'
  | 'braintrust'
  | 'framework'
  | 'gen-ai'
  | 'laminar'
  | 'langfuse'
  | 'langsmith'
  | 'logfire'
  | 'mastra'
  | 'openai-agents'
  | 'openinference'
  | 'pydantic-ai'
  | 'traceloop'

/** One row of a key table: under this key, this dialect records that field. */
export interface FieldKey {
  readonly field: Field
  readonly key: string
  readonly dialect: DialectName
  /** The version of the convention or package in which the key was read. */
  readonly version: string
  /** The value is always JSON text (or the object itself), never free text. */
  readonly json?: true | undefined
  /**
   * Where the key holds a JSON object of several fields: where this one stands in it, its members joined by dots. `*` is
   * the sum of all its numbers.
   */
  readonly member?: string | undefined
  /**
   * Members that may wrap the content. An object of one of them and nothing else, as `input` in `{"input":"Paris"}`,
   * stands for what the member holds; a path, its members joined by dots, leads to it. The first that fits is taken.
   */
  readonly wrappers?: readonly string[] | undefined
  /** A member that may wrap a text, in an object of nothing else: `result` in `{"result":"rain"}`, not in `{"result":[]}`. */
  readonly wrappedText?: string | undefined
  /** The row counts only on a span that carries this key, too: the key alone is shared with those who fill it otherwise. */
  readonly beside?: string | undefined
  /**
   * The value may be the arguments of a function by position and by name, `{"args":[…],"kwargs":{…}}`: it stands for
   * those by name where there are none by position, and for a single object by position where there are none by name.
   */
  readonly callArguments?: true | undefined
  /** The value may be a message of LangChain as that serialises itself: it stands for the content of the message. */
  readonly langchainMessage?: true | undefined
}

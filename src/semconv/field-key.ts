/**
 * A canonical field of a step. Each names one fact; the tables beside this file say under which keys the
 * instrumentations record it.
 */
export type Field =
  | 'agent.name'
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
  | 'error.message'
  | 'error.type'
  | 'finish.reasons'
  | 'first_token.milliseconds'
  | 'first_token.seconds'
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
  | 'tokens.input'
  | 'tokens.output'
  | 'tokens.reasoning'
  | 'tokens.total'
  | 'tool.definitions'
  | 'tool.name'

/** The conventions and instrumentations whose keys are read. */
export type DialectName = 'agent-reach' | 'ai-sdk' | 'gen-ai' | 'openinference'

/** One row of a key table: under this key, this dialect records that field. */
export interface FieldKey {
  readonly field: Field
  readonly key: string
  readonly dialect: DialectName
  /** The version of the convention or package in which the key was read. */
  readonly version: string
  /** The value is always JSON text (or the object itself), never free text. */
  readonly json?: true
  /** Where the key holds a JSON object of several fields: where this one stands in it, its members joined by dots. */
  readonly member?: string
  /**
   * Members that may wrap the content. An object of one of them and nothing else, as `input` in `{"input":"Paris"}`,
   * stands for what the member holds; a path, its members joined by dots, leads to it. The first that fits is taken.
   */
  readonly wrappers?: readonly string[]
  /**
   * The value may be the arguments of a function by position and by name, `{"args":[…],"kwargs":{…}}`: it stands for
   * those by name where there are none by position, and for a single object by position where there are none by name.
   */
  readonly callArguments?: true
}

import type { DialectName } from '../../src/semconv/field-key.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import type { StepKind } from '../../src/steps/step.ts'

/** What a dialect has no key for, and why: nothing is tested of it. */
export interface NotRecorded {
  readonly notRecorded: string
}

/** What is recorded in words, the attributes of the span, and what the step must say. */
export type Fact<T> = readonly [recorded: string, attributes: Attributes, expected: T]
export type Facts<T> = readonly Fact<T>[] | NotRecorded

/** How the arguments or the result of a tool are recorded. */
export interface ContentWriter {
  readonly write: (value: unknown) => Attributes
  /** What stands under the key must be JSON: other text is malformed. */
  readonly json: boolean
}

/** How the text of an answer is recorded. */
export interface AnswerWriter {
  readonly write: (text: string) => Attributes
  /** The text is part of a JSON text, so that a length limit cuts the whole and not the text. */
  readonly embedded: boolean
  /** The text is part of a list that is no text itself: the format has no limit on lengths that could cut it. */
  readonly uncut?: true
}

/** A tool call in a model's answer; `args` is what stands in the place of the arguments. */
export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/** How the tool calls of an answer are recorded. */
export interface CallWriter {
  readonly name: string
  readonly write: (calls: readonly WrittenCall[]) => Attributes
  /** As of {@link AnswerWriter}. */
  readonly embedded: boolean
}

/** How the tools that a model was offered are recorded, by JSON Schema of parameters and of output. */
export interface ToolWriter {
  readonly name: string
  readonly write: (tools: readonly { name: string; parameters: object; output: object }[]) => Attributes
  readonly hasOutputSchema: boolean
}

export type TokenKind = 'input' | 'output' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning'

/** The attributes of a step that reports these tokens, with those that make it such a step. */
export type UsageWriter = (input: number, output: number) => Attributes

/** All that a dialect, or a version of it, records. */
export interface DialectTable {
  /** The dialect and its version. */
  readonly name: string
  readonly dialect: DialectName
  readonly kinds: Facts<StepKind>
  readonly nodeName: Facts<string>
  readonly agentName: Facts<string>
  readonly toolName: Facts<string>
  readonly callId: Facts<string>
  readonly session: Facts<string>
  readonly requestModel: Facts<string>
  readonly responseModel: Facts<string>
  readonly provider: Facts<string>
  readonly responseId: Facts<string>
  readonly finishReasons: Facts<readonly string[]>
  readonly cost: Facts<number>
  readonly firstTokenMs: Facts<number>
  /** Attributes that make a span a call of a model, and nothing more. */
  readonly model: Attributes | NotRecorded
  /** Attributes that make a span a call of a tool, and nothing more. */
  readonly tool: Attributes | NotRecorded
  readonly toolArguments: ContentWriter | NotRecorded
  readonly toolResult: ContentWriter | NotRecorded
  readonly answer: AnswerWriter | NotRecorded
  readonly calls: readonly CallWriter[] | NotRecorded
  readonly tools: readonly ToolWriter[] | NotRecorded
  readonly tokens: Readonly<Record<TokenKind, readonly string[] | NotRecorded>>
  /** How a call of a model records what it used. */
  readonly usage: UsageWriter | NotRecorded
  /** The steps that report the sum of the calls below them. */
  readonly aggregates: readonly (readonly [recorded: string, write: UsageWriter])[] | NotRecorded
  /** What marks a call of a model as streamed. */
  readonly streamed: Attributes | NotRecorded
}

/** True for what a dialect has no key for. */
export function isNotRecorded(value: object): value is NotRecorded {
  return 'notRecorded' in value
}

const CONVENTION_KEYS = ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'] as const

/** Writes tokens under two keys, by default those of the GenAI conventions, of a step with these attributes. */
export function usageUnder(
  step: Attributes,
  [input, output]: readonly [input: string, output: string] = CONVENTION_KEYS,
): UsageWriter {
  return (inputTokens, outputTokens) => ({ ...step, [input]: inputTokens, [output]: outputTokens })
}

import { canonicalJson } from '../canonical-json.ts'
import type { Content } from '../content.ts'
import {
  createOutputParts,
  joinOutput,
  type ModelOutput,
  type OutputParts,
  type RequestedCall,
} from '../model-output.ts'
import { toRequestedCall } from '../requested-call.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads output messages: `[{role, parts: [{type, …}], finish_reason}]`, the same under `messages`, the older chat
 * shape `{role, content, tool_calls}`, a list of tool calls, or plain text. What has another shape counts as another
 * part, so that an answer that cannot be read is never taken for an empty one.
 */
export function readMessages(value: unknown): ModelOutput {
  const output = createOutputParts()
  const list = isFields(value) && Array.isArray(value['messages']) ? value['messages'] : value
  for (const message of Array.isArray(list) ? list : [list]) addMessage(output, message)
  return joinOutput(output)
}

/** Reads an answer that is messages or anything else: JSON of another shape is the answer's own text. */
export function readAnswer(content: Content): ModelOutput {
  const output = readMessages(content.value)
  const isUnknown = output.text === null && output.calls.length === 0 && output.hasOtherParts
  return isUnknown ? { ...output, text: content.text } : output
}

function addMessage(output: OutputParts, message: unknown): void {
  if (typeof message === 'string') {
    output.texts.push(message)
    return
  }
  if (!isFields(message)) {
    if (message !== null && message !== undefined) output.hasOtherParts = true
    return
  }
  const reason = message['finish_reason']
  if (typeof reason === 'string' && reason !== '') output.finishReasons.push(reason)
  const { parts = message['content'], tool_calls: calls, function_call: call } = message
  const isMessage = [parts, calls, call].some((field) => field !== undefined)
  if (!isMessage && !(isCall(message) && addCall(output, message))) output.hasOtherParts = true
  addParts(output, parts)
  for (const item of Array.isArray(calls) ? calls : [call]) addCall(output, item)
}

function addParts(output: OutputParts, parts: unknown): void {
  for (const part of Array.isArray(parts) ? parts : [parts]) addPart(output, part)
}

const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call'])
const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', undefined])

function addPart(output: OutputParts, part: unknown): void {
  if (part === null || part === undefined) return
  const text = toPartText(part)
  if (text !== null) output.texts.push(text)
  else if (!isFields(part) || !CALL_TYPES.has(part['type'])) output.hasOtherParts = true
  else addCall(output, part)
}

function toPartText(part: unknown): string | null {
  if (typeof part === 'string') return part
  if (!isFields(part) || !TEXT_TYPES.has(part['type'])) return null
  const text = part['content'] ?? part['text']
  return typeof text === 'string' ? text : null
}

/** A tool call that is no part of a message. An answer of the user's own shape may have a `name`, too. */
function isCall(fields: Fields): boolean {
  return CALL_TYPES.has(fields['type']) || fields['tool.name'] !== undefined || isFields(fields['function'])
}

/** @returns whether the value names a tool */
function addCall(output: OutputParts, value: unknown): boolean {
  if (!isFields(value)) return false
  const inner = isFields(value['function']) ? value['function'] : value
  const call = toRequestedCall({
    id: value['call_id'] ?? value['id'] ?? value['toolCallId'],
    name: inner['name'] ?? inner['toolName'] ?? inner['tool.name'],
    arguments: inner['arguments'] ?? inner['input'] ?? inner['args'] ?? inner['tool.args'],
    providerExecuted: value['provider_executed'] === true || value['providerExecuted'] === true,
  })
  if (call !== null && !isKnown(call, output)) output.calls.push(call)
  return call !== null
}

/** A message may tell of a call twice, as a part of its content and in its list of calls. */
function isKnown({ id, name, arguments: args }: RequestedCall, { calls }: OutputParts): boolean {
  if (id === null) return false
  const twin = calls.find((call) => call.id === id && call.name === name)
  return twin !== undefined && canonicalJson(twin.arguments) === canonicalJson(args)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { describe, expect, it } from 'vitest'
import { toFinishReason } from '../../src/steps/finish-reason.ts'

describe('a finish reason has one spelling', () => {
  it.each([
    ['tool-calls', 'tool_calls'],
    ['tool_calls', 'tool_calls'],
    ['tool_call', 'tool_calls'],
    ['tool_use', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['content-filter', 'content_filter'],
    ['content_filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['refusal', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['max_output_tokens', 'length'],
    ['model_length', 'length'],
    ['length', 'length'],
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    [' STOP ', 'stop'],
    ['error', 'error'],
    ['pause_turn', 'pause_turn'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
  ])('%s is %s', (recorded, expected) => {
    expect(toFinishReason(recorded)).toBe(expected)
    expect(toFinishReason(expected)).toBe(expected)
  })
})

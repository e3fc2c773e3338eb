const spellings: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  'content-filter': 'content_filter',
  safety: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  recitation: 'content_filter',
  spii: 'content_filter',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  refusal: 'content_filter',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  end_turn: 'stop',
  stop_sequence: 'stop',
}

/**
 * One spelling for the finish reasons of the providers: `tool_calls`, `content_filter`, `length`, `stop`; anything
 * else in lower case as it is. The conventions have no agreed vocabulary for it.
 */
export function toFinishReason(recorded: string): string {
  const reason = recorded.trim().toLowerCase()
  return Object.hasOwn(spellings, reason) ? (spellings[reason] as string) : reason
}

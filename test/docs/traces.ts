import { spanId } from '../chain/trace-script.ts'

/** What the pages call `traces.jsonl`: a run whose order query answers without the field that its schema requires. */
export function createTraces(): string {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const startMs = 1_764_460_800_000
  const span = (
    name: string,
    parent: string | null,
    attributes: Readonly<Record<string, string>>,
  ): object => ({
    traceId,
    spanId: spanId(name),
    ...(parent === null ? {} : { parentSpanId: spanId(parent) }),
    name,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1_000}000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  })
  const definition = {
    name: 'order_query',
    outputSchema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
  }
  const request = {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeSpans: [
          {
            spans: [
              span('order_query', 'support', {
                'gen_ai.operation.name': 'execute_tool',
                'gen_ai.tool.name': 'order_query',
                'gen_ai.tool.definitions': JSON.stringify([definition]),
                'gen_ai.tool.call.result': '{"id":"ORD-1"}',
              }),
              span('support', null, {
                'gen_ai.operation.name': 'invoke_agent',
                'gen_ai.agent.name': 'support',
              }),
            ],
          },
        ],
      },
    ],
  }
  return `${JSON.stringify(request)}\n`
}

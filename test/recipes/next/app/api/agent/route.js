import { trace } from '@opentelemetry/api'

export const dynamic = 'force-dynamic'

/** Answers after an agent ran whose tool failed in silence. */
export async function GET() {
  await trace.getTracer('shop').startActiveSpan('invoke_agent support', async (agent) => {
    agent.setAttributes({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' })
    const tool = trace.getTracer('shop').startSpan('execute_tool order_query')
    tool.setAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'order_query',
      'gen_ai.tool.call.arguments': '{"order_id":"ORD-1"}',
      'gen_ai.tool.call.result': '{"error":"no such order"}',
    })
    tool.end()
    agent.end()
  })
  return Response.json({ answer: 'It is on its way.' })
}

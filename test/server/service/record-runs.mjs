// Runs the support agent once healthy and once with each fault, with the processor and the serializers that exporters
// use, and prints one JSON object a run: its fault, its live reports, and each of its spans as a request of its own.
import { trace } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { AgentReachProcessor } from 'agent-reach'
import { runSupportAgent } from '../../../examples/support-agent/agent.mjs'
import { faults } from '../../../examples/support-agent/faults.mjs'

for (const fault of [undefined, ...faults.map(({ name }) => name)]) {
  const reports = []
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'support-agent' }),
    spanProcessors: [
      new AgentReachProcessor({ onReport: (report) => reports.push(report) }),
      new SimpleSpanProcessor(exporter),
    ],
  })
  trace.disable()
  provider.register()
  await runSupportAgent({ task: { id: `support-${fault}`, question: 'Where is my order?' }, fault }).catch(
    () => {},
  )
  await provider.forceFlush()
  const spans = exporter.getFinishedSpans()
  const protobuf = spans.map((span) =>
    Buffer.from(ProtobufTraceSerializer.serializeRequest([span])).toString('base64'),
  )
  const json = spans.map((span) => Buffer.from(JsonTraceSerializer.serializeRequest([span])).toString())
  await provider.shutdown()
  console.log(JSON.stringify({ fault: fault ?? 'healthy', reports, protobuf, json }))
}

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { AgentReachProcessor } from 'agent-reach'

new NodeTracerProvider({
  spanProcessors: [new AgentReachProcessor(), new BatchSpanProcessor(new OTLPTraceExporter())],
}).register()

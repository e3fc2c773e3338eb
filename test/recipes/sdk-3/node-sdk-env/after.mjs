import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace'
import { AgentReachProcessor } from 'agent-reach'

const exporter = new OTLPTraceExporter()
new NodeSDK({
  spanProcessors: [new AgentReachProcessor(), new BatchSpanProcessor({ exporter })],
}).start()

// What the page warns of: the exporter is given as before, and gets nothing.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { AgentReachProcessor } from 'agent-reach'

new NodeSDK({
  traceExporter: new OTLPTraceExporter(),
  spanProcessors: [new AgentReachProcessor()],
}).start()

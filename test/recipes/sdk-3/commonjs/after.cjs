const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http')
const { NodeSDK } = require('@opentelemetry/sdk-node')
const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace')
const { AgentReachProcessor } = require('agent-reach')

const exporter = new OTLPTraceExporter()
new NodeSDK({
  spanProcessors: [new AgentReachProcessor(), new BatchSpanProcessor({ exporter })],
}).start()

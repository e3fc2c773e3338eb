const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http')
const { NodeSDK } = require('@opentelemetry/sdk-node')

new NodeSDK({ traceExporter: new OTLPTraceExporter() }).start()

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK } from '@opentelemetry/sdk-node'

new NodeSDK({ traceExporter: new OTLPTraceExporter() }).start()

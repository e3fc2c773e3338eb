import { LangfuseSpanProcessor } from '@langfuse/otel'
import { NodeSDK } from '@opentelemetry/sdk-node'

new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] }).start()

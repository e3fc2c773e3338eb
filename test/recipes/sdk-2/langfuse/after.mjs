import { LangfuseSpanProcessor } from '@langfuse/otel'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { AgentReachProcessor } from 'agent-reach'

new NodeSDK({ spanProcessors: [new AgentReachProcessor(), new LangfuseSpanProcessor()] }).start()

import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AgentReachProcessor } from 'agent-reach'

const batch = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new AgentReachProcessor(), batch] }))

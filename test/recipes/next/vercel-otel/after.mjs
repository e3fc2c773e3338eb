import { registerOTel } from '@vercel/otel'
import { AgentReachProcessor } from 'agent-reach'

registerOTel({ serviceName: 'shop', spanProcessors: ['auto', new AgentReachProcessor()] })

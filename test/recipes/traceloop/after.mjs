import * as traceloop from '@traceloop/node-server-sdk'
import { AgentReachProcessor } from 'agent-reach'

traceloop.initialize({ appName: 'shop', processor: new AgentReachProcessor() })

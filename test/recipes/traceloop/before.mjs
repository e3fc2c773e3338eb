import * as traceloop from '@traceloop/node-server-sdk'

traceloop.initialize({ appName: 'shop' })

import * as api from '@opentelemetry/api'
import { runAndFlush } from '../run-and-flush.mjs'

await runAndFlush(api)

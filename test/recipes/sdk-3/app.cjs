const api = require('@opentelemetry/api')

void import('../run-and-flush.mjs').then(({ runAndFlush }) => runAndFlush(api))

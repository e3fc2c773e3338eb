/** How much a finding or an alert matters: `error` fails a node or a chain, `warn` and `info` fail nothing. */
export type Severity = 'error' | 'warn' | 'info'

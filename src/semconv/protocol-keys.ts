/**
 * Keys that tell a span of HTTP or of a database, now and before these conventions were stable: the status of such a
 * span belongs to its own conventions (OpenTelemetry, HTTP spans and Database client spans).
 */
export const protocolKeys: readonly string[] = [
  'http.request.method',
  'http.method',
  'db.system.name',
  'db.system',
]

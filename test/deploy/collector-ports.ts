import { entriesOf, type Tree } from './read-deployment.ts'

/** The ports at which a Collector or Jaeger listens, by its configuration. */
export function listCollectorPorts(tree: Tree | undefined): readonly string[] {
  const readers = [...(tree?.['service']?.['telemetry']?.['metrics']?.['readers'] ?? [])]
  return [
    ...listEndpointPorts(tree?.['receivers']),
    ...listEndpointPorts(tree?.['extensions']),
    ...readers.map((reader) => String(reader['pull']?.['exporter']?.['prometheus']?.['port'])),
  ]
}

/** The ports of all `endpoint: host:port` below; `not open` for one that other containers do not reach. */
export function listEndpointPorts(tree: Tree | undefined): readonly string[] {
  return entriesOf(tree).flatMap(([key, value]) =>
    key === 'endpoint'
      ? [/^0\.0\.0\.0:(\d+)$/u.exec(String(value))?.[1] ?? 'not open']
      : typeof value === 'object'
        ? listEndpointPorts(value)
        : [],
  )
}

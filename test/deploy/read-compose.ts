import { interpolate, readDeployed, readYaml, type Tree } from './read-deployment.ts'

/** The two layouts: whether Jaeger and Tempo get what programs send, or what the service has judged. */
export const layouts = ['beside', 'through'] as const

/** See {@link layouts}. */
export type Layout = (typeof layouts)[number]

/** The variables that choose a layout. */
export const layoutVariables: Readonly<Record<Layout, Readonly<Record<string, string>>>> = {
  beside: {},
  through: { THROUGH: 'yes' },
}

/** The file for Compose as it is with some variables. */
export function readCompose(env: Readonly<Record<string, string>>): Tree {
  // Compose replaces in the values of the parsed file, not in its text.
  const [document] = readYaml(readDeployed('docker-compose.yml'))
  return replaceIn(document, env) as Tree
}

function replaceIn(tree: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof tree === 'string') return interpolate(tree, env)
  if (Array.isArray(tree)) return tree.map((item) => replaceIn(item, env))
  if (tree === null || typeof tree !== 'object') return tree
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, replaceIn(value, env)]))
}

/** A file, folder or volume that a service sees. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/** The mounts of a service. */
export function readMounts(service: Tree | undefined): readonly Mount[] {
  return [...(service?.['volumes'] ?? [])].map((text) => {
    const [source = '', target = '', mode] = String(text).split(':')
    return { source, target, readOnly: mode === 'ro' }
  })
}

/** The variables of a service, as text. */
export function readEnvironment(service: Tree | undefined): Readonly<Record<string, string>> {
  const pairs = Object.entries(service?.['environment'] ?? {})
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))
}

/** The service of a name. @throws where there is none */
export function findService(compose: Tree, name: string): Tree {
  const service = compose['services']?.[name]
  if (service === undefined) throw new Error(`There is no service ${name}`)
  return service
}

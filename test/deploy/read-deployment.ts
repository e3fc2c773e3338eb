import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** The repository, and the folder of what is shipped for running the service. */
export const root: string = join(import.meta.dirname, '../..')
export const deploy: string = join(root, 'deploy')

/** Any value of a YAML or JSON file, to be looked into. */
export type Tree = { readonly [key: string]: Tree } & Iterable<Tree> & readonly Tree[]

/** Reads a file of `deploy`. */
export function readDeployed(path: string): string {
  return readFileSync(join(deploy, path), 'utf8')
}

/** Reads the documents of a YAML text. A key that comes twice, or anything else that is doubtful, is an error. */
export function readYaml(text: string): readonly Tree[] {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) throw problem
    return document.toJS() as Tree
  })
}

/** Reads a YAML file of one document in `deploy`. */
export function readDeployedYaml(path: string): Tree {
  const [document, ...more] = readYaml(readDeployed(path))
  if (document === undefined || more.length > 0) throw new Error(`${path} is not one document`)
  return document
}

/** The entries of an object in a tree; none where there is nothing. */
export function entriesOf(tree: Tree | undefined): readonly (readonly [string, Tree])[] {
  return Object.entries(tree ?? {})
}

/** What is in the text as Compose would have it: `${NAME}`, `${NAME:-default}`, `${NAME:+replacement}` and `$$`. */
export function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$(?:\$|\{(\w+)(?:(:[-+])([^{}]*))?\})/gu,
    (whole, name?: string, operator?: string, word = '') => {
      if (whole === '$$') return '$'
      const value = env[name ?? ''] ?? ''
      if (operator === ':-') return value === '' ? word : value
      if (operator === ':+') return value === '' ? '' : word
      return value
    },
  )
}

/** The variables that the configuration of a Collector asks for, and what holds where they are not set. */
export function readCollectorVariables(text: string): ReadonlyMap<string, string | null> {
  const found = text.matchAll(/\$\{env:(\w+)(?::-([^}]*))?\}/gu)
  return new Map(Array.from(found, ([, name = '', fallback]) => [name, fallback ?? null]))
}

/** The configuration of a Collector, its variables replaced. */
export function expandCollector(text: string, env: Readonly<Record<string, string>>): Tree {
  const filled = text.replaceAll(
    /\$\{env:(\w+)(?::-([^}]*))?\}/gu,
    (_, name: string, fallback: string) => env[name] ?? fallback,
  )
  const [document] = readYaml(filled)
  if (document === undefined) throw new Error('The configuration is empty')
  return document
}

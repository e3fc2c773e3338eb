import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package as it lies on the disk. */
export interface FoundPackage {
  readonly name: string
  readonly version: string
  /** Absolute, without symbolic links. */
  readonly folder: string
}

/** The name of the package that every part of OpenTelemetry meets in. */
export const API_PACKAGE = '@opentelemetry/api'

/** Finds a package in `node_modules` of a folder or of one above it, as Node does. */
export function findPackage(name: string, folder: string): FoundPackage | null {
  const found = readPackage(join(folder, 'node_modules', name))
  const parent = dirname(folder)
  return found ?? (parent === folder ? null : findPackage(name, parent))
}

/** The packages that folders with code belong to, each once. */
export function findOwners(folders: readonly string[]): readonly FoundPackage[] {
  const known = new Map<string, FoundPackage | null>()
  const findOwner = (folder: string): FoundPackage | null => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const parent = dirname(folder)
    const owner = readPackage(folder) ?? (parent === folder ? null : findOwner(parent))
    known.set(folder, owner)
    return owner
  }
  const owners = folders.map(findOwner).filter((owner) => owner !== null)
  return [...new Map(owners.map((owner) => [owner.folder, owner])).values()]
}

/** `[2, 12]` of `2.12.1`. */
export function readVersion(version: string): readonly [number, number] {
  const [major = 0, minor = 0] = version.split('.', 2).map(Number)
  return [major, minor]
}

/** A manifest without a name, as that of a folder of CommonJS, is none of a package. */
function readPackage(folder: string): FoundPackage | null {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    const { name, version } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown }
    if (typeof name !== 'string' || typeof version !== 'string') return null
    return { name, version, folder: realpathSync(folder) }
  } catch {
    return null
  }
}

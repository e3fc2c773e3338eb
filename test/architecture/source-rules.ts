import { posix } from 'node:path'
import { entries, entryLayer, layers, mayTouchProcess, type Layer } from './layers.ts'
import { codeOf, type ImportUse, readImports, type SourceFile, withoutComments } from './read-source.ts'

/** A rule over the whole of `src`: one sentence for each breach, none where all is well. */
export type SourceRule = (files: readonly SourceFile[]) => readonly string[]

/** A folder imports from its own folder and from those in its row. */
export const findForeignFolders: SourceRule = (files) =>
  files.flatMap((file) => {
    const layer = layerOf(file)
    if (layer === undefined) return [`${file.path}: its folder has no row in the table of layers`]
    const allowed = new Set([folderOf(file.path), ...layer.folders])
    return importsOf(file).flatMap(({ specifier }) => {
      if (!isRelative(specifier)) return []
      const target = resolve(file.path, specifier)
      if (!target.startsWith('src/')) return [`${file.path} imports ${specifier}, which is outside src`]
      return allowed.has(folderOf(target)) ? [] : [`${file.path} imports ${target}`]
    })
  })

/** A package is imported only where its row names it, and only as types where the row says so. */
export const findForeignPackages: SourceRule = (files) =>
  files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => !isRelative(specifier))
      .filter((use) => !mayUsePackage(layerOf(file), use))
      .map(({ specifier, typeOnly }) => `${file.path} imports ${typeOnly ? 'types of ' : ''}${specifier}`),
  )

/** No two files import each other, over however many files, types included. */
export const findCycles: SourceRule = (files) => {
  const known = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, above: readonly string[]): void => {
    const start = above.indexOf(path)
    if (start !== -1) cycles.push([...above.slice(start), path].join(' -> '))
    const file = known.get(path)
    if (start !== -1 || done.has(path) || file === undefined) return
    for (const { specifier } of importsOf(file)) {
      if (isRelative(specifier)) visit(resolve(path, specifier), [...above, path])
    }
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}

/** Exports are named one by one. */
export const findStarExports: SourceRule = (files) =>
  files.filter(({ text }) => /\bexport\s*(?:type\s*)?\*/u.test(codeOf(text))).map(({ path }) => path)

/** No default exports: a thing has one name everywhere. */
export const findDefaultExports: SourceRule = (files) =>
  files
    .filter(({ text }) => /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b/u.test(codeOf(text)))
    .map(({ path }) => path)

/** No file but an entry of the package is called `index.ts` or does nothing but re-export. */
export const findBarrels: SourceRule = (files) =>
  files
    .filter(({ path }) => !entries.includes(path))
    .filter((file) => file.path.endsWith('/index.ts') || onlyReExports(file))
    .map(({ path }) => path)

/** `process` is touched in the command line and in `pipeline/environment.ts` only. */
export const findProcessUses: SourceRule = (files) =>
  files
    .filter(({ path }) => !mayTouchProcess(path))
    .filter(
      (file) =>
        /(?<![.\w$])process\b(?!\s*:)|\bglobalThis\s*\??\.\s*process\b/u.test(codeOf(file.text)) ||
        /\[\s*['"]process['"]\s*\]/u.test(withoutComments(file.text)) ||
        importsOf(file).some(({ specifier }) => /^(?:node:)?process$/u.test(specifier)),
    )
    .map(({ path }) => path)

/** A file is named after what it exports, never after being useful. */
export const findVagueNames: SourceRule = (files) =>
  files.map(({ path }) => path).filter((path) => VAGUE.test(path))

const VAGUE = /(?:^|[/.-])(?:utils?|helpers?|common|misc|shared)(?:[/.-]|$)/u

function importsOf(file: SourceFile): readonly ImportUse[] {
  return readImports(file.text)
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.') || specifier.startsWith('/')
}

function resolve(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier))
}

/** `src/chain/link-calls.ts` is in `chain`, `src/index.ts` in none. */
function folderOf(path: string): string {
  const [, folder = '', ...rest] = path.split('/')
  return rest.length === 0 ? '' : folder
}

function layerOf(file: SourceFile): Layer | undefined {
  return file.path === 'src/index.ts' ? entryLayer : layers[folderOf(file.path)]
}

function mayUsePackage(layer: Layer | undefined, { specifier, typeOnly }: ImportUse): boolean {
  const allowed = [...(layer?.packages ?? []), ...(typeOnly ? (layer?.types ?? []) : [])]
  if (specifier.startsWith('node:')) return allowed.includes('node:*') || allowed.includes(specifier)
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  return allowed.includes(name)
}

function onlyReExports({ text }: SourceFile): boolean {
  if (!readImports(text).some(({ reExport }) => reExport)) return false
  const rest = withoutComments(text).replace(
    /\b(?:import|export)\s+[^'";]*?\bfrom\s*['"][^'"]*['"](?:\s*;)?/gu,
    '',
  )
  return rest.trim() === ''
}

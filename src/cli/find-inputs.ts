import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import type { ReadProblem } from './read-problem.ts'
import { fileInput, type ReportInput, streamInput } from './report-input.ts'
import { describeSystemError, isSystemError, type SystemError } from './system-error.ts'

/** What the arguments of a command name. */
export interface FoundInputs {
  /** In the order of the arguments, those of one directory or glob by name; each file once. */
  readonly inputs: readonly ReportInput[]
  /** Arguments that name nothing that can be read. */
  readonly problems: readonly ReadProblem[]
  /** Directories in which there is nothing to read, as the user named them. */
  readonly emptyDirectories: readonly string[]
}

/** Where inputs are looked for. */
export interface FindOptions {
  readonly cwd: string
  /** What `-` stands for. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** A directory that is passed over when a directory is searched: where reports are written. */
  readonly exclude?: string | null
}

/** Names only say what is worth a look; what a file holds is told by its bytes. */
const ENDINGS = ['jsonl', 'json', 'binpb', 'pb', 'proto'].flatMap((ending) => [ending, `${ending}.gz`])
const IN_DIRECTORIES = `**/*.{${[...ENDINGS, 'zst'].join(',')}}`

/**
 * Finds the inputs that arguments name. A name that exists is that file or directory, whatever characters are in
 * it; else it is read as a glob. A directory is searched for `*.jsonl`, `*.json`, `*.binpb`, `*.pb` and `*.proto`, also
 * with `.gz`, and for `*.zst`, at any depth but not in hidden directories or `node_modules`. `-` is standard input.
 */
export async function findInputs(args: readonly string[], options: FindOptions): Promise<FoundInputs> {
  const search = new InputSearch(options)
  for (const arg of args) await search.add(arg)
  return search
}

class InputSearch implements FoundInputs {
  readonly inputs: ReportInput[] = []
  readonly problems: ReadProblem[] = []
  readonly emptyDirectories: string[] = []
  readonly #options: FindOptions
  readonly #seen = new Set<string>()

  constructor(options: FindOptions) {
    this.#options = options
  }

  async add(arg: string): Promise<void> {
    if (arg === '-') {
      if (this.#isNew('-')) this.inputs.push(streamInput('standard input', this.#options.stdin))
      return
    }
    const found = await statOrError(resolve(this.#options.cwd, arg))
    if (!isSystemError(found)) {
      if (found.isDirectory()) await this.#addDirectory(arg)
      else await this.#addFile(arg, found)
    } else if (isNameless(found) && isDynamicPattern(arg)) await this.#addGlob(arg)
    else this.#tell(arg, 'A file, a directory or a glob', describeSystemError(found))
  }

  async #addDirectory(arg: string): Promise<void> {
    const cwd = resolve(this.#options.cwd, arg)
    const names = await glob(IN_DIRECTORIES, {
      cwd,
      caseSensitiveMatch: false,
      expandDirectories: false,
      ignore: ['**/node_modules/**'],
    })
    const isOutput = this.#outputWithin(cwd)
    const wanted = names.filter((name) => !isOutput(join(cwd, name)))
    if (wanted.length === 0) this.emptyDirectories.push(arg)
    for (const name of wanted.toSorted()) await this.#addNamed(join(arg, name))
  }

  async #addGlob(arg: string): Promise<void> {
    const { cwd } = this.#options
    const names = await glob(arg, { cwd, absolute: isAbsolute(arg), expandDirectories: false })
    if (names.length === 0) this.#tell(arg, 'A file, a directory or a glob that matches files', 'nothing')
    for (const name of names.toSorted()) await this.#addNamed(name)
  }

  async #addNamed(name: string): Promise<void> {
    const found = await statOrError(resolve(this.#options.cwd, name))
    if (isSystemError(found)) this.#tell(name, 'A file', describeSystemError(found))
    else await this.#addFile(name, found)
  }

  async #addFile(name: string, found: Stats): Promise<void> {
    const path = resolve(this.#options.cwd, name)
    // Two names of one file, by a symbolic link or another spelling, would count everything in it twice. A pipe
    // that a shell has opened has no path.
    if (!this.#isNew(found.isFile() ? await realpath(path) : path)) return
    this.inputs.push(found.isFile() ? fileInput(name, path, found.size) : streamInput(name, path))
  }

  /** Where the output directory is the searched one itself, its reports are told by their content. */
  #outputWithin(searched: string): (path: string) => boolean {
    const { exclude, cwd } = this.#options
    const output = exclude === undefined || exclude === null ? null : resolve(cwd, exclude)
    if (output === null || !isBelow(output, searched)) return () => false
    return (path) => isBelow(path, output)
  }

  #isNew(key: string): boolean {
    const before = this.#seen.size
    return this.#seen.add(key).size > before
  }

  #tell(input: string, expected: string, found: string): void {
    this.problems.push({ kind: 'unreadable_input', input, line: null, path: null, expected, found })
  }
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

async function statOrError(path: string): Promise<Stats | SystemError> {
  try {
    return await stat(path)
  } catch (error) {
    if (isSystemError(error)) return error
    throw error
  }
}

/** True where there is nothing of that name, so that it may be a glob. */
function isNameless(error: SystemError): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code)
}

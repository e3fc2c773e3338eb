import { neutralizeText } from '../report/neutralize-text.ts'
import { describeProblem, type ReadProblem, type ReadProblemKind } from './read-problem.ts'
import type { TextOutput } from './text-output.ts'

/** How messages are told. */
export interface MessageOptions {
  /** Only problems and errors, no notes. */
  readonly quiet: boolean
  /** Write nothing before {@link MessageLog.release} is called, as while a progress bar is drawn. */
  readonly held?: boolean
}

const MAX_PROBLEMS = 20

/** What is told beside the reports: problems with the input, each on a line and no more than 20, and notes. */
export class MessageLog {
  readonly #output: TextOutput
  readonly #quiet: boolean
  readonly #counts = new Map<ReadProblemKind, number>()
  #held: string[] | null
  #problems = 0

  constructor(output: TextOutput, { quiet, held = false }: MessageOptions) {
    this.#output = output
    this.#quiet = quiet
    this.#held = held ? [] : null
  }

  /** How many problems of a kind there were. */
  count(kind: ReadProblemKind): number {
    return this.#counts.get(kind) ?? 0
  }

  /** Tells a problem, unless there were 20 before. An input that ends too early is only worth a note. */
  async problem(problem: ReadProblem): Promise<void> {
    this.#counts.set(problem.kind, this.count(problem.kind) + 1)
    this.#problems += 1
    if (this.#problems > MAX_PROBLEMS) return
    const text = describeProblem(problem)
    await this.#write(problem.kind === 'torn_end' ? `note: ${text}` : text)
  }

  /** Tells why the command comes to nothing. */
  async error(text: string): Promise<void> {
    await this.#write(`agent-reach: ${text}`)
  }

  /** Tells what is good to know. */
  async note(text: string): Promise<void> {
    if (!this.#quiet) await this.#write(`note: ${text}`)
  }

  /** Tells what was done. */
  async summary(text: string): Promise<void> {
    if (!this.#quiet) await this.#write(text)
  }

  /** Tells how many problems were not told. */
  async endOfProblems(): Promise<void> {
    if (this.#problems > MAX_PROBLEMS) await this.#write(`… and ${this.#problems - MAX_PROBLEMS} more`)
  }

  /** Writes what was held, and from now on at once. */
  async release(): Promise<void> {
    const held = this.#held ?? []
    this.#held = null
    for (const line of held) await this.#write(line)
  }

  async #write(line: string): Promise<void> {
    if (this.#held === null) await this.#output.write(`${neutralizeText(line)}\n`)
    else this.#held.push(line)
  }
}

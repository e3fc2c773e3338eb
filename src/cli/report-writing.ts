import { isAbsolute, relative, resolve } from 'node:path'
import { createDirectorySink, type DirectorySink } from '../exporters/directory-sink.ts'
import type { ChainReport } from '../report/chain-report.ts'
import type { TextOptions } from '../report/text-form.ts'
import type { CliIo } from './cli-io.ts'
import { choosesColor } from './color-choice.ts'
import { createJsonPresenter } from './json-presenter.ts'
import type { BarBreach } from './judge-bar.ts'
import { createJunitPresenter } from './junit-presenter.ts'
import { createMarkdownPresenter } from './markdown-presenter.ts'
import { createNodePresenter } from './node-presenter.ts'
import { createQuietPresenter } from './quiet-presenter.ts'
import type { ReportOptions } from './report-options.ts'
import type { ReportPresenter } from './report-presenter.ts'
import { createTextPresenter } from './text-presenter.ts'
import { TextOutput } from './text-output.ts'

const MAX_OPEN_WRITES = 16

/** Shows reports on standard output, and writes them where they are to be kept. */
export class ReportWriting {
  readonly #output: TextOutput
  readonly #presenter: ReportPresenter
  readonly #sink: DirectorySink | null
  /** As the user named it. */
  readonly #out: string
  readonly #cwd: string
  /** Writes that have not ended; the sink waits for the disk, so several go side by side. */
  readonly #open = new Set<Promise<void>>()
  #error: unknown
  #written = 0

  constructor(options: ReportOptions, io: CliIo) {
    const { out, markdown } = options
    this.#output = new TextOutput(io.stdout)
    this.#presenter = choosePresenter(options, io)
    this.#out = out ?? ''
    this.#cwd = io.cwd
    this.#sink = out === null ? null : createDirectorySink({ directory: resolve(io.cwd, out), markdown })
  }

  /** Whether nobody reads standard output any more. */
  get isClosed(): boolean {
    return this.#output.isClosed
  }

  /** How many reports have been written into the directory. */
  get written(): number {
    return this.#written
  }

  /** @param breach why the chain is not well, or `null` */
  async add(report: ChainReport, breach: BarBreach | null): Promise<void> {
    const file = await this.#keep(report)
    await this.#output.write(this.#presenter.add({ report, breach, file }))
  }

  /**
   * Shows the rest, and waits until everything that was written is durable.
   *
   * @throws where a report could not be written; `add` may throw that too, later than for the report itself
   */
  async end(): Promise<void> {
    await Promise.all(this.#open)
    this.#throwIfFailed()
    await this.#sink?.close()
    await this.#output.write(this.#presenter.end())
  }

  async #keep(report: ChainReport): Promise<string | null> {
    if (this.#sink === null) return null
    if (this.#open.size >= MAX_OPEN_WRITES) await Promise.race(this.#open)
    this.#throwIfFailed()
    const write = this.#writeInto(this.#sink, report).finally(() => this.#open.delete(write))
    this.#open.add(write)
    const path = this.#sink.pathOf(report)
    return isAbsolute(this.#out) ? path : relative(this.#cwd, path)
  }

  async #writeInto(sink: DirectorySink, report: ChainReport): Promise<void> {
    try {
      await sink.write(report)
      this.#written += 1
    } catch (error) {
      this.#error ??= error
    }
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error
  }
}

function choosePresenter(options: ReportOptions, io: CliIo): ReportPresenter {
  const { format, quiet, ascii, nodeName, color } = options
  if (format === 'json') return createJsonPresenter()
  if (format === 'markdown') return createMarkdownPresenter()
  if (format === 'junit') return createJunitPresenter()
  if (quiet) return createQuietPresenter(ascii)
  const { env, stdout } = io
  const isTerminal = stdout.isTTY === true
  const form: TextOptions = {
    color: choosesColor({ color, env, isTerminal }),
    ascii,
    ...(isTerminal && stdout.columns !== undefined ? { width: stdout.columns } : {}),
  }
  return nodeName === null ? createTextPresenter(form) : createNodePresenter(nodeName, form)
}

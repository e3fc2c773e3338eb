import { resolve } from 'node:path'
import type { ChainReport } from '../report/chain-report.ts'
import { countNoun } from '../report/format-quantity.ts'
import { loadRules } from '../rules/load-rules.ts'
import type { Rules } from '../rules/rules.ts'
import type { SpanView } from '../steps/span-view.ts'
import type { CliIo } from './cli-io.ts'
import type { FoundInputs } from './find-inputs.ts'
import { MessageLog } from './message-log.ts'
import { type ProgressBar, startProgressBar } from './progress-bar.ts'
import type { ReadProblemKind } from './read-problem.ts'
import { countPasses, type ReadCounts, readReports, type ReadReportsOptions } from './read-reports.ts'
import type { ReportInput } from './report-input.ts'
import type { ReportOptions } from './report-options.ts'
import { TextOutput } from './text-output.ts'

/** What a command wants of its inputs. */
export interface ReadingOptions extends Pick<
  ReportOptions,
  'quiet' | 'ascii' | 'strict' | 'traceId' | 'format' | 'nodeName' | 'rules'
> {
  /** Given each span that is judged. */
  readonly onSpan?: (span: SpanView) => void
}

const NOTHING_READ: ReadCounts = {
  inputs: 0,
  spans: 0,
  rejectedSpans: 0,
  lateSpans: 0,
  signalDocuments: 0,
  reportDocuments: 0,
}

/** Reads the inputs of a command: gives the reports, and meanwhile tells problems and draws a progress bar. */
export class ReportReading {
  readonly messages: MessageLog
  readonly #found: FoundInputs
  readonly #options: ReadingOptions
  readonly #rules: Rules | null
  readonly #bar: ProgressBar | null
  #counts: ReadCounts = NOTHING_READ

  /** @throws {RulesError} where the rules cannot be used */
  constructor(found: FoundInputs, options: ReadingOptions, io: CliIo) {
    const { quiet, ascii, format, nodeName, rules } = options
    this.#rules = rules === null ? null : loadRules(resolve(io.cwd, rules), { name: rules })
    this.#found = found
    this.#options = options
    const passes = countPasses(found.inputs, { traceId: options.traceId })
    const totalBytes = sumBytes(found.inputs, passes)
    // Reports that come meanwhile on the same terminal would run into the bar.
    const comeMeanwhile = format !== 'text' || nodeName !== null
    const isInTheWay = quiet || (comeMeanwhile && io.stdout.isTTY === true)
    this.#bar = isInTheWay ? null : startProgressBar({ stream: io.stderr, totalBytes, ascii })
    this.messages = new MessageLog(new TextOutput(io.stderr), { quiet, held: this.#bar !== null })
  }

  /** What was read; known when all reports have been given. */
  get counts(): ReadCounts {
    return this.#counts
  }

  /** Whether an input could not be read, or with `--strict` anything in one. */
  get isUnreadable(): boolean {
    if (this.messages.count('unreadable_input') > 0) return true
    return this.#options.strict && STRICT_KINDS.some((kind) => this.messages.count(kind) > 0)
  }

  /** @yields The reports of all traces, see `readReports`. */
  async *reports(): AsyncGenerator<ChainReport> {
    const { traceId, onSpan } = this.#options
    const options: ReadReportsOptions = {
      traceId,
      onBytes: (bytes) => this.#bar?.advance(bytes),
      ...(this.#rules === null ? {} : { rules: this.#rules }),
      ...(onSpan === undefined ? {} : { onSpan }),
    }
    try {
      for (const problem of this.#found.problems) await this.messages.problem(problem)
      for await (const item of readReports(this.#found.inputs, options)) {
        if (item.kind === 'report') yield item.report
        else if (item.kind === 'problem') await this.messages.problem(item.problem)
        else this.#counts = item.counts
      }
    } finally {
      this.#bar?.stop()
      await this.messages.release()
      await this.messages.endOfProblems()
    }
    for (const note of this.#notes()) await this.messages.note(note)
  }

  #notes(): readonly string[] {
    const { signalDocuments, reportDocuments, lateSpans } = this.counts
    const notes = this.#found.emptyDirectories.map(
      (name) =>
        `${name} has no *.jsonl, *.json, *.binpb, *.pb, *.proto or *.zst file, nor one of these with .gz`,
    )
    if (reportDocuments > 0)
      notes.push(`passed over ${countNoun(reportDocuments, 'chain report', 'chain reports')} in the input`)
    if (signalDocuments > 0) {
      notes.push(
        `passed over ${countNoun(signalDocuments, 'document', 'documents')} of metrics, logs or profiles`,
      )
    }
    if (lateSpans > 0) {
      notes.push(`left out ${countNoun(lateSpans, 'span', 'spans')} of traces that had been reported already`)
    }
    return notes
  }
}

const STRICT_KINDS: readonly ReadProblemKind[] = [
  'unread_line',
  'foreign_document',
  'rejected_part',
  'torn_end',
]

function sumBytes(inputs: readonly ReportInput[], passes: number): number | null {
  let total = 0
  for (const { bytes } of inputs) {
    if (bytes === null) return null
    total += bytes * passes
  }
  return total
}

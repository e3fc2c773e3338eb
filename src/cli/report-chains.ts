import type { ChainReport } from '../report/chain-report.ts'
import { ChainTally } from './chain-tally.ts'
import type { CliIo } from './cli-io.ts'
import { findInputs } from './find-inputs.ts'
import { judgeBar } from './judge-bar.ts'
import type { ReportOptions } from './report-options.ts'
import { ReportReading } from './report-reading.ts'
import { ReportWriting } from './report-writing.ts'

/**
 * Reads the inputs, judges their chains, shows and writes the reports.
 *
 * @returns the exit code: 2 where an input cannot be read (or with `strict` any line), or where there is a bar and no
 *   chain; else 1 where a chain fails the bar; else 0
 */
export async function reportChains(options: ReportOptions, io: CliIo): Promise<number> {
  const { cwd, stdin } = io
  const found = await findInputs(options.inputs, { cwd, stdin, exclude: options.out })
  const reading = new ReportReading(found, options, io)
  const writing = new ReportWriting(options, io)
  const tally = new ChainTally()
  for await (const report of reading.reports()) {
    if (!isWanted(report, options)) continue
    const breach = judge(report, options)
    if (report.step_count === 0) tally.addPlainTrace()
    else tally.add(report, options.failOn === null ? null : breach)
    await writing.add(report, breach)
    // Nobody reads on, and nothing else is to come of it.
    if (writing.isClosed && options.out === null && options.failOn === null) return 0
  }
  await writing.end()
  await tellOutcome(reading, tally, { options, written: writing.written })
  return toExitCode(reading, tally, options)
}

function isWanted({ nodes }: ChainReport, { nodeName }: ReportOptions): boolean {
  return nodeName === null || nodes.some(({ node_name }) => node_name === nodeName)
}

/** Without a bar a chain that is no success is what a user wants to hear of. */
function judge(report: ChainReport, { failOn, allowPartial }: ReportOptions): ReturnType<typeof judgeBar> {
  if (report.step_count === 0) return null
  return judgeBar(report, { bar: failOn ?? 'partial_failed', allowPartial })
}

async function tellOutcome(
  { messages, counts }: ReportReading,
  tally: ChainTally,
  { options, written }: { readonly options: ReportOptions; readonly written: number },
): Promise<void> {
  if (tally.chains === 0) {
    const nothing = describeNothing(options)
    if (options.failOn === null) await messages.note(`${nothing} in the input`)
    else await messages.error(`Cannot judge the input: expected an agent chain, found ${nothing}`)
  }
  const unread =
    messages.count('unread_line') + messages.count('foreign_document') + messages.count('torn_end')
  const wrote = options.out === null ? '' : `; ${written} written to ${options.out}`
  await messages.summary(`${tally.describe(counts, unread)}${wrote}`)
  if (tally.isBelowBar) await messages.summary(tally.describeBreaches())
}

function describeNothing({ traceId, nodeName }: ReportOptions): string {
  if (nodeName !== null) return `no chain with a node named ${nodeName}`
  return traceId === null ? 'no agent chain' : `no agent chain of trace ${traceId}`
}

function toExitCode(reading: ReportReading, tally: ChainTally, { failOn }: ReportOptions): number {
  if (reading.isUnreadable) return 2
  if (failOn !== null && tally.chains === 0) return 2
  return tally.isBelowBar ? 1 : 0
}

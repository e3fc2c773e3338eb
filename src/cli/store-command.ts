import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openStore } from '../server/open-store.ts'
import type { PageMark, ReportStore } from '../server/report-store.ts'
import type { CliIo } from './cli-io.ts'
import { type CommandTable, parseArguments } from './command-options.ts'
import { renderHelp } from './help-text.ts'
import { TextOutput } from './text-output.ts'
import { UsageError } from './usage-error.ts'

type StoreOptionName = 'store' | 'help'

/** `agent-reach store`: what can be done with the file of the report service. */
const storeTable: CommandTable<StoreOptionName> = {
  name: 'agent-reach store',
  usage: '<action> [options]',
  summary: [
    'Looks at the file in which agent-reach serve keeps spans and reports.',
    '',
    'Actions:',
    '  info     what is in it, as JSON',
    '  verify   whether all of it can be read and fits together; exit 1 where not',
    '  export   the latest report of every chain to standard output, one JSON object a line',
    '  compact  gives the space of what was removed back to the disk; not while the service runs',
  ],
  options: [
    { name: 'store', value: 'FILE', help: 'the file (default agent-reach.db)' },
    { name: 'help', short: 'h', help: 'show this text' },
  ],
  remarks: [
    'The environment variable AGENT_REACH_STORE names the file too; an option outweighs it.',
    '',
    'Exit codes: 0 done; 1 verify found something; 2 wrong use, or a file that cannot be used.',
  ],
}

type StoreAction = (store: ReportStore, output: TextOutput) => Promise<number>

const actions: ReadonlyMap<string, { readonly writes: boolean; readonly run: StoreAction }> = new Map([
  ['info', { writes: false, run: showInfo }],
  ['verify', { writes: false, run: verify }],
  ['export', { writes: false, run: exportReports }],
  ['compact', { writes: true, run: compact }],
])

/**
 * Runs `store`.
 *
 * @returns the exit code
 * @throws {UsageError} where the arguments make no sense
 * @throws {StoreError} where the file cannot be used
 */
export async function runStoreCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const { flags, values, operands } = parseArguments(argv, storeTable)
  const output = new TextOutput(io.stdout)
  if (flags.has('help')) {
    await output.write(renderHelp(storeTable))
    return 0
  }
  const action = operands.length === 1 ? actions.get(operands[0] ?? '') : undefined
  if (action === undefined) {
    const found = operands.length === 0 ? 'nothing' : operands.join(' ')
    throw new UsageError(
      `Cannot run ${storeTable.name}: expected one of ${[...actions.keys()].join(', ')}, found ${found}`,
    )
  }
  const file = values.get('store') ?? (io.env['AGENT_REACH_STORE'] || 'agent-reach.db')
  const path = resolve(io.cwd, file)
  if (!existsSync(path)) {
    throw new UsageError(`Cannot open the store ${file}: expected a file, found nothing`)
  }
  const store = await openStore({ path, now: Date.now, readOnly: !action.writes })
  try {
    return await action.run(store, output)
  } finally {
    await store.close()
  }
}

async function showInfo(store: ReportStore, output: TextOutput): Promise<number> {
  const info = store.info()
  const shown = {
    path: info.path,
    driver: info.driver,
    schema_version: info.schemaVersion,
    bytes: info.bytes,
    traces: info.traces,
    unreported_traces: info.unreportedTraces,
    chunks: info.chunks,
    chains: info.chains,
    revisions: info.revisions,
    queued_forwards: info.queuedForwards,
    oldest: toTime(info.oldestMs),
    newest: toTime(info.newestMs),
  }
  await output.write(`${JSON.stringify(shown, null, 2)}\n`)
  return 0
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

async function verify(store: ReportStore, output: TextOutput): Promise<number> {
  const problems = store.verify()
  const said = problems.length === 0 ? ['nothing is wrong'] : problems
  await output.write(said.map((line) => `${line}\n`).join(''))
  return problems.length === 0 ? 0 : 1
}

const PAGE = 200

async function exportReports(store: ReportStore, output: TextOutput): Promise<number> {
  let after: PageMark | null = null
  for (;;) {
    const page = store.listChains({}, PAGE, after)
    for (const { name } of page) {
      const report = store.getReport(name)
      if (report !== null) await output.write(`${report.json}\n`)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return 0
    after = { startedMs: last.startedMs, name: last.name }
  }
}

async function compact(store: ReportStore, output: TextOutput): Promise<number> {
  const before = store.info().bytes
  store.compact()
  const { bytes } = store.info()
  await output.write(`${JSON.stringify({ bytes_before: before, bytes_after: bytes })}\n`)
  return 0
}

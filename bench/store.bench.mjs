// What the store of the report service costs: reports a second beside a plain insert of the same rows, bytes on the
// disk, the list of what failed last, and how soon requests are acknowledged.
//
//   node bench/store.bench.mjs [--reports 100000] [--rounds 5] [--folder DIR] [--report FILE]
//
// Each figure is the median of the rounds; what is compared is measured in turns. `docs/store.md` keeps the results.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleStore } from '../test/server/store/bundle-store.mjs'

const { values } = parseArgs({
  options: {
    reports: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
    report: { type: 'string', default: join(import.meta.dirname, '../docs/report-example.json') },
  },
})
const rounds = Number(values.rounds)
const total = Number(values.reports)
const now = () => 1_796_040_000_000
const BATCH = 100
const ROUND_REPORTS = 5_000

const bundle = await bundleStore([
  'server/sqlite-driver.ts',
  'report/report-digest.ts',
  'report/report-name.ts',
])
const { openStore, loadDriver, digestReport, packReport, toReportName } = await import(bundle)
const driver = await loadDriver()
const scratch = mkdtempSync(join(values.folder, 'agent-reach-store-bench-'))
const sample = JSON.parse(readFileSync(values.report, 'utf8'))
const STATUS = ['success', 'success', 'success', 'success', 'failed', 'success', 'success', 'partial_failed']

try {
  console.log(`Node ${process.version}, ${driver.name}, report of ${JSON.stringify(sample).length} bytes`)
  await compareInserts()
  await measureLists()
  for (const appenders of [1, 8, 32]) await measureAppends(appenders)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Reports that differ in everything that runs differ in: ids, times, amounts, some of their texts. */
function createReport(number) {
  const trace_id = toTraceId(number)
  const text = JSON.stringify(sample)
    .replaceAll(sample.trace_id, trace_id)
    .replaceAll(/"span_id":"[\da-f]{8}/gu, `"span_id":"${trace_id.slice(0, 8)}`)
    .replaceAll(/"latency_ms":(\d+)/gu, (_, ms) => `"latency_ms":${Number(ms) + ((number * 7919) % 1_000)}`)
    .replaceAll('ORD', `ORD${number}`)
  const report = {
    ...JSON.parse(text),
    overall_status: STATUS[number % STATUS.length],
    started_at: new Date(now() + number * 250).toISOString(),
  }
  return { ...report, digest: digestReport(report) }
}

function toTraceId(number) {
  return number.toString(16).padStart(8, '0').repeat(4)
}

/** One of some reports as that of another run, which is made much sooner. */
function renumber(reports, index) {
  const report = reports[index % reports.length]
  const number = index + 1
  const started_at = new Date(now() + number * 250).toISOString()
  return {
    ...report,
    trace_id: toTraceId(number),
    started_at,
    overall_status: STATUS[number % STATUS.length],
  }
}

function pathOf(name) {
  return join(mkdtempSync(join(scratch, `${name}-`)), 'reports.db')
}

/** Bytes of a file and its log. */
function sizeOf(path) {
  return readdirSync(join(path, '..'))
    .map((name) => join(path, '..', name))
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + statSync(file).size, 0)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** The rows with a few columns and their JSON as it is. */
function openPlain(path) {
  const database = driver.open(path, { readOnly: false, busyMs: 0 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec('CREATE TABLE r (id TEXT PRIMARY KEY, ts INTEGER, failed INTEGER, service TEXT, json TEXT)')
  database.exec('CREATE INDEX f ON r (ts) WHERE failed = 1')
  const insert = database.prepare('INSERT INTO r VALUES (?, ?, ?, ?, ?)')
  return {
    write(reports) {
      database.exec('BEGIN')
      for (const report of reports) {
        const failed = report.overall_status === 'success' ? 0 : 1
        insert.run(
          report.report_id + report.trace_id,
          Date.parse(report.started_at),
          failed,
          report.service_name,
          JSON.stringify(report),
        )
      }
      database.exec('COMMIT')
    },
    close: () => database.close(),
  }
}

function toCommit(report) {
  return {
    traceId: report.trace_id,
    reports: [packReport(report)],
    lastChunk: 0,
    compacted: null,
    rejectedSpans: 0,
    forward: null,
    nowMs: now(),
  }
}

async function openOurs(path) {
  const store = await openStore({ path, now })
  return { write: (reports) => store.commitTraces(reports.map(toCommit)), close: () => store.close() }
}

async function compareInserts() {
  const times = { plain: [], ours: [] }
  const busy = { plain: [], ours: [] }
  const reports = Array.from({ length: ROUND_REPORTS }, (_, index) => createReport(index + 1))
  for (let round = -1; round < rounds; round++) {
    for (const [name, open] of Object.entries({ plain: openPlain, ours: openOurs })) {
      const target = await open(pathOf(name))
      const started = performance.now()
      const before = cpuMs()
      for (let at = 0; at < reports.length; at += BATCH) target.write(reports.slice(at, at + BATCH))
      if (round >= 0) {
        times[name].push(performance.now() - started)
        busy[name].push(cpuMs() - before)
      }
      await target.close()
    }
  }
  const perSecond = (all) => Math.round((ROUND_REPORTS / median(all)) * 1_000)
  const ratio = (all) => median(all.ours.map((time, index) => time / all.plain[index])).toFixed(2)
  console.log(
    `reports a second, ${BATCH} a transaction: plain ${perSecond(times.plain)}, store ${perSecond(times.ours)}`,
  )
  console.log(`reports a second of CPU: plain ${perSecond(busy.plain)}, store ${perSecond(busy.ours)}`)
  console.log(`a report beside the plain insert: ${ratio(times)} of the time, ${ratio(busy)} of the CPU`)
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function measureLists() {
  const path = pathOf('lists')
  const store = await openStore({ path, now })
  let raw = 0
  const some = Array.from({ length: ROUND_REPORTS }, (_, index) => createReport(index + 1))
  for (let at = 0; at < total; at += BATCH) {
    const reports = Array.from({ length: BATCH }, (_, index) => renumber(some, at + index))
    raw += reports.reduce((sum, report) => sum + JSON.stringify(report).length, 0)
    store.commitTraces(reports.map(toCommit))
  }
  store.compact()
  console.log(
    `${total} reports: ${mb(raw)} MB as JSON, ${mb(sizeOf(path))} MB stored, ratio ${(sizeOf(path) / raw).toFixed(2)}`,
  )
  const lists = {
    'the last 50 that failed': () => store.listChains({ status: ['failed'] }, 50, null),
    'the last 50': () => store.listChains({}, 50, null),
    'a node, the last 50': () => store.listChains({ node: sample.nodes[0].node_name }, 50, null),
    'a report': () => store.getReport(toReportName(toTraceId(total >> 1), sample.chain_id)),
    'counts by status': () => store.countChains({}),
    'nodes by hour': () => store.countNodes({}),
  }
  for (const [name, read] of Object.entries(lists)) {
    const times = Array.from({ length: 7 }, () => timeOf(read))
    console.log(`${name}: ${median(times).toFixed(2)} ms, first ${times[0].toFixed(2)} ms`)
  }
  const slices = []
  let count = 1
  while (count > 0 && slices.length < 100) {
    const started = performance.now()
    count = store.retain({ maxAgeMs: 0 }, now() + 1)
    slices.push(performance.now() - started)
  }
  console.log(
    `retention: p50 ${median(slices).toFixed(1)} ms a slice, longest ${Math.max(...slices).toFixed(1)} ms`,
  )
  await store.close()
}

function timeOf(work) {
  const started = performance.now()
  work()
  return performance.now() - started
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(0)
}

/** Each appender sends its next request, 30 spans in 270 KB or a small one, when the last one is acknowledged. */
async function measureAppends(appenders) {
  for (const bytes of [4_000, 270_000]) {
    const store = await openStore({ path: pathOf('appends'), now })
    const body = Buffer.alloc(bytes, 'span ')
    const waits = []
    const requests = bytes > 100_000 ? 1_500 : 6_000
    const started = performance.now()
    await Promise.all(
      Array.from({ length: appenders }, async (_, side) => {
        for (let count = 0; count < requests / appenders; count++) {
          const traceId = (side * 1_000_000 + count).toString(16).padStart(32, '0')
          const sent = performance.now()
          await store.append([{ traceId, body, spanCount: 30, rejectedSpans: 0 }], now())
          waits.push(performance.now() - sent)
        }
      }),
    )
    const seconds = (performance.now() - started) / 1_000
    await store.close()
    const [p50, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)].map((ms) => ms.toFixed(2))
    console.log(
      `append ${bytes} bytes, ${appenders} at a time: ${Math.round(waits.length / seconds)} a second, ` +
        `p50 ${p50} ms, p99 ${p99} ms`,
    )
  }
}

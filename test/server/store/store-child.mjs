// Works on a store in a process of its own, which a test kills or puts under limits. Each line that it prints is an
// acknowledgement: what it says has been promised.
//
//   node store-child.mjs BUNDLE MODE STORE [ROUND REPORTS]
import { readFileSync, writeSync } from 'node:fs'

const [bundle, mode, path, round, reportsFile] = process.argv.slice(2)
const { openStore, packReport } = await import(bundle)
const NOON_MS = 1_796_040_000_000

function tell(line) {
  writeSync(1, `${line}\n`)
}

function idOf(number) {
  return number.toString(16).padStart(32, '0')
}

function chunkOf(traceId, text) {
  return { traceId, body: Buffer.from(text), spanCount: 1, rejectedSpans: 0 }
}

function open(options = {}) {
  return openStore({ path, now: () => NOON_MS, ...options })
}

/** Appends from several sides and reports what has come, until it is killed. */
async function work() {
  const store = await open()
  const reports = JSON.parse(readFileSync(reportsFile, 'utf8')).map(packReport)
  const sides = [1, 2, 3, 4].map(async (side) => {
    for (let count = 1; ; count++) {
      const traceId = idOf(Number(round) * 1_000_000 + side * 100_000 + count)
      await store.append([chunkOf(traceId, 'a'.repeat(3_000))], NOON_MS)
      tell(`appended ${traceId} 1`)
      const lastChunk = await store.append([chunkOf(traceId, 'b'.repeat(20_000))], NOON_MS)
      tell(`appended ${traceId} 2`)
      if (side % 2 === 0) continue
      const compacted = Buffer.from('both')
      const forward = Buffer.from('forward')
      store.commitTrace({ traceId, reports, lastChunk, compacted, rejectedSpans: 0, forward, nowMs: NOON_MS })
      tell(`reported ${traceId} 0`)
    }
  })
  await Promise.all(sides)
}

/** Appends until there is no room. */
async function appendAll(store) {
  for (let kept = 0; ; kept++) {
    try {
      await store.append([chunkOf(idOf(kept + 1), 'x'.repeat(100_000))], NOON_MS)
    } catch ({ fault }) {
      return { kept, fault }
    }
  }
}

/** Fills the disk, waits for a line that says that there is room, and goes on. */
async function fill() {
  const store = await open()
  const { kept, fault } = await appendAll(store)
  tell(JSON.stringify({ kept, fault, problems: store.verify(), pendingBytes: store.pendingBytes }))
  await new Promise((resolve) => process.stdin.once('data', resolve))
  const number = await store.append([chunkOf(idOf(kept + 1), 'x'.repeat(100_000))], NOON_MS)
  tell(JSON.stringify({ number, problems: store.verify(), traces: store.info().traces }))
  await store.close()
  process.exit(0)
}

/** Opens for writing, and tells why it cannot. */
async function look() {
  const told = await open().then(
    async (store) => {
      await store.append([chunkOf(idOf(9), 'late')], NOON_MS)
      return {}
    },
    ({ name, fault, message }) => ({ name, fault, message }),
  )
  tell(JSON.stringify(told))
  process.exit(0)
}

/** Adds a report, and tells whether it and all that others have added are read as they were written. */
async function add() {
  const store = await open()
  const [report] = JSON.parse(readFileSync(reportsFile, 'utf8'))
  const traceId = idOf(Number(round))
  const lastChunk = await store.append([chunkOf(traceId, 'spans')], NOON_MS)
  const rest = { compacted: null, rejectedSpans: 0, forward: null, nowMs: NOON_MS }
  store.commitTrace({ traceId, reports: [packReport(report)], lastChunk, ...rest })
  const same = store
    .listChains({}, 100, null)
    .map(({ name }) => store.getReport(name).json === JSON.stringify(report))
  tell(JSON.stringify({ driver: store.info().driver, same, problems: store.verify() }))
  await store.close()
}

await { work, fill, look, add }[mode]()

// Works on a store in a process of its own, which a test kills or puts under limits. Each line that it prints is an
// acknowledgement: what it says has been promised.
//
//   node store-child.mjs BUNDLE MODE STORE [ROUND REPORTS]
import { readFileSync, writeSync } from 'node:fs'

const [bundle, mode, path, round, reportsFile] = process.argv.slice(2)
const { openStore } = await import(bundle)
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
  const reports = JSON.parse(readFileSync(reportsFile, 'utf8'))
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

/** Appends until there is no room, waits for a line that says there is, and goes on. */
async function fill() {
  const store = await open()
  let kept = 0
  let fault
  while (fault === undefined && kept < 1_000) {
    await store.append([chunkOf(idOf(kept + 1), 'x'.repeat(100_000))], NOON_MS).then(
      () => kept++,
      (error) => (fault = error.fault),
    )
  }
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

await { work, fill, look }[mode]()

// The disk under the store is full, cannot be written, or gives back what was not written.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSpans } from '../encode-spans.mjs'
import { compareReport, makeTrace, toChainName } from '../seeded-traces.mjs'
import {
  readJson,
  runStore,
  send,
  sendSpans,
  ServiceRefusedError,
  startService,
  statusOf,
} from '../service-process.mjs'
import { waitForReport } from '../wait-for-report.mjs'

const MIB = 1024 * 1024

function tryRun(file, ...args) {
  const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8' })
  return { isDone: status === 0, reason: error?.message ?? stderr?.trim() }
}

/** A place for a store that ends after 8 MiB, and how it is made larger; the second way limits the file, not the disk. */
function findSmallDisk(folder) {
  const mount = join(folder, 'small')
  mkdirSync(mount)
  const mounted = tryRun('mount', '-t', 'tmpfs', '-o', `size=${8 * MIB}`, 'tmpfs', mount)
  if (mounted.isDone) {
    return {
      kind: 'a file system of 8 MiB',
      store: join(mount, 'reports.db'),
      wrapper: [],
      grow: () => tryRun('mount', '-o', `remount,size=${256 * MIB}`, mount),
      leave: () => tryRun('umount', mount),
    }
  }
  const limited = tryRun('prlimit', `--fsize=${8 * MIB}:unlimited`, 'true')
  if (!limited.isDone) {
    throw new Error(
      `Cannot make a small disk: expected to be let mount a tmpfs or to have prlimit, found ${mounted.reason}; ${limited.reason}`,
    )
  }
  return {
    kind: 'files of at most 8 MiB',
    store: join(mount, 'reports.db'),
    wrapper: ['prlimit', `--fsize=${8 * MIB}:unlimited`],
    grow: (pid) => tryRun('prlimit', `--pid=${pid}`, '--fsize=unlimited:unlimited'),
    leave: () => {},
  }
}

/** A trace of which nothing gets smaller when it is packed. */
function makeLargeTrace(seed, number) {
  const trace = makeTrace(seed, number)
  const filler = () => randomBytes(30_000).toString('base64')
  const spans = trace.spans.map((span) => ({ ...span, attributes: { ...span.attributes, filler: filler() } }))
  return { ...trace, spans, encoded: encodeSpans(spans, { json: false, gzip: false }) }
}

export async function fillTheDisk(folder) {
  const disk = findSmallDisk(folder)
  const service = await startService({ store: disk.store, wrapper: disk.wrapper })
  try {
    const first = makeTrace(31, 1)
    await sendSpans(service.url, encodeSpans(first.spans, { json: false, gzip: false }))
    await waitForReport(service.url, first.traceId)
    const { acknowledged, refused } = await sendUntilRefused(service.url)
    await expectReadable(service.url, first)
    const grown = disk.grow(service.pid)
    assert.ok(grown.isDone, grown.reason)
    for (const trace of refused) await deliver(service.url, trace)
    const all = [first, ...acknowledged, ...refused]
    for (const trace of all) {
      const problems = compareReport(await waitForReport(service.url, trace.traceId), trace)
      assert.deepEqual(problems, [])
    }
    assert.equal(await statusOf(service.url, '/readyz'), 200)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(runStore('verify', disk.store), { status: 0, output: 'nothing is wrong' })
    return `${disk.kind}: ${acknowledged.length} requests taken, ${refused.length} refused and taken later`
  } finally {
    await service.kill()
    disk.leave()
  }
}

/** What is smaller may still find room: the disk counts as full when twenty requests on end were refused. */
async function sendUntilRefused(url) {
  const acknowledged = []
  const refused = []
  for (let number = 2, refusals = 0; refusals < 20; number++) {
    assert.ok(number < 1_000, 'the disk does not get full')
    const trace = makeLargeTrace(31, number)
    const { status, headers, body } = await sendSpans(url, trace.encoded)
    if (status === 200) {
      acknowledged.push(trace)
      refusals = 0
      continue
    }
    assert.equal(status, 503, body.toString())
    assert.match(headers['retry-after'] ?? '', /^(?:[1-9]|10)$/u)
    refused.push(trace)
    refusals++
  }
  return { acknowledged, refused }
}

async function expectReadable(url, { traceId }) {
  assert.equal(await statusOf(url, '/healthz'), 200)
  assert.equal(await statusOf(url, '/api/v1/chains'), 200)
  assert.equal(await statusOf(url, `/api/v1/chains/${toChainName(traceId)}`), 200)
  assert.equal(await statusOf(url, '/metrics'), 200)
  const { status, body } = await send(new URL('/readyz', url))
  assert.equal(status, 503)
  assert.deepEqual(
    JSON.parse(body.toString()).reasons.map(({ code }) => code),
    ['store'],
  )
}

async function deliver(url, { encoded }) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const { status } = await sendSpans(url, encoded)
    if (status === 200) return
    assert.equal(status, 503)
    await sleep(100)
  }
  assert.fail('the request is refused although there is room')
}

/** A store with reports in it, which is closed; and the traces that are in it. */
async function makeStore(store, seed, traces) {
  const service = await startService({ store })
  try {
    const made = Array.from({ length: traces }, (_, number) => makeLargeTrace(seed, number))
    for (const { encoded } of made) assert.equal((await sendSpans(service.url, encoded)).status, 200)
    for (const { traceId } of made) await waitForReport(service.url, traceId)
    assert.equal(await service.stop(), 0)
    return made
  } finally {
    await service.kill()
  }
}

export async function openReadOnly(folder) {
  const place = join(folder, 'fixed')
  mkdirSync(place)
  // The superuser may write what nobody may write, unless the disk itself is read-only.
  const isMounted = tryRun('mount', '-t', 'tmpfs', 'tmpfs', place).isDone
  const store = join(place, 'reports.db')
  try {
    await makeStore(store, 32, 2)
    const fixed = isMounted
      ? tryRun('mount', '-o', 'remount,ro', place)
      : { isDone: process.getuid?.() !== 0, reason: 'the superuser may write everything' }
    assert.ok(fixed.isDone, `Cannot make a store that cannot be written: ${fixed.reason}`)
    if (!isMounted)
      for (const [path, mode] of [
        [store, 0o444],
        [place, 0o555],
      ])
        chmodSync(path, mode)
    const refusal = await startService({ store }).then(
      async (service) => {
        await service.kill()
        return assert.fail('the service started on a store that it cannot write')
      },
      (error) => error,
    )
    assert.ok(refusal instanceof ServiceRefusedError, String(refusal))
    assert.equal(refusal.code, 2)
    assert.match(refusal.message, /Cannot open the store .*reports\.db/u)
    assert.doesNotMatch(refusal.message, /^\s+at /mu)
    return refusal.message.split('\n').at(-1).slice(0, 160)
  } finally {
    if (isMounted) tryRun('umount', place)
    else for (const path of [place, store]) chmodSync(path, 0o755)
  }
}

const PAGE = 16 * 1024

export async function damagePages(folder) {
  const store = join(folder, 'reports.db')
  const traces = await makeStore(store, 33, 30)
  const pages = Math.floor(statSync(store).size / PAGE)
  const file = openSync(store, 'r+')
  // The second half, in which the bodies and the last reports are; every tenth page is left without sense.
  for (let page = Math.floor(pages / 2); page < pages; page += 10) {
    writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE)
  }
  closeSync(file)
  const service = await startService({ store })
  try {
    const counts = { served: 0, told: 0 }
    for (const { traceId } of traces) {
      for (const path of [
        `/api/v1/chains/${toChainName(traceId)}`,
        `/api/v1/chains/${toChainName(traceId)}/spans`,
      ]) {
        const { status, body } = await send(new URL(path, service.url))
        if (status === 200) JSON.parse(body.toString())
        else {
          assert.equal(status, 500, body.toString())
          assert.equal(JSON.parse(body.toString()).type, 'urn:agent-reach:problem:store-corrupt')
        }
        counts[status === 200 ? 'served' : 'told']++
      }
    }
    assert.ok(counts.served > 0 && counts.told > 0, JSON.stringify(counts))
    assert.equal((await readJson(service.url, '/healthz')).status, 'ok')
    await service.stop()
    const { status, output } = runStore('verify', store)
    assert.equal(status, 1, output)
    return `${counts.served} reads served, ${counts.told} told of the damage; verify: ${output.split('\n').length} lines`
  } finally {
    await service.kill()
  }
}

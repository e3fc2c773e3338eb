import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ReportStore } from '../../../src/server/report-store.ts'
import { toReportName } from '../../../src/report/report-name.ts'
import { bundleStore } from './bundle-store.mjs'
import { newStorePath, openAt, reportOf, storeReported } from './store-samples.ts'

const program = join(import.meta.dirname, 'store-child.mjs')
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const KILLS = 24

let bundle: string

beforeAll(async () => {
  bundle = await bundleStore()
  chmodSync(dirname(bundle), 0o755)
})

type Child = ChildProcessByStdio<Writable, Readable, null>

function start(args: readonly string[], before: readonly string[] = [], uid?: number): Child {
  const [command = process.execPath, ...rest] = [...before, process.execPath, program, bundle, ...args]
  return spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'], ...(uid === undefined ? {} : { uid }) })
}

/** What a child has said so far, whole lines only. */
function follow(child: Child): {
  readonly lines: string[]
  readonly first: Promise<unknown>
  next(): Promise<string>
} {
  const reader = createInterface({ input: child.stdout })
  const lines: string[] = []
  let read = 0
  reader.on('line', (line) => lines.push(line))
  const next = async (): Promise<string> => {
    while (lines.length <= read) await once(reader, 'line')
    return lines[read++] ?? ''
  }
  return { lines, first: once(reader, 'line'), next }
}

describe('a store whose process is killed', () => {
  const chains = ['main', 'side']

  /** Whether a trace is stored as reported; throws where it is neither quite that nor not at all. */
  function isReported(store: ReportStore, id: string, forwarded: ReadonlySet<string>): boolean {
    const trace = store.readTrace(id)
    const names = chains.map((chain) => toReportName(id, chain))
    const reported = names.map((name) => store.getReport(name) !== null)
    const sizes = trace?.bodies.map((body) => body.length)
    if (trace?.revision === 1) {
      expect([id, reported, sizes, forwarded.has(id)]).toEqual([id, [true, true], ['both'.length], true])
      return true
    }
    expect([id, reported, forwarded.has(id)]).toEqual([id, [false, false], false])
    return false
  }

  it(`has all that it has acknowledged, and nothing by halves, over ${KILLS} kills`, async () => {
    const path = newStorePath()
    const reportsFile = join(dirname(path), 'reports.json')
    writeFileSync(reportsFile, JSON.stringify(chains.map((chain_id) => reportOf(1, { chain_id }))))
    let acknowledged = 0
    let reports = 0
    for (let round = 1; round <= KILLS; round++) {
      const child = start(['work', path, String(round), reportsFile])
      const { lines, first } = follow(child)
      await first
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 150))
      child.kill('SIGKILL')
      await once(child, 'close')

      const store = await openAt(path)
      const forwarded = new Set(store.queuedForwards(1_000_000).map(({ traceId }) => traceId))
      for (const line of lines.filter((text) => /^\w+ [\da-f]{32} \d$/u.test(text))) {
        const [act, id = '', count] = line.split(' ')
        const done = isReported(store, id, forwarded)
        if (act === 'reported') {
          expect(done, line).toBe(true)
          reports++
        } else if (!done)
          expect(store.readTrace(id)?.bodies.length, line).toBeGreaterThanOrEqual(Number(count))
        acknowledged++
      }
      for (const { traceId } of store.unreported()) isReported(store, traceId, forwarded)
      expect(store.verify()).toEqual([])
      await store.close()
    }
    expect(acknowledged).toBeGreaterThan(KILLS * 4)
    expect(reports).toBeGreaterThan(KILLS)
  })
})

/** Disks that become full, and how each gets room again. */
interface SmallDisk {
  readonly path: string
  readonly before: readonly string[]
  readonly fault: string
  makeRoom(child: Child): void
  end(): void
}

function limitFiles(): SmallDisk {
  const run = (args: readonly string[]): void => {
    const { status, stderr } = spawnSync('prlimit', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`Cannot change the limit: ${stderr}`)
  }
  return {
    path: newStorePath(),
    before: ['prlimit', '--fsize=3000000:unlimited'],
    fault: 'io',
    makeRoom: ({ pid }) => run([`--pid=${pid}`, '--fsize=unlimited:unlimited']),
    end: () => {},
  }
}

function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-disk-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Cannot mount a small disk: ${stderr}`)
  const ballast = join(folder, 'ballast')
  writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024))
  return {
    path: join(folder, 'reports.db'),
    before: [],
    fault: 'full',
    makeRoom: () => rmSync(ballast),
    end: () => {
      spawnSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** To mount takes rights that not every machine gives; a limit on the size of files can be set everywhere. */
function canMount(): boolean {
  try {
    mountSmallDisk().end()
    return true
  } catch {
    return false
  }
}

const disks: (readonly [string, () => SmallDisk])[] = [['files that may not grow', limitFiles]]
if (canMount()) disks.push(['a small disk', mountSmallDisk])

describe('a store whose disk is full', () => {
  it.each(disks)('refuses without harm and goes on when there is room again: %s', async (_, make) => {
    const disk = make()
    try {
      const child = start(['fill', disk.path], disk.before)
      const said = follow(child)
      const full = JSON.parse(await said.next()) as { kept: number; fault: string; problems: string[] }
      expect(full).toMatchObject({ fault: disk.fault, problems: [], pendingBytes: 0 })
      expect(full.kept).toBeGreaterThan(3)
      disk.makeRoom(child)
      child.stdin.write('\n')
      const again = JSON.parse(await said.next()) as { number: number; traces: number }
      expect(again).toMatchObject({ problems: [], traces: full.kept + 1 })
      if (child.exitCode === null) await once(child, 'close')
      const store = await openAt(disk.path)
      expect(store.info().traces).toBe(full.kept + 1)
      expect(store.verify()).toEqual([])
      await store.close()
    } finally {
      disk.end()
    }
  })
})

describe('a store in a file that may only be read', () => {
  it('is not opened for writing, and says why', async () => {
    const path = newStorePath()
    const store = await openAt(path)
    await storeReported(store, 1)
    await store.close()
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o444)
    chmodSync(dirname(path), 0o555)
    const child = start(['look', path], [], isRoot ? NOBODY : undefined)
    const told: unknown = JSON.parse(await follow(child).next())
    chmodSync(dirname(path), 0o755)
    expect(told).toMatchObject({ name: 'StoreError', fault: 'read_only' })
    expect((told as Error).message).toMatch(`Cannot open the store ${path}: `)
  })
})

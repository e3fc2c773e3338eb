import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDist } from '../build-dist.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { runCommand, sendTraces, startCommand, waitForReport } from './service-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'agent-reach-store-command-'))
const place = { cwd: folder }

/** Runs an action on a file of the folder. */
const act = (action: string, file: string): ReturnType<typeof runCommand> =>
  runCommand(['store', action, '--store', file], place)

/** A store with one trace and its report. */
async function makeStore(file: string): Promise<void> {
  const { url, child, ended } = await startCommand(['--store', file, '--settle', '100ms'], place)
  expect(await sendTraces(url)).toBe(200)
  await waitForReport(url)
  child.kill()
  expect(await ended).toEqual([0, null])
}

beforeAll(async () => {
  await buildDist()
  await makeStore('full.db')
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('agent-reach store', () => {
  it.each([
    [['info', '--store', 'absent.db'], 'Cannot open the store absent.db: expected a file, found nothing'],
    [[], 'expected one of info, verify, export, compact, found nothing'],
    [['shrink'], 'expected one of info, verify, export, compact, found shrink'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = runCommand(['store', ...args], place)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })

  it('tells what is in a store', () => {
    const { status, stdout } = act('info', 'full.db')
    expect(status).toBe(0)
    // One trace in one body, with its first report: `revisions` counts older ones.
    expect(JSON.parse(stdout)).toMatchObject({
      path: join(folder, 'full.db'),
      traces: 1,
      unreported_traces: 0,
      chunks: 1,
      chains: 1,
      revisions: 0,
      queued_forwards: 0,
    })
  })

  it('finds the store that the environment names', () => {
    const { stdout } = runCommand(['store', 'info'], { ...place, env: { AGENT_REACH_STORE: 'full.db' } })
    expect(JSON.parse(stdout)).toMatchObject({ chains: 1 })
  })

  it('exports each report as a line that its schema allows', () => {
    const { status, stdout } = act('export', 'full.db')
    expect(status).toBe(0)
    const reports = stdout.split('\n').filter((line) => line !== '')
    expect(reports).toHaveLength(1)
    for (const report of reports) expectValidReport(JSON.parse(report))
    expect(JSON.parse(reports[0] ?? '')).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c' })
  })

  it('finds nothing wrong with a store that is whole', () => {
    expect(act('verify', 'full.db')).toMatchObject({ status: 0, stdout: 'nothing is wrong\n' })
  })

  it('gives space back, and leaves what is stored', () => {
    const { status, stdout } = act('compact', 'full.db')
    expect(status).toBe(0)
    const { bytes_before: before, bytes_after: after } = JSON.parse(stdout) as Record<string, number>
    expect(after).toBeLessThanOrEqual(before ?? 0)
    expect(JSON.parse(act('info', 'full.db').stdout)).toMatchObject({ chains: 1, traces: 1 })
  })

  it('names what is damaged, and exits with 1', async () => {
    await makeStore('damaged.db')
    const path = join(folder, 'damaged.db')
    const bytes = readFileSync(path)
    const clear = /"trace_id":|resourceSpans/u.test(bytes.toString('latin1'))
    // What is stored is sealed and packed, so whole pages are spoilt: all behind the schema.
    expect(clear).toBe(false)
    const page = 16_384
    const file = openSync(path, 'r+')
    for (let at = statSync(path).size - page; at > 2 * page; at -= page) {
      writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, at)
    }
    closeSync(file)
    const { status, stdout } = act('verify', 'damaged.db')
    expect(stdout).toMatch(/^(?:the file|report \d+|chunk \d+|\d+ \w+)[ :]/mu)
    expect(stdout).not.toContain('nothing is wrong')
    expect(status).toBe(1)
  })

  it.each(['info', 'verify', 'export', 'compact'])(
    'refuses to %s a file of something else, and leaves it as it is',
    (action) => {
      const make = `
        const { createRequire } = process.getBuiltinModule('node:module')
        const require = createRequire(${JSON.stringify(import.meta.filename)})
        const Database = require('better-sqlite3')
        new Database('foreign.db').exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)').close()
      `
      execFileSync(process.execPath, ['--eval', make], { cwd: folder })
      writeFileSync(join(folder, 'text.db'), 'not a database, but some text\n'.repeat(100))
      for (const file of ['foreign.db', 'text.db']) {
        const before = readFileSync(join(folder, file))
        const { status, stderr } = act(action, file)
        expect(stderr).toContain('Cannot open the store')
        expect(status).toBe(2)
        expect(readFileSync(join(folder, file)).equals(before)).toBe(true)
      }
    },
  )

  it('looks at the store of a service that runs, but does not compact it', async () => {
    const { url, child, ended } = await startCommand(['--store', 'live.db'], place)
    expect(await sendTraces(url)).toBe(200)
    const info = act('info', 'live.db')
    expect(info.status).toBe(0)
    expect(JSON.parse(info.stdout)).toMatchObject({ traces: 1 })
    const compact = act('compact', 'live.db')
    expect(compact.stderr).toContain('found one that another service has open')
    expect(compact.status).toBe(2)
    child.kill()
    expect(await ended).toEqual([0, null])
  })
})

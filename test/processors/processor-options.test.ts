import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemorySink } from '../../src/exporters/memory-sink.ts'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import type { AgentReachProcessorOptions } from '../../src/processors/processor-options.ts'
import { RulesError } from '../../src/rules/rules-error.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'
import { goodRun, startRecording } from './record-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'processor-options-'))
const start = process.cwd()

beforeEach(() => process.chdir(mkdtempSync(join(folder, 'cwd-'))))
afterEach(() => process.chdir(start))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const jsonFiles = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'))
    : []

async function record(options: AgentReachProcessorOptions): Promise<void> {
  const recorder = startRecording({ options })
  recorder.run(goodRun)
  await recorder.processor.forceFlush()
  expect(recorder.reports).toHaveLength(1)
}

describe('reports go', () => {
  it('into the folder chain-reports where nothing is said', async () => {
    await record({ reports: undefined } as unknown as AgentReachProcessorOptions)
    const [path = ''] = jsonFiles('chain-reports')
    expectValidReport(JSON.parse(readFileSync(join('chain-reports', path), 'utf8')))
  })

  it('into the folder of a path', async () => {
    await record({ reports: 'here/and/there' })
    expect(jsonFiles('here/and/there')).toHaveLength(1)
    expect(jsonFiles('chain-reports')).toEqual([])
  })

  it('to a sink', async () => {
    const sink = createMemorySink()
    await record({ reports: sink })
    expect(sink.reports).toHaveLength(1)
  })

  it('to each of a list', async () => {
    const sink = createMemorySink()
    await record({ reports: [sink, 'listed'] })
    expect([sink.reports.length, jsonFiles('listed').length]).toEqual([1, 1])
  })

  it('nowhere with false, hooks apart', async () => {
    await record({ reports: false })
    expect(readdirSync('.')).toEqual([])
  })

  it('to the other sinks while a folder cannot be written, of which is told once', async () => {
    writeFileSync('taken', 'a file, and no folder')
    const sink = createMemorySink()
    const recorder = startRecording({ options: { reports: ['taken', sink] } })
    for (let round = 1; round <= 3; round++) {
      recorder.run(goodRun)
      await recorder.processor.forceFlush()
      expect(sink.reports).toHaveLength(round)
    }
    expect(recorder.messages).toHaveLength(1)
    expect(recorder.messages[0]).toContain('taken')
  })
})

const refused: readonly (readonly [string, object, typeof TypeError, string])[] = [
  ['an unknown option', { report: 'x' }, TypeError, 'found an unknown option'],
  ['an unknown limit', { limits: { settle: 5 } }, TypeError, 'Cannot set limits.settle'],
  ['limits that are none', { limits: 5 }, TypeError, 'expected limits to be an object, found number'],
  ['a limit that is no whole number', { limits: { idleMillis: 0.5 } }, RangeError, 'limits.idleMillis'],
  ['a time that no timer takes', { limits: { settleMillis: 2 ** 31 } }, RangeError, '2147483647'],
  ['no open traces', { limits: { openTraces: 0 } }, RangeError, 'a whole number from 1'],
  ['a way of marking that does not exist', { markStatus: 'always' }, TypeError, `'unset' or 'never'`],
  ['a hook that is no function', { onAlert: 'x' }, TypeError, 'onAlert to be a function'],
  ['an address that is no text', { reportUrl: 5 }, TypeError, 'reportUrl to be a string'],
  ['a choice that is none', { evaluationEvents: 'yes' }, TypeError, 'evaluationEvents to be a boolean'],
  ['a time below 0', { flushTimeoutMillis: -1 }, RangeError, 'flushTimeoutMillis'],
  ['a folder without a name', { reports: '' }, TypeError, 'directory'],
  ['reports that are no place', { reports: 5 }, TypeError, 'found number'],
  ['a sink without a part', { reports: { write: () => {} } }, TypeError, 'found one without flush()'],
  ['an empty list of sinks', { reports: [] }, TypeError, 'false is for nowhere'],
  ['rules that are wrong', { rules: { version: 1, nods: {} } }, Error, 'nods'],
]

describe('an AgentReachProcessor is not made', () => {
  it.each(refused)('with %s', (_, options, type, message) => {
    const create = (): unknown => new AgentReachProcessor(options)
    expect(create).toThrow(type)
    expect(create).toThrow(message)
    expect(readdirSync('.')).toEqual([])
  })

  it('with a file of rules that is wrong: told with its name and line', () => {
    writeFileSync('rules.yaml', 'version: 1\nnodes:\n  order_query:\n    timeout: soon\n')
    const create = (): unknown => new AgentReachProcessor({ rules: 'rules.yaml', reports: false })
    expect(create).toThrow(RulesError)
    expect(create).toThrow(/rules\.yaml:4/u)
  })

  it('but limits that are undefined are those that hold where none are given', () => {
    const limits = { settleMillis: undefined } as unknown as { settleMillis: number }
    expect(() => new AgentReachProcessor({ limits, reports: false }).shutdown()).not.toThrow()
  })
})

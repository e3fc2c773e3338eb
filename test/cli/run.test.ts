import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { runCli } from './run-cli.ts'

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string
}

describe('run()', () => {
  it('shows the version of the package', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })

  it.each([
    [['--help'], 'Usage: agent-reach <command> [options]'],
    [['-h'], 'Usage: agent-reach <command> [options]'],
    [['report', '--help'], 'Usage: agent-reach report <input…> [options]'],
    [['check', '-h'], 'Usage: agent-reach check <input…> [options]'],
    [['doctor', '-h'], 'Usage: agent-reach doctor [options]'],
  ])('shows help for %j', async (argv, beginning) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.startsWith(`${beginning}\n`)).toBe(true)
  })

  it.each([
    [
      [],
      'Cannot run a command: expected report, check, doctor, serve or store, found nothing',
      'agent-reach',
    ],
    [
      ['traces.jsonl'],
      'Cannot run a command: expected report, check, doctor, serve or store, found traces.jsonl',
      'agent-reach',
    ],
    [['--speed'], /found --speed$/mu, 'agent-reach'],
    [
      ['report'],
      /expected files, directories, globs or - for standard input, found nothing$/mu,
      'agent-reach report',
    ],
    [['check', 'a', '--format', 'xml'], /found 'xml'$/mu, 'agent-reach check'],
  ])('tells in a line what is wrong with %j, and where to find help', async (argv, message, command) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr.startsWith('agent-reach: ')).toBe(true)
    expect(stderr.endsWith(`\nTry ${command} --help\n`)).toBe(true)
  })

  it('tells an unexpected error in one line, and with AGENT_REACH_DEBUG where it came from', async () => {
    // No such input can be written down; it stands for a defect.
    const broken = [7 as unknown as string]
    const { code, stderr } = await runCli(['report', ...broken])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^agent-reach: [^\n]+\n$/u)
    const debugged = await runCli(['report', ...broken], { env: { AGENT_REACH_DEBUG: '1' } })
    expect(debugged.stderr).toMatch(/\n {4}at /u)
  })

  it('tells an error of the system in words', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, callback) =>
        callback(Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })),
    })
    const stderr = new PassThrough()
    expect(await run(['--help'], { stdin: process.stdin, stdout, stderr, env: {}, cwd: '.' })).toBe(2)
    const told = String(stderr.read())
    expect(told).toBe('agent-reach: Cannot write: expected that to be possible, found a full disk\n')
  })

  it('gives 2 where even standard error cannot be written', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, callback) => callback(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    })
    const io = { stdin: process.stdin, stdout: full, stderr: full, env: {}, cwd: '.' }
    expect(await run(['--speed'], io)).toBe(2)
    expect(await run(['--version'], io)).toBe(2)
  })
})

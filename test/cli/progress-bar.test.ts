import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { startProgressBar } from '../../src/cli/progress-bar.ts'

function terminal(isTTY: boolean): PassThrough & { readonly isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY, columns: 80, cursorTo() {}, clearLine() {} })
}

const MANY = 8 * 1024 * 1024 + 1
const options = { totalBytes: MANY, ascii: false }

describe('startProgressBar()', () => {
  it('draws on a terminal while more than 8 MiB are read, and takes the bar away', () => {
    const stream = terminal(true)
    const bar = startProgressBar({ ...options, stream })
    bar?.advance(MANY)
    bar?.stop()
    const drawn = String(stream.read())
    expect(drawn).toContain('reading')
    expect(drawn).toContain('100 %')
  })

  it('draws in ASCII where that is asked for', () => {
    const stream = terminal(true)
    const bar = startProgressBar({ ...options, stream, ascii: true })
    bar?.advance(MANY / 2)
    bar?.stop()
    expect(String(stream.read())).not.toMatch(/[█░]/u)
  })

  it.each([
    ['where there is no terminal', { stream: terminal(false) }],
    ['for 8 MiB', { stream: terminal(true), totalBytes: MANY - 1 }],
    ['where nobody knows how much there is to read', { stream: terminal(true), totalBytes: null }],
  ])('draws nothing %s', (_, parts) => {
    expect(startProgressBar({ ...options, ...parts })).toBeNull()
  })
})

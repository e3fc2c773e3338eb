import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { TextOutput } from '../../src/cli/text-output.ts'

class FailingStream extends Writable {
  readonly texts: string[] = []
  readonly #code: string

  constructor(code: string) {
    super({ decodeStrings: false })
    this.#code = code
  }

  override _write(chunk: unknown, _: BufferEncoding, callback: (error?: Error) => void): void {
    if (this.texts.length > 0) callback(Object.assign(new Error(this.#code), { code: this.#code }))
    else {
      this.texts.push(String(chunk))
      callback()
    }
  }
}

describe('TextOutput', () => {
  it('writes nowhere once its reader has gone away', async () => {
    const stream = new FailingStream('EPIPE')
    const output = new TextOutput(stream)
    await output.write('first')
    expect(output.isClosed).toBe(false)
    await output.write('second')
    expect(output.isClosed).toBe(true)
    await output.write('third')
    expect(stream.texts).toEqual(['first'])
  })

  it('throws what else goes wrong, again and again', async () => {
    const output = new TextOutput(new FailingStream('ENOSPC'))
    await output.write('first')
    await expect(output.write('second')).rejects.toThrow('ENOSPC')
    await expect(output.write('third')).rejects.toThrow('ENOSPC')
  })

  it('does not bother a stream with nothing', async () => {
    const stream = new FailingStream('EPIPE')
    await new TextOutput(stream).write('')
    expect(stream.texts).toEqual([])
  })
})

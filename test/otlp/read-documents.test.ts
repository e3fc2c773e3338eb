import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect } from './chunks.ts'

function read(...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces)))
}

/** Line and value of each document, line and `torn` of each problem. */
async function outline(...pieces: readonly (string | Uint8Array)[]): Promise<unknown[]> {
  const items = await read(...pieces)
  return items.map((item) =>
    'value' in item ? [item.line, item.value] : [item.line, { torn: item.problem.torn }],
  )
}

function readShort(maxLineBytes: number, ...pieces: readonly (string | Uint8Array)[]) {
  return collect(readDocuments(chunksOf(...pieces), { maxLineBytes }))
}

function nested(levels: number): string {
  return `${'[\n'.repeat(levels)}${']\n'.repeat(levels)}`
}

/** @yields A good line, and fails. */
async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"a":1}\n')
  throw new Error('Disk on fire')
}

const TORN = { torn: true }
const BAD = { torn: false }

describe('readDocuments() reads JSON Lines', () => {
  it('with the line and the offset behind each document', async () => {
    expect(await read('{"a":1}\n{"b":2}\n')).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 16, value: { b: 2 } },
    ])
  })

  it('without a newline at the end', async () => {
    expect(await read('{"a":1}\n{"b":2}')).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 15, value: { b: 2 } },
    ])
  })

  it('with CRLF, blank lines and lines of white space', async () => {
    expect(await outline('\r\n{"a":1}\r\n\r\n \t\r\n{"b":2}\r\n\n\n')).toEqual([
      [2, { a: 1 }],
      [5, { b: 2 }],
    ])
  })

  it('with a byte order mark at the start, also where files were joined', async () => {
    expect(await read('\u{feff}{"a":1}\n\u{feff}{"b":2}')).toEqual([
      { line: 1, offset: 11, value: { a: 1 } },
      { line: 2, offset: 21, value: { b: 2 } },
    ])
  })

  it('of any JSON value', async () => {
    expect(await outline('null\nfalse\n1\n"text"\n[]\n')).toEqual([
      [1, null],
      [2, false],
      [3, 1],
      [4, 'text'],
      [5, []],
    ])
  })

  it('cut anywhere, also within a character', async () => {
    const bytes = Buffer.from('{"a":"\u{1f600}é"}\n{"b":2}\n')
    for (let at = 0; at <= bytes.length; at++) {
      expect(await outline(bytes.subarray(0, at), bytes.subarray(at))).toEqual([
        [1, { a: '\u{1f600}é' }],
        [2, { b: 2 }],
      ])
    }
  })

  it('with U+FFFD for what is not UTF-8', async () => {
    expect(await outline('{"a":"', Buffer.from([0xff, 0xc3]), '"}\n{"b":2}\n')).toEqual([
      [1, { a: '\u{fffd}\u{fffd}' }],
      [2, { b: 2 }],
    ])
  })

  it('and finds nothing in an empty input', async () => {
    expect(await read()).toEqual([])
    expect(await read('')).toEqual([])
    expect(await read('\n\n  ')).toEqual([])
    expect(await read('\u{feff}')).toEqual([])
  })

  it('with several documents in one line', async () => {
    expect(await read('{"a":1}{"b":2} [3]\n{"c":4}\n')).toEqual([
      { line: 1, offset: 7, value: { a: 1 } },
      { line: 1, offset: 14, value: { b: 2 } },
      { line: 1, offset: 18, value: [3] },
      { line: 2, offset: 27, value: { c: 4 } },
    ])
  })
})

describe('readDocuments() tells of a line that is not JSON', () => {
  it('what was expected and what was found, and reads on', async () => {
    expect(await read('{"a":1}\nINFO started\n{"b":2}\n')).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      {
        line: 2,
        offset: 21,
        problem: { expected: 'A JSON document', found: 'INFO started', torn: false },
      },
      { line: 3, offset: 29, value: { b: 2 } },
    ])
  })

  it('by its first 40 characters, without control characters', async () => {
    const [item] = await read(`\u001b[31m${'é'.repeat(100)}\n`)
    expect(item).toMatchObject({ problem: { found: `\u{fffd}[31m${'é'.repeat(34)}…` } })
  })

  it.each([
    ['cut in a text', '{"a":"x'],
    ['cut behind a bracket', '{"a":['],
    ['cut behind a comma', '{"a":[1,'],
    ['cut behind a colon', '{"a":'],
    ['cut in a word', '{"a":tru'],
    ['of one bracket', '{'],
    ['of closing brackets', ']}'],
    ['of wrong words', '{"a":undefined}'],
    ['of wrong escapes', String.raw`{"a":"\x"}`],
    ['of single quotes', "{'a':1}"],
    ['with a comma too many', '{"a":1,}'],
    ['of NUL bytes', '\0\0\0\0'],
  ])('in the middle, %s, and loses no other', async (_, line) => {
    const good = '{"a":[{"b":"c"}]}'
    expect(await outline(`${good}\n${line}\n${good}\n${good}\n`)).toEqual([
      [1, { a: [{ b: 'c' }] }],
      [2, BAD],
      [3, { a: [{ b: 'c' }] }],
      [4, { a: [{ b: 'c' }] }],
    ])
    expect(await outline(`${good}\n${line}\n${good}\n`)).toEqual([
      [1, { a: [{ b: 'c' }] }],
      [2, BAD],
      [3, { a: [{ b: 'c' }] }],
    ])
  })

  it('behind a document in the same line', async () => {
    expect(await outline('{"a":1} oops\n{"b":2}\n')).toEqual([
      [1, { a: 1 }],
      [1, BAD],
      [2, { b: 2 }],
    ])
  })

  it.each([['{"a":"x'], ['{"a":['], ['{"a":[1,'], ['{"a":"x\\'], ['{'], ['{"a":tru'], ['oops'], ['\0\0']])(
    'as torn if the input ends in it: %j',
    async (line) => {
      expect(await outline(`{"a":1}\n${line}`)).toEqual([
        [1, { a: 1 }],
        [2, TORN],
      ])
    },
  )

  it('as torn if it is the beginning of a document and the last line, newline or not', async () => {
    expect(await read('{"a":1}\n{"b":[1,\n')).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      { line: 2, offset: 17, problem: { expected: 'A JSON document', found: '{"b":[1,', torn: true } },
    ])
  })
})

describe('readDocuments() reads pretty-printed documents', () => {
  const first = {
    resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'a "b" \\ {[', n: [1, [], {}, null, -1.5e3] }] }] }],
  }
  const second = [{ b: true }, { c: 'x\ny' }]

  it('alone, by the line on which they begin', async () => {
    const text = `\n${JSON.stringify(first, undefined, 2)}\n`
    expect(await read(text)).toEqual([{ line: 2, offset: text.length - 1, value: first }])
  })

  it.each([['\n'], ['\r\n'], [''], [' '], ['\n\n']])('one after the other, joined by %j', async (joint) => {
    const texts = [first, second, first].map((value) => JSON.stringify(value, undefined, '\t'))
    const items = await read(texts.join(joint))
    expect(items.map((item) => 'value' in item && item.value)).toEqual([first, second, first])
    const offsets = items.map((item) => item.offset)
    expect(offsets[2]).toBe(Buffer.byteLength(texts.join(joint)))
    expect(offsets[0]).toBe(Buffer.byteLength(texts[0] ?? ''))
  })

  it('between documents of one line', async () => {
    expect(await outline('{"a":1}\n{\n"b":2\n}\n{"c":3}\n')).toEqual([
      [1, { a: 1 }],
      [2, { b: 2 }],
      [5, { c: 3 }],
    ])
  })

  it('with a document of its own on each line of a list', async () => {
    expect(await outline('[\n{"a":1}\n]\n')).toEqual([[1, [{ a: 1 }]]])
    expect(await outline('{"a":[\n{"b":1},\n{"b":2}\n]}\n')).toEqual([[1, { a: [{ b: 1 }, { b: 2 }] }]])
  })

  it('with blank lines and CRLF within', async () => {
    expect(await outline('{\r\n\r\n"a":\r\n1\r\n}\r\n')).toEqual([[1, { a: 1 }]])
  })

  it('and tells once, as torn, of one that the input ends in', async () => {
    const text = JSON.stringify(first, undefined, 2)
    for (const end of [text.length - 1, text.length - 12, text.indexOf('a "b"') + 2, 30]) {
      expect(await outline(`{"z":0}\n${text.slice(0, end)}`)).toEqual([
        [1, { z: 0 }],
        [2, TORN],
      ])
    }
  })

  it('and tells of the lines of a damaged one singly, and reads the next', async () => {
    expect(await outline('{\n"a":1\n"b":2\n}\n{"c":3}\n')).toEqual([
      [1, BAD],
      [2, BAD],
      [3, BAD],
      [4, BAD],
      [5, { c: 3 }],
    ])
  })

  it('and tells of the lines singly if only the words were wrong', async () => {
    expect(await outline('{\n"a":nul\n}\n{"c":3}\n')).toEqual([
      [1, BAD],
      [2, BAD],
      [3, BAD],
      [4, { c: 3 }],
    ])
  })

  it('nested deeper than any OTLP, but not without bound', async () => {
    expect(await read(nested(10_000))).toHaveLength(1)
    const items = await read(nested(10_001))
    expect(items.every((item) => 'problem' in item || Array.isArray(item.value))).toBe(true)
    expect(items.length).toBeGreaterThan(10_000)
  })
})

describe('readDocuments() bounds what it holds', () => {
  it('by skipping and telling of a line that is too long', async () => {
    expect(await readShort(10, '{"a":1}\n{"a":"too ', 'long"}\n{"b":2}\n{"a":34567}')).toEqual([
      { line: 1, offset: 8, value: { a: 1 } },
      {
        line: 2,
        offset: 25,
        problem: { expected: 'A JSON document of at most 10 bytes', found: '16 bytes', torn: false },
      },
      { line: 3, offset: 33, value: { b: 2 } },
      {
        line: 4,
        offset: 44,
        problem: { expected: 'A JSON document of at most 10 bytes', found: '11 bytes', torn: false },
      },
    ])
  })

  it('and counts neither the newline nor a longer input', async () => {
    expect(await readShort(7, '{"a":1}\n{"b":2}\n')).toHaveLength(2)
  })

  it('by skipping and telling of a document of many lines that is too long', async () => {
    const long = JSON.stringify({ a: Array.from({ length: 9 }, (_, i) => i) }, undefined, 1)
    expect(await readShort(20, `${long}\n{"b":2}\n`)).toEqual([
      {
        line: 1,
        offset: long.length,
        problem: {
          expected: 'A JSON document of at most 20 bytes',
          found: `${long.length} bytes`,
          torn: false,
        },
      },
      { line: 14, offset: long.length + 9, value: { b: 2 } },
    ])
  })

  it('also where such a document ends too early or goes wrong', async () => {
    const start = '[\n1111111111,\n2222222222\n'
    expect(await readShort(20, start)).toMatchObject([{ line: 1, problem: { found: '25 bytes' } }])
    expect(await readShort(20, `${start}]]\n{"b":2}\n`)).toMatchObject([
      { line: 1, problem: { found: '26 bytes' } },
      { line: 4, problem: { found: ']' } },
      { line: 5, value: { b: 2 } },
    ])
    expect(await readShort(20, `${start}}\n{"b":2}\n`)).toMatchObject([
      { line: 1, problem: { found: '25 bytes' } },
      { line: 4, problem: { found: '}' } },
      { line: 5, value: { b: 2 } },
    ])
  })

  it('also where a line within a document is too long', async () => {
    expect(await readShort(20, `[\n"${'x'.repeat(50)}"\n]\n`)).toMatchObject([
      { line: 1, problem: { found: '[' } },
      { line: 2, problem: { found: '52 bytes' } },
      { line: 3, problem: { found: ']' } },
    ])
  })

  it('but reads a line of 20 MB', async () => {
    const text = 'x'.repeat(20_000_000)
    const bytes = Buffer.from(`{"a":"${text}"}\n{"b":2}\n`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
      bytes.subarray(i * 65_536, (i + 1) * 65_536),
    )
    const items = await read(...pieces)
    expect(items.map((item) => item.line)).toEqual([1, 2])
    expect(items[0]).toHaveProperty('value.a.length', 20_000_000)
  })

  it.each([
    ['brackets that never close', '[\n'],
    ['brackets that close at once', '[]'],
    ['beginnings that nothing continues', '{"a":[\n}\n'],
    ['single quotes', '"\n'],
    ['backslashes', '\\'],
    ['escaped quotes', '["\\"'],
  ])('and takes no more than linear time for %s', async (_, piece) => {
    const before = performance.now()
    await read(piece.repeat(60_000))
    expect(performance.now() - before).toBeLessThan(20_000)
  })

  it('and closes its input when the reader stops', async () => {
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('{"a":1}\n')
      } finally {
        closed = true
      }
    }
    for await (const item of readDocuments(endless())) {
      if ('value' in item) break
    }
    expect(closed).toBe(true)
  })

  it('and throws on what its input throws', async () => {
    await expect(collect(readDocuments(failing()))).rejects.toThrow('Disk on fire')
  })
})

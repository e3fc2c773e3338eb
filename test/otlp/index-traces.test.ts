import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'
import { indexTraces } from '../../src/otlp/index-traces.ts'
import { readDocuments } from '../../src/otlp/read-documents.ts'
import { chunksOf, collect, cutAt } from './chunks.ts'

const A = 'a'.repeat(32)
const B = `${'b'.repeat(31)}0`

describe('indexTraces()', () => {
  it('finds the input and the offset of the last mention of each trace', async () => {
    const first = `{"traceId":"${A}"}\n{"traceId":"${B}"}\n{"traceId":"${A}"}\n`
    const second = `{}\n{"traceId":"${B}"}\n`
    const index = await indexTraces([chunksOf(first), chunksOf(second)])
    expect(index.size).toBe(2)
    expect(index.lastMention(A)).toEqual({ input: 0, offset: first.lastIndexOf('"traceId"') })
    expect(index.lastMention(B)).toEqual({ input: 1, offset: 4 })
    expect(index.lastMention('c'.repeat(32))).toBeUndefined()
  })

  it.each([
    ['in lowerCamelCase', `"traceId":"${A}"`],
    ['in snake_case', `"trace_id":"${A}"`],
    ['in upper case', `"traceId":"${A.toUpperCase()}"`],
    ['with white space', `"traceId" \t:\r\n  "${A}"`],
    ['with much white space', `"traceId"${' '.repeat(32)}:${'\n'.repeat(32)}"${A}"`],
    ['behind another key of that beginning', `"traceparent":"","trace_state":"","traceId":"${A}"`],
    ['as the OpenAI Agents SDK writes it', `"trace_id": "trace_${A}"`],
    ['behind a mention that is none', `"traceId":"traceId":"${A}"`],
  ])('finds a mention %s', async (_, text) => {
    const index = await indexTraces([chunksOf(text)])
    expect(index.lastMention(A)?.offset).toBe(
      Math.max(text.lastIndexOf('"traceId"'), text.indexOf('"trace_id"'), 0),
    )
    expect(index.size).toBe(1)
  })

  it.each([
    ['an id that is too short', `"traceId":"${A.slice(1)}"`],
    ['an id that is too long', `"traceId":"${A}a"`],
    ['an id that is not hex', `"traceId":"${'x'.repeat(32)}"`],
    ['an id behind another beginning', `"trace_id":"group_${A}"`],
    ['an id of zeros', `"traceId":"${'0'.repeat(32)}"`],
    ['an id that is no text', '"traceId":12345678901234567890123456789012'],
    ['another key', `"traceIdentity":"${A}","parentTraceId":"${A}","trace":"${A}"`],
    ['a key within a text', JSON.stringify(`"traceId":"${A}"`)],
    ['a mention that the input ends in', `"traceId":"${A}`],
    ['nothing', ''],
  ])('does not take %s for a mention', async (_, text) => {
    expect((await indexTraces([chunksOf(text)])).size).toBe(0)
  })

  it('reads gzip, and counts in the unpacked text', async () => {
    const text = `{"x":1}\n{"traceId":"${A}"}\n`
    const index = await indexTraces([chunksOf(gzipSync(text))])
    expect(index.lastMention(A)).toEqual({ input: 0, offset: 9 })
  })

  it('finds the same however the bytes are cut', async () => {
    const text = `{"traceId":"${A}"}\n{"trace_id" : "${B}", "x": "é"}\n{"traceId":\n"${A.toUpperCase()}"}`
    const bytes = Buffer.from(text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (places) => {
        const index = await indexTraces([chunksOf(...cutAt(bytes, places))])
        expect(index.size).toBe(2)
        expect(index.lastMention(A)).toEqual({ input: 0, offset: bytes.lastIndexOf('"traceId"') })
        expect(index.lastMention(B)).toEqual({ input: 0, offset: bytes.indexOf('"trace_id"') })
      }),
    )
    const spaced = Buffer.from(`"trace_id"${' '.repeat(32)}:${' '.repeat(32)}"${A}"${'x'.repeat(200)}`)
    for (let at = 1; at < spaced.length; at++) {
      const index = await indexTraces([chunksOf(...cutAt(spaced, [at, at + 1]))])
      expect(index.lastMention(A)).toEqual({ input: 0, offset: 0 })
    }
    const everyByte = cutAt(bytes, [...bytes.keys()])
    expect((await indexTraces([chunksOf(...everyByte)])).size).toBe(2)
  })

  it('lets a trace be closed no sooner than its last span has been read', async () => {
    const ids = [A, B, 'c'.repeat(32)]
    const spanOf = fc.record({ traceId: fc.constantFrom(...ids), spanId: fc.constant('1'.repeat(16)) })
    const documents = fc.array(
      fc.record({
        spans: fc.array(spanOf, { minLength: 1 }),
        indent: fc.constantFrom(0, 2),
        bad: fc.boolean(),
      }),
    )
    await fc.assert(
      fc.asyncProperty(documents, async (parts) => {
        const text = parts
          .map(({ spans, indent, bad }) => {
            const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }, undefined, indent)
            return bad ? `{"traceId":\n${json}\n` : `${json}\n`
          })
          .join('')
        const index = await indexTraces([chunksOf(text)])
        const closed = new Set<string>()
        for (const item of await collect(readDocuments(chunksOf(text)))) {
          const { spans } = decodeTraces('value' in item ? item.value : undefined)
          for (const span of spans) expect(closed.has(span.spanContext().traceId)).toBe(false)
          for (const id of ids) {
            const last = index.lastMention(id)
            if (last === undefined || item.offset > last.offset) closed.add(id)
          }
        }
      }),
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTraceDecoder } from '../../src/otlp/decode-json.ts'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import { decodeRequest } from '../../src/otlp/decode-request.ts'
import type { Rejection } from '../../src/otlp/rejection-log.ts'
import { contentOf } from './span-content.ts'
import { damagedRequest, wireRequest } from './wire-requests.ts'

/** The same by way of the JSON form. What stands in place of a damaged span is rejected there a second time. */
function decodeByWayOfJson(bytes: Buffer) {
  const { value, damage } = decodeMessage(bytes)
  const { spans, rejected, rejectedSpans } = createTraceDecoder()(value)
  const leftOut = damage.filter(({ kept }) => !kept)
  const places = new Set(leftOut.map(({ path }) => path))
  const others = rejected.filter(({ kept, path }) => !kept && !places.has(path))
  return { spans, rejected: [...leftOut, ...others], rejectedSpans }
}

const byPlace = (list: readonly Rejection[]): readonly Rejection[] =>
  list.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)))

function expectTheSame(bytes: Buffer): void {
  const before = Buffer.from(bytes)
  const expected = decodeByWayOfJson(bytes)
  const { spans, rejected, rejectedSpans } = decodeRequest(bytes)
  expect(spans.map(contentOf)).toEqual(expected.spans.map(contentOf))
  expect(rejectedSpans).toBe(expected.rejectedSpans)
  expect(byPlace(rejected)).toEqual(byPlace(expected.rejected))
  expect(bytes).toEqual(before)
}

describe('decodeRequest() gives what the JSON form of the same request gives', () => {
  it('for every request that protobuf can have', () => {
    fc.assert(fc.property(wireRequest, expectTheSame), { numRuns: 500 })
  })

  it('for requests that are damaged', () => {
    fc.assert(fc.property(damagedRequest, expectTheSame), { numRuns: 1_000 })
  })

  it('for bytes that are none', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((list) => Buffer.from(list))
    fc.assert(fc.property(bytes, expectTheSame), { numRuns: 500 })
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTraces } from '../../src/otlp/decode-json.ts'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import { decodeRequest } from '../../src/otlp/decode-request.ts'
import { encodeRequest } from '../../src/otlp/encode-request.ts'
import type { Rejection } from '../../src/otlp/rejection-log.ts'
import { jsonRequest } from './json-requests.ts'
import { contentOf } from './span-content.ts'
import { wireRequest } from './wire-requests.ts'

/** Links and the attributes of a scope are read in protobuf only. */
const withoutLinks = (rejected: readonly Rejection[]): readonly Rejection[] =>
  rejected.filter(({ path }) => !path.includes('links['))

describe('encodeRequest() writes in protobuf', () => {
  it('all spans of a document that can be read, and tells what cannot', () => {
    fc.assert(
      fc.property(jsonRequest, (json) => {
        const expected = decodeTraces(json)
        const { body, rejected, rejectedSpans } = encodeRequest(json)
        const read = decodeRequest(body)
        expect(decodeMessage(body).damage).toEqual([])
        expect(read.spans.map(contentOf)).toEqual(expected.spans.map(contentOf))
        expect([read.rejected, read.rejectedSpans]).toEqual([[], 0])
        expect(rejectedSpans).toBe(expected.rejectedSpans)
        expect(withoutLinks(rejected)).toEqual(expected.rejected)
      }),
      { numRuns: 500 },
    )
  })

  it('what was read from protobuf, so that it says the same again', () => {
    fc.assert(
      fc.property(wireRequest, (bytes) => {
        const { value } = decodeMessage(bytes)
        const { body } = encodeRequest(value)
        expect(decodeRequest(body).spans.map(contentOf)).toEqual(decodeRequest(bytes).spans.map(contentOf))
        // Spans without ids are gone now: from here on nothing is left out.
        const again = encodeRequest(decodeMessage(body).value)
        expect(again.body).toEqual(body)
      }),
      { numRuns: 500 },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMessage } from '../../src/otlp/decode-message.ts'
import { listSpans } from '../../src/otlp/rewrite-request.ts'
import { splitRequest } from '../../src/otlp/split-request.ts'
import { toMessage } from './sdk-span.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const idOf = (at: number): string => `00f067aa0ba90${String(at + 1).padStart(3, '0')}`
const request = (lengths: readonly number[]): Buffer =>
  toMessage(...lengths.map((length, at) => ({ traceId, spanId: idOf(at), name: 'x'.repeat(length) })))

/** The spans of a request in the JSON form, each with what is around it. */
function spansOf(body: Buffer): readonly unknown[] {
  const { resourceSpans = [] } = decodeMessage(body).value as {
    readonly resourceSpans?: readonly {
      readonly resource: unknown
      readonly scopeSpans: readonly { readonly scope: unknown; readonly spans: readonly unknown[] }[]
    }[]
  }
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => ({ resource, scope, span }))),
  )
}

describe('splitRequest()', () => {
  it('leaves a request that is short enough as it is', () => {
    const body = request([1, 1])
    expect(splitRequest(body, body.length)).toEqual([body])
    expect(splitRequest(body, body.length)[0]).toBe(body)
  })

  it('lets a span that is too long stand alone', () => {
    const parts = splitRequest(request([10, 5_000, 10, 10]), 1_000)
    expect(parts.map((part) => listSpans(part).map(({ spanId }) => spanId))).toEqual([
      [idOf(0)],
      [idOf(1)],
      [idOf(2), idOf(3)],
    ])
  })

  it('keeps every span with all that is around it, in order, whatever the lengths are', () => {
    const lengths = fc.array(fc.nat(300), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 1_000 }), (given, maxBytes) => {
        const body = request(given)
        const parts = splitRequest(body, maxBytes)
        expect(parts.flatMap(spansOf)).toEqual(spansOf(body))
        for (const part of parts) {
          const sizes = listSpans(part).map(({ size }) => size)
          const sum = sizes.reduce((total, size) => total + size, 0)
          if (parts.length > 1 && sizes.length > 1) expect(sum).toBeLessThanOrEqual(maxBytes)
        }
      }),
      { numRuns: 200 },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeSpans } from '../../../src/server/api/merge-spans.ts'

const attribute = { key: 'a', value: { intValue: '1' } }
const shop = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }

function documentOf(...spans: readonly object[]): object {
  return { resourceSpans: [{ resource: shop, scopeSpans: [{ scope: { name: 'sdk' }, spans }] }] }
}

describe('mergeSpans()', () => {
  it('puts spans of one resource and scope together, whatever document they came in', () => {
    const merged = mergeSpans([
      documentOf({ spanId: '01', endTimeUnixNano: '5' }),
      { resourceSpans: [{ scopeSpans: [{ spans: [{ spanId: '02' }] }] }] },
      documentOf({ spanId: '03', endTimeUnixNano: '4' }),
    ])
    expect(merged).toEqual({
      resourceSpans: [
        {
          resource: shop,
          scopeSpans: [
            {
              scope: { name: 'sdk' },
              spans: [
                { spanId: '01', endTimeUnixNano: '5' },
                { spanId: '03', endTimeUnixNano: '4' },
              ],
            },
          ],
        },
        { scopeSpans: [{ spans: [{ spanId: '02' }] }] },
      ],
    })
  })

  it.each([
    ['that ended later', { endTimeUnixNano: '9' }, { endTimeUnixNano: '10', name: 'kept' }],
    [
      'that ended later by a nanosecond of this year',
      { endTimeUnixNano: '1796040000000000001', attributes: [attribute] },
      { endTimeUnixNano: '1796040000000000002', name: 'kept' },
    ],
    [
      'with more attributes',
      { endTimeUnixNano: '9' },
      { endTimeUnixNano: '9', attributes: [attribute], name: 'kept' },
    ],
    ['that ended at all', { attributes: [attribute] }, { endTimeUnixNano: '1', name: 'kept' }],
  ])('keeps of two copies the one %s', (_, less, more) => {
    const copies = [less, more].map((copy) => ({ ...copy, spanId: '01' }))
    for (const order of [copies, copies.toReversed()]) {
      const { resourceSpans } = mergeSpans(order.map((copy) => documentOf(copy)))
      expect(resourceSpans[0]?.scopeSpans?.[0]?.spans).toEqual([copies[1]])
    }
  })

  it('passes over spans that are damaged, and documents without any', () => {
    const damaged = { resourceSpans: [{ scopeSpans: [{ spans: [null] }, {}] }, {}] }
    expect(mergeSpans([{}, damaged, { resourceMetrics: [] }])).toEqual({ resourceSpans: [] })
  })

  it('keeps the same copies in any order of the documents', () => {
    const span = fc.record({
      spanId: fc.constantFrom('01', '02', '03'),
      endTimeUnixNano: fc.constantFrom('1', '2'),
      attributes: fc.array(fc.constant(attribute), { maxLength: 2 }),
      name: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
        const documents = spans.map((each) => documentOf(each))
        const [one, other] = [documents, documents.toReversed()].map((order) =>
          (mergeSpans(order).resourceSpans[0]?.scopeSpans?.[0]?.spans ?? [])
            .map((each) => JSON.stringify(each))
            .toSorted(),
        )
        expect(one).toEqual(other)
        expect(one).toHaveLength(new Set(spans.map(({ spanId }) => spanId)).size)
      }),
    )
  })
})

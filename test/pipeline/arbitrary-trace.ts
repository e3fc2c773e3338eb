import * as fc from 'fast-check'
import type { SpanView } from '../../src/steps/span-view.ts'
import { agent, model, type ScriptSpan, threw, tokens, tool, toSpans } from '../chain/trace-script.ts'

/** What a span of a generated trace does. */
const behaviours: fc.Arbitrary<Partial<ScriptSpan>> = fc.oneof(
  fc.constantFrom('lead', 'helper').map((name) => ({ attributes: agent(name, tokens(50, 5)) })),
  fc
    .record({ tool: fc.constantFrom('q', 'search'), order: fc.constantFrom('A', 'B'), bad: fc.boolean() })
    .map(({ tool: name, order, bad }) => ({
      attributes: tool(name, { order_id: order }, bad ? { error: 'down' } : { order_id: order, rows: [1] }),
    })),
  fc
    .constantFrom('q', 'search')
    .map((name) => ({ attributes: tool(name, { order_id: 'A' }), ...threw('E', 'x') })),
  fc
    .record({ calls: fc.array(fc.constantFrom('q', 'search'), { maxLength: 2 }), input: fc.nat(500) })
    .map(({ calls, input }) => ({
      attributes: model(
        calls.length === 0 ? 'the answer' : calls.map((name) => ({ name, arguments: { order_id: 'A' } })),
        { ...tokens(input, 7), 'gen_ai.response.id': `resp_${input % 5}` },
      ),
    })),
  fc.constantFrom('of the museum', 'of the museum today', 'of the museum today please', '').map((rest) => ({
    attributes: tool('ask', { words: `opening hours ${rest}` }, 'The same page again. '.repeat(15)),
  })),
  fc
    .constantFrom('opening hours', 'opening hours today')
    .map((rest) => ({ attributes: model(`\`\`\`py\nfind the museum and all ${rest}\n\`\`\``) })),
  fc.constant({ attributes: { 'gen_ai.operation.name': 'agent_step' } }),
  fc.constant({ attributes: { 'http.request.method': 'GET' } }),
  fc.constant({ attributes: { 'gen_ai.operation.name': 'chat', 'agent_reach.chain.id': 'other' } }),
  fc.constant({ attributes: { 'openinference.span.kind': 'CHAIN', meta: { a: [1, 'x', null], b: true } } }),
)

const placed = fc.record({
  behaviour: behaviours,
  parent: fc.nat(20),
  at: fc.integer({ min: 0, max: 12 }),
  ms: fc.integer({ min: 0, max: 9 }),
  sequence: fc.option(fc.nat(30), { nil: undefined }),
})

/** A trace of up to 14 spans with many ties in time, orphans, and now and then a ring of parents. */
export const arbitraryTrace: fc.Arbitrary<readonly SpanView[]> = fc
  .array(placed, { minLength: 1, maxLength: 14 })
  .map((list) =>
    toSpans(
      list.map(({ behaviour, parent, at, ms, sequence }, n): ScriptSpan => ({
        ...behaviour,
        id: `s${n}`,
        ...(n === 0 && parent % 3 === 0 ? {} : { parent: `s${parent}` }),
        at,
        ms,
        attributes: {
          ...behaviour.attributes,
          ...(sequence === undefined ? {} : { 'agent_reach.step.sequence': sequence }),
        },
      })),
    ),
  )

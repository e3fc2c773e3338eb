import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AgentReachProcessor } from '../../src/processors/agent-reach-processor.ts'
import { canonicalReport } from '../../src/report/report-digest.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { agent, model, tokens, tool } from '../chain/trace-script.ts'
import { type ApiSpan, readBack, toApiAttributes } from './record-run.ts'

type Attributes = Readonly<Record<string, unknown>>

const behaviours: fc.Arbitrary<Attributes> = fc.oneof(
  fc.constantFrom('lead', 'helper').map((name) => agent(name, tokens(50, 5))),
  fc
    .record({ name: fc.constantFrom('q', 'search'), order: fc.constantFrom('A', 'B'), bad: fc.boolean() })
    .map(({ name, order, bad }) => tool(name, { order_id: order }, bad ? { error: 'down' } : { rows: [1] })),
  fc.constant(tool('q', { order_id: 'A' }, '')),
  fc.nat(3).map((n) => model('the answer', { ...tokens(10, n), 'gen_ai.response.id': `resp_${n}` })),
  fc.constant(model([{ name: 'q', arguments: { order_id: 'A' } }], tokens(3, 4))),
  fc.constant({ 'http.request.method': 'GET' }),
  fc.constant(agent('other', { 'agent_reach.chain.id': 'other' })),
)

/** One thing that a program does; numbers choose among the spans that there are. */
type Move =
  | {
      readonly do: 'start'
      readonly below: number
      readonly attributes: Attributes
      readonly remains: boolean
    }
  | { readonly do: 'end'; readonly which: number; readonly how: 'plain' | 'threw' | 'ok' }
  | { readonly do: 'flush' }

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      below: fc.nat(20),
      attributes: behaviours,
      remains: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(20),
      how: fc.constantFrom('plain' as const, 'threw' as const, 'ok' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'flush' as const }) },
)

interface Played {
  readonly live: readonly ChainReport[]
  readonly read: readonly ChainReport[]
}

/** Plays the moves below one root, ends the root and then all that does not hang for ever. */
async function play(script: readonly Move[]): Promise<Played> {
  const live = new Map<string, ChainReport>()
  const processor = new AgentReachProcessor({
    reports: false,
    onReport: (report) => void live.set(report.chain_id, report),
  })
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [processor, new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('test')
  const root = tracer.startSpan('root', { attributes: toApiAttributes(agent('root')) })
  const all: ApiSpan[] = [root]
  const open: ApiSpan[] = []
  for (const move of script) {
    if (move.do === 'flush') await processor.forceFlush()
    if (move.do === 'start') {
      const parent = trace.setSpan(ROOT_CONTEXT, all[move.below % all.length] as ApiSpan)
      const span = tracer.startSpan(
        `s${all.length}`,
        { attributes: toApiAttributes(move.attributes) },
        parent,
      )
      all.push(span)
      // Of a plain span that hangs nobody else learns.
      if (!move.remains || 'http.request.method' in move.attributes) open.push(span)
    }
    if (move.do === 'end') end(open.splice(move.which % (open.length || 1), 1)[0], move.how)
  }
  root.end()
  await processor.forceFlush()
  for (const span of open) span.end()
  await processor.shutdown()
  return { live: [...live.values()], read: readBack(exporter.getFinishedSpans()) }
}

function end(span: ApiSpan | undefined, how: 'plain' | 'threw' | 'ok'): void {
  if (how === 'threw') {
    span?.recordException(new Error('broken'))
    span?.setStatus({ code: SpanStatusCode.ERROR, message: 'broken' })
  }
  if (how === 'ok') span?.setStatus({ code: SpanStatusCode.OK })
  span?.end()
}

/** Spans of the trace that are no steps may still come after a report, which counts them. */
const canonical = (report: ChainReport): string => canonicalReport({ ...report, span_count: 0 })

describe('whatever a program does', () => {
  it('its last reports are those that another reader makes of the exported spans', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 24 }), async (script) => {
        const { live, read } = await play(script)
        expect(live.map(canonical).toSorted()).toEqual(read.map(canonical).toSorted())
      }),
      { numRuns: 400 },
    )
  })
})

import { SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { expect, test } from 'vitest'
import { IntakeFullError } from '../../../src/server/span-intake.ts'
import { createTraceDecoder } from '../../../src/otlp/decode-json.ts'
import { decodeRequest } from '../../../src/otlp/decode-request.ts'
import { receive } from './receive.ts'

test.each(['none', 'gzip'])('what an exporter of the SDK sends arrives (%s)', async (compression) => {
  const { url, intake, receiver } = await receive()
  const exporter = new OTLPTraceExporter({
    url,
    // The enum of the exporter is no export of its package.
    ...({ compression } as object),
  })
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const tracer = provider.getTracer('test')
  const sent: string[] = []
  for (let n = 0; n < 700; n++) {
    const span = tracer.startSpan(`step ${n}`, { attributes: { n, text: 'ä'.repeat(50) } })
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'no' })
    const { traceId, spanId } = span.spanContext()
    sent.push(`${traceId}/${spanId}`)
    span.end()
  }
  await provider.shutdown()
  expect([...intake.spans].sort()).toEqual(sent.sort())
  expect(receiver.counts).toMatchObject({ acceptedSpans: 700, rejectedSpans: 0, requests: { accepted: 2 } })
})

test('an exporter that is told to come back comes back, and nothing is lost', async () => {
  const { url, intake, receiver } = await receive({ random: () => 0 })
  let refusals = 0
  intake.before = () => {
    if (refusals++ === 0) throw new IntakeFullError('full')
  }
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  })
  const span = provider.getTracer('test').startSpan('one')
  span.end()
  await provider.shutdown()
  const { traceId, spanId } = span.spanContext()
  expect(intake.spans).toEqual([`${traceId}/${spanId}`])
  expect(receiver.counts.requests).toMatchObject({ accepted: 1, unavailable: 1 })
})

test('JSON and protobuf of the same span are stored alike', async () => {
  const { url, intake } = await receive()
  const json = {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeSpans: [
          {
            scope: { name: 'agent', version: '2' },
            spans: [
              {
                traceId: '0AF7651916CD43DD8448EB211C80319C',
                spanId: '00f067aa0ba902b7',
                parentSpanId: '00f067aa0ba902b8',
                name: 'chat',
                kind: 3,
                startTimeUnixNano: '1700000000000000001',
                endTimeUnixNano: '1700000000000000002',
                attributes: [
                  { key: 'big', value: { intValue: '9007199254740993' } },
                  { key: 'list', value: { arrayValue: { values: [{ stringValue: 'ä' }, {}] } } },
                ],
                status: { code: 2, message: 'no' },
              },
            ],
          },
        ],
      },
    ],
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })
  expect(response.status).toBe(200)
  const body = intake.taken[0]?.traces[0]?.body ?? Buffer.alloc(0)
  const stored = decodeRequest(body).spans.map((span) => [
    span.name,
    span.attributes,
    span.status,
    span.endTime,
  ])
  const read = createTraceDecoder()(json).spans.map((span) => [
    span.name,
    span.attributes,
    span.status,
    span.endTime,
  ])
  expect(stored).toEqual(read)
})

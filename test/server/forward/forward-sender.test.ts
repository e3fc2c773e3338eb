import { setTimeout as delay } from 'node:timers/promises'
import protobuf from 'protobufjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ForwardSender, type ForwardSenderOptions } from '../../../src/server/forward-sender.ts'
import type { LogFields } from '../../../src/server/service-log.ts'
import { toMessage } from '../../otlp/sdk-span.ts'
import { until } from '../../processors/record-run.ts'
import { decodeBody } from './forward-spans.ts'
import { ManualClock } from './manual-clock.ts'
import { MemoryQueue } from './memory-queue.ts'
import { type Answering, startReceiver } from './trace-receiver.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const idOf = (at: number): string => `00f067aa0ba90${String(at).padStart(3, '0')}`
const bodyOf = (...ids: readonly number[]): Buffer =>
  toMessage(...ids.map((at) => ({ traceId, spanId: idOf(at) })))

interface Told extends LogFields {
  readonly level: string
  readonly message: string
}

/** Starts a sender to an endpoint; both end with the test. */
async function startSender(answer?: Answering, options: Partial<ForwardSenderOptions> = {}) {
  const receiver = await startReceiver(answer)
  const clock = new ManualClock()
  const store = new MemoryQueue()
  const told: Told[] = []
  const create = (): ForwardSender => {
    const sender = new ForwardSender({
      store,
      url: receiver.url,
      now: clock.now,
      sleep: clock.sleep,
      random: () => 0,
      log: (level, message, fields) => void told.push({ level, message, ...fields }),
      ...options,
    })
    onTestFinished(async () => {
      const stopped = sender.stop(0)
      clock.advance(0)
      await stopped
    })
    sender.start()
    return sender
  }
  const sender = create()
  const put = (...ids: readonly number[]): number => {
    const id = store.put(bodyOf(...ids), clock.now())
    sender.wake()
    return id
  }
  /** The spans of each request. */
  const arrived = (): readonly (readonly string[])[] =>
    receiver.received.map(({ body }) => decodeBody(body).map((span) => span.spanContext().spanId))
  return { receiver, clock, store, told, sender, create, put, arrived }
}

const status =
  (...codes: readonly number[]): Answering =>
  (response, at) =>
    response.writeHead(codes[at] ?? 200).end()

/** An answer that a part of the spans was not taken. */
function partialSuccess(rejected: number, message: string): Buffer {
  const inner = protobuf.Writer.create().uint32(8).int64(rejected).uint32(18).string(message).finish()
  return Buffer.from(protobuf.Writer.create().uint32(10).bytes(inner).finish())
}

/** Long enough for a request that is not to be made. */
const settled = (): Promise<void> => delay(60)

describe('ForwardSender', () => {
  it('sends what is queued, in order, compressed, with the given headers, over kept connections', async () => {
    const { receiver, store, sender, put, arrived } = await startSender(undefined, {
      parallel: 1,
      headers: { Authorization: 'Bearer x', 'Content-Type': 'text/plain' },
    })
    for (const at of [1, 2, 3]) put(at)
    await until(() => store.queued.length === 0)
    expect(arrived()).toEqual([[idOf(1)], [idOf(2)], [idOf(3)]])
    expect(new Set(receiver.received.map(({ from }) => from)).size).toBe(1)
    const [first] = receiver.received
    expect([first?.method, first?.path]).toEqual(['POST', '/v1/traces'])
    expect(first?.headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
    })
    expect(sender.counts).toMatchObject({ requests: 3, spans: 3, retries: 0, refusedSpans: 0 })
  })

  it('cuts what is long into several requests, and sends only those again that have not arrived', async () => {
    const { clock, store, put, arrived, sender } = await startSender(status(200, 503, 200, 400), {
      // A span of these has a little more than 60 bytes.
      maxRequestBytes: 150,
    })
    put(1, 2, 3, 4, 5)
    await until(() => store.queued[0]?.attempts === 1)
    clock.advance(500)
    await until(() => store.queued.length === 0)
    const [first, second, third] = [[idOf(1), idOf(2)], [idOf(3), idOf(4)], [idOf(5)]]
    expect(arrived()).toEqual([first, second, second, third])
    expect(sender.counts).toMatchObject({ requests: 2, spans: 4, refusedSpans: 1, retries: 1 })
  })

  it('has two requests under way at most', async () => {
    const { receiver, store, put } = await startSender(
      (response) => void setTimeout(() => response.end(), 20),
    )
    for (let at = 1; at <= 8; at++) put(at)
    await until(() => store.queued.length === 0)
    expect(receiver.mostAtATime).toBe(2)
  })

  it.each([429, 502, 503, 504])('sends again after %i, after waits that grow', async (code) => {
    const { receiver, clock, store, put, sender } = await startSender(status(code, code, code))
    put(1)
    // Waits of 1, 2 and 4 s, of which the second half is left to chance, here none of it; after the third failure
    // a body waits as long again for others to pass.
    for (const [sent, waitMs] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000 + 2_000],
    ] as const) {
      await until(() => store.queued[0]?.attempts === sent)
      clock.advance(waitMs - 1)
      await settled()
      expect(receiver.received).toHaveLength(sent)
      clock.advance(1)
    }
    await until(() => store.queued.length === 0)
    expect(receiver.received.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => bodyOf(1)))
    expect(sender.counts).toMatchObject({ requests: 1, retries: 3 })
  })

  it('waits as long as the endpoint asks for', async () => {
    const { receiver, clock, store, put } = await startSender((response, at) =>
      at === 0 ? response.writeHead(503, { 'Retry-After': '30' }).end() : response.end(),
    )
    put(1)
    await until(() => store.queued[0]?.attempts === 1)
    clock.advance(29_999)
    await settled()
    expect(receiver.received).toHaveLength(1)
    clock.advance(1)
    await until(() => store.queued.length === 0)
  })

  it('sends again where nobody answers, where the connection breaks and where the answer takes too long', async () => {
    const answers: Answering = (response, at) => {
      if (at === 0) response.destroy()
      if (at === 2) response.end()
    }
    const { clock, store, put, told } = await startSender(answers, { timeoutMillis: 40 })
    put(1)
    await until(() => store.queued[0]?.attempts === 1)
    clock.advance(500)
    await until(() => store.queued[0]?.attempts === 2)
    clock.advance(1_000)
    await until(() => store.queued.length === 0)
    expect(told.map(({ reason }) => reason)).toEqual(['ECONNRESET', 'no answer within 40 ms'])
    const nobody = await startSender(undefined, { url: new URL('http://127.0.0.1:9/v1/traces') })
    nobody.put(1)
    await until(() => nobody.store.queued[0]?.attempts === 1)
    expect(nobody.told[0]).toMatchObject({ level: 'warn', reason: 'ECONNREFUSED' })
  })

  it.each([301, 307, 400, 401, 413, 500])('gives up what is answered with %i, and says so', async (code) => {
    const target = await startReceiver()
    const { receiver, store, put, told, sender } = await startSender((response, at) =>
      at === 0 ? response.writeHead(code, { location: target.url.href }).end() : response.end(),
    )
    put(1, 2)
    await until(() => store.queued.length === 0)
    put(3)
    await until(() => store.queued.length === 0)
    expect([receiver.received.length, target.received.length]).toEqual([2, 0])
    expect(sender.counts).toMatchObject({ requests: 1, refusedSpans: 2, retries: 0 })
    expect(told).toEqual([
      {
        level: 'error',
        message: 'forwarding: the endpoint refused spans, which are not sent again',
        reason: `status ${code}`,
        traceId,
        spans: 2,
      },
    ])
  })

  it.each([
    ['protobuf', 'application/x-protobuf', partialSuccess(2, 'too old')],
    ['JSON', 'application/json', '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'],
  ])('counts what the endpoint did not want (%s), and tells it once', async (_, type, answer) => {
    const { store, put, told, sender } = await startSender((response) =>
      response.writeHead(200, { 'content-type': type }).end(answer),
    )
    put(1, 2, 3)
    put(4, 5)
    await until(() => store.queued.length === 0)
    expect(sender.counts).toMatchObject({ requests: 2, spans: 5, rejectedSpans: 4 })
    expect(told).toEqual([
      {
        level: 'warn',
        message: 'forwarding: the endpoint took not all spans of a request',
        rejectedSpans: 2,
        said: 'too old',
      },
    ])
  })

  it('tries until a body is too old, and counts then what is lost', async () => {
    const { clock, store, put, told, sender } = await startSender(
      (response) => response.writeHead(503).end(),
      {
        maxAgeMillis: 10_000,
      },
    )
    put(1, 2)
    for (let second = 0; second < 60 && store.queued.length > 0; second++) {
      clock.advance(1_000)
      await delay(15)
    }
    expect(store.queued).toEqual([])
    expect(sender.counts.lostSpans).toBe(2)
    expect(told.at(-1)).toMatchObject({ level: 'error', traceId, spans: 2 })
    expect(told.at(-1)?.message).toContain('lost')
  })

  it('sends what grew old while it was not running', async () => {
    const { store, clock, sender } = await startSender()
    store.put(bodyOf(1), clock.now() - 10 * 86_400_000)
    sender.wake()
    await until(() => store.queued.length === 0)
    expect(sender.counts).toMatchObject({ requests: 1, lostSpans: 0 })
  })

  it('lets others pass a body that fails again and again', async () => {
    const poison = bodyOf(1)
    const { clock, store, put, arrived, receiver } = await startSender(
      (response) => {
        const isPoison = receiver.received.at(-1)?.body.equals(poison) === true
        response.writeHead(isPoison ? 503 : 200).end()
      },
      { parallel: 1 },
    )
    put(1)
    put(2)
    put(3)
    for (let at = 0; at < 40 && store.queued.length > 1; at++) {
      clock.advance(500)
      await delay(15)
    }
    expect(store.ids).toEqual([1])
    expect(arrived().flat().slice(-2)).toEqual([idOf(2), idOf(3)])
    expect(
      arrived()
        .flat()
        .filter((id) => id === idOf(1)),
    ).toHaveLength(3)
  })

  it('sends again what was under way when it was ended, with the same bytes', async () => {
    const { receiver, store, put, sender, create, clock } = await startSender((response, at) => {
      if (at > 0) response.end()
    })
    put(1, 2)
    await until(() => receiver.received.length === 1)
    const stopped = sender.stop(1_000)
    await settled()
    clock.advance(1_000)
    await stopped
    expect(store.queued.map(({ attempts }) => attempts)).toEqual([0])
    create()
    await until(() => store.queued.length === 0)
    expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body)
  })

  it('finishes at a stop what is under way and begins nothing', async () => {
    const { receiver, store, put, sender } = await startSender(
      (response) => void setTimeout(() => response.end(), 50),
      { parallel: 1 },
    )
    put(1)
    put(2)
    await until(() => receiver.received.length === 1)
    await sender.stop(60_000)
    expect(store.ids).toEqual([2])
    expect(receiver.received).toHaveLength(1)
  })

  it('does not send again what has arrived and could not be removed', async () => {
    const { receiver, store, put, clock, told } = await startSender()
    store.fault = new Error('disk full')
    put(1)
    await until(() => told.length === 1)
    expect(told[0]).toMatchObject({ level: 'error', reason: 'Error: disk full' })
    store.fault = null
    clock.advance(1_000)
    await until(() => store.queued.length === 0)
    expect(receiver.received).toHaveLength(1)
  })

  it('sends nothing where nothing is left of a body', async () => {
    const { receiver, store, clock, put } = await startSender()
    store.put(Buffer.alloc(0), clock.now())
    put(1)
    await until(() => store.queued.length === 0)
    expect(receiver.received.map(({ body }) => body)).toEqual([bodyOf(1)])
  })

  it('looks by itself whether something has come', async () => {
    const { store, clock } = await startSender()
    await settled()
    store.put(bodyOf(1), clock.now())
    clock.advance(1_000)
    await until(() => store.queued.length === 0)
  })

  it('shows what it counts as metrics', async () => {
    const { store, put, sender } = await startSender()
    put(1, 2)
    await until(() => store.queued.length === 0)
    const values = sender.metrics().map(({ name, samples }) => [name, samples[0]?.value])
    expect(values).toContainEqual(['agent_reach_forward_spans_total', 2])
  })

  it('refuses headers that cannot be sent or speak of the body, without their values', () => {
    const create = (headers: Record<string, string>) => () =>
      new ForwardSender({
        store: new MemoryQueue(),
        url: new URL('http://localhost'),
        now: Date.now,
        random: Math.random,
        log: () => {},
        headers,
      })
    expect(create({ 'x y': 'secret' })).toThrow(/found "x y"$/u)
    expect(create({ key: 'secret\n' })).toThrow(/found "key"$/u)
    expect(create({ 'Content-Length': '3' })).toThrow(/found "Content-Length"$/u)
  })
})

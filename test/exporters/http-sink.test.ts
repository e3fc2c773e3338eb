import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpSink } from '../../src/exporters/http-sink.ts'
import { SinkError } from '../../src/exporters/sink-error.ts'
import { describeReportSink } from '../contracts/report-sink-contract.ts'
import { createReport } from '../report/create-report.ts'
import { type ReportServer, startReportServer } from './report-server.ts'

describeReportSink('createHttpSink()', async () => {
  const server = await startReportServer()
  return {
    sink: createHttpSink({ url: server.url }),
    readStored: async () => server.received.map(({ report }) => report),
    dispose: () => server.close(),
  }
})

const servers: ReportServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function startServer(answer?: (response: ServerResponse, at: number) => void): Promise<ReportServer> {
  const server = await startReportServer(answer)
  servers.push(server)
  return server
}

/** The error of a write that fails. */
async function failWrite(url: string, timeoutMillis = 10_000): Promise<SinkError> {
  const error: unknown = await createHttpSink({ url, timeoutMillis })
    .write(createReport())
    .then(
      () => undefined,
      (reason: unknown) => reason,
    )
  expect(error).toBeInstanceOf(SinkError)
  return error as SinkError
}

describe('createHttpSink()', () => {
  test('posts a report as JSON, with the headers that were given', async () => {
    const { url, received } = await startServer()
    const sink = createHttpSink({ url, headers: { authorization: 'Bearer key', 'content-type': 'text/csv' } })
    const report = createReport({ summary: '订单' })
    await sink.write(report)
    expect(received).toEqual([
      {
        method: 'POST',
        report,
        headers: expect.objectContaining({
          authorization: 'Bearer key',
          'content-type': 'application/json',
        }) as object,
      },
    ])
  })

  test.each([200, 201, 202, 204, 299])('takes an answer of %i for success', async (status) => {
    const { url } = await startServer((response) => response.writeHead(status).end())
    await createHttpSink({ url }).write(createReport())
  })

  test.each([429, 502, 503, 504])(
    'says of an answer of %i that it is of use to try again',
    async (status) => {
      const { url } = await startServer((response) => response.writeHead(status, 'Not now').end('{}'))
      const error = await failWrite(url)
      expect(error).toMatchObject({ name: 'SinkError', retryable: true, retryAfterMillis: undefined })
      const { report_id } = createReport()
      expect(error.message).toBe(
        `Cannot post report ${report_id} to ${url}: expected an answer of 200 to 299, found ${status} Not now`,
      )
    },
  )

  test.each([301, 308, 400, 401, 404, 413, 500, 501])(
    'says of an answer of %i that it is of no use to try again',
    async (status) => {
      const { url, received } = await startServer((response) =>
        response.writeHead(status, { location: '/elsewhere' }).end(),
      )
      expect(await failWrite(url)).toMatchObject({ retryable: false })
      expect(received).toHaveLength(1)
    },
  )

  test('tells how long the server asks to wait, in seconds or until a date', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString()
    const { url } = await startServer((response, at) =>
      response.writeHead(503, { 'retry-after': at === 0 ? '7' : date }).end(),
    )
    expect((await failWrite(url)).retryAfterMillis).toBe(7_000)
    const { retryAfterMillis } = await failWrite(url)
    expect(retryAfterMillis).toBeGreaterThan(50_000)
    expect(retryAfterMillis).toBeLessThanOrEqual(60_000)
  })

  test('says that it is of use to try again where nobody answers', async () => {
    const server = await startReportServer()
    await server.close()
    const error = await failWrite(server.url)
    expect(error).toMatchObject({ retryable: true, cause: expect.any(TypeError) as unknown })
    expect(error.message).toMatch(/: expected an answer, found .*ECONNREFUSED/u)
  })

  test('says that it is of use to try again where the connection breaks', async () => {
    const { url } = await startServer((response) => response.destroy())
    expect(await failWrite(url)).toMatchObject({ retryable: true })
  })

  test('waits for an answer no longer than it was told', async () => {
    const { url } = await startServer(() => {})
    const error = await failWrite(url, 30)
    expect(error).toMatchObject({ retryable: true })
    expect(error.message).toMatch(/: expected an answer, found none within 30 ms$/u)
  })

  test('goes by the status where the body never ends or breaks', async () => {
    const { url } = await startServer((response, at) => {
      response.writeHead(200)
      response.write('x')
      if (at === 1) setTimeout(() => response.destroy(), 20)
      if (at === 2) response.end('x'.repeat(1_000_000))
    })
    const sink = createHttpSink({ url, timeoutMillis: 1_000 })
    for (const at of [0, 1, 2]) await sink.write(createReport({ chain_id: `chain ${at}` }))
  })

  test('posts the revisions of a chain one after another, and other chains meanwhile', async () => {
    let answerFirst = (): void => {}
    const { url, received } = await startServer((response, at) => {
      const answer = (): void => void response.writeHead(204).end()
      if (at === 0) answerFirst = answer
      else answer()
    })
    const sink = createHttpSink({ url })
    const revisions = [1, 2].map((revision) => sink.write(createReport({ revision, chain_id: 'slow' })))
    await expect.poll(() => received.length, { interval: 1 }).toBe(1)
    await sink.write(createReport({ chain_id: 'other' }))
    expect(received.map(({ report }) => report.chain_id)).toEqual(['slow', 'other'])
    answerFirst()
    await Promise.all(revisions)
    expect(received.map(({ report }) => report.revision)).toEqual([1, 1, 2])
  })

  test('has no more than 8 requests under way', async () => {
    let underWay = 0
    let most = 0
    const { url } = await startServer((response) => {
      most = Math.max(most, ++underWay)
      void delay(5).then(() => {
        underWay--
        response.writeHead(204).end()
      })
    })
    const sink = createHttpSink({ url })
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => sink.write(createReport({ chain_id: `chain ${at}` }))),
    )
    expect(most).toBeLessThanOrEqual(8)
  })

  test('flushes although a write failed', async () => {
    const { url } = await startServer((response) => response.writeHead(500).end())
    const sink = createHttpSink({ url })
    const failed = expect(sink.write(createReport())).rejects.toThrow('500')
    await sink.flush()
    await failed
  })

  test('keeps the query of the address out of its errors', async () => {
    const { url } = await startServer((response) => response.writeHead(403).end())
    expect((await failWrite(`${url}?key=secret`)).message).not.toContain('secret')
  })

  test.each([
    ['reports', "'reports'"],
    ['', "''"],
    ['file:///tmp/reports', 'file:'],
    ['http://me:secret@127.0.0.1/', 'one with them'],
  ])('refuses the address %j', (url, found) => {
    expect(() => createHttpSink({ url })).toThrow(
      new TypeError(
        `Cannot create an HTTP sink: expected url to be an http: or https: address without user name and password, found ${found}`,
      ),
    )
  })

  test('refuses headers that cannot be sent, and a time that is none', () => {
    const url = 'http://127.0.0.1/'
    expect(() => createHttpSink({ url, headers: { 'a b': 'c' } })).toThrow(TypeError)
    expect(() => createHttpSink({ url, timeoutMillis: 0 })).toThrow(RangeError)
    expect(() => createHttpSink({ url, timeoutMillis: 2 ** 31 })).toThrow(
      'Cannot create an HTTP sink: expected timeoutMillis to be at most 2147483647, found 2147483648',
    )
  })
})

import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { toReportName } from '../../../src/report/report-name.ts'
import { StoreError } from '../../../src/server/report-store.ts'
import { toMessage } from '../../otlp/sdk-span.ts'
import { createGoodReport, createReport, TRACE_ID } from '../../report/create-report.ts'
import { reportSchema } from '../../report/expect-valid-report.ts'
import { readEvents } from './event-stream.ts'
import { MemoryStore } from './memory-store.ts'
import { createOpenTraces, NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

interface AnswerJson {
  readonly content: Readonly<Record<string, { readonly schema: object }>>
}

interface DocumentJson {
  readonly openapi: string
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly operationId: string
          readonly parameters?: readonly {
            readonly name: string
            readonly in: string
            readonly schema: object
          }[]
          readonly responses: Readonly<Record<string, AnswerJson>>
        }
      }
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
}

const name = toReportName(TRACE_ID, TRACE_ID)
const absent = `${'0'.repeat(32)}-00000000`
const openId = 'b'.repeat(32)

function createStore(): MemoryStore {
  const store = new MemoryStore()
  store.put(createReport(), NOW_MS)
  store.put(createGoodReport({ revision: 2 }), NOW_MS)
  store.put(createReport({ chain_id: 'other' }), NOW_MS)
  store.putSpans(TRACE_ID, toMessage({ traceId: TRACE_ID, spanId: '00f067aa0ba902b7', name: 'chat' }))
  return store
}

async function serveFilled(): Promise<ServedApi> {
  const view = {
    traceId: openId,
    firstSeenMs: NOW_MS,
    lastSeenMs: NOW_MS,
    spanCount: 1,
    closesMs: NOW_MS,
    revision: 0,
  }
  const openTraces = createOpenTraces([
    { view, reports: [createReport({ trace_id: openId }), createGoodReport({ trace_id: openId })] },
  ])
  return serveApi(createStore(), { openTraces })
}

async function serveFaulty(): Promise<ServedApi> {
  const store = new MemoryStore()
  const fail = (): never => {
    throw new StoreError('busy', 'locked')
  }
  for (const method of ['getChain', 'getReport', 'listRevisions', 'lastChange'] as const) store[method] = fail
  store.fault = new StoreError('busy', 'locked')
  return serveApi(store, { openTraces: { list: fail, get: fail, preview: fail } })
}

async function serveHidden(): Promise<ServedApi> {
  return serveApi(createStore(), { showSpans: false })
}

async function serveLarge(): Promise<ServedApi> {
  const store = createStore()
  store.putSpans(TRACE_ID, Buffer.alloc(33 * 1024 * 1024))
  return serveApi(store)
}

interface Case {
  readonly path: string
  readonly status: number
  readonly request: string
  readonly serve?: () => Promise<ServedApi>
}

const chain = '/api/v1/chains/{name}'
const values: Readonly<Record<string, string>> = { name, trace_id: TRACE_ID }

function fill(path: string, others: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/gu, (_, key: string) => others[key] ?? values[key] ?? '')
}

/** What every route does that reads parameters or the store. */
function sharedCases(path: string): readonly Case[] {
  return [
    { path, status: 400, request: `${fill(path)}?nothing=1` },
    { path, status: 503, request: fill(path), serve: serveFaulty },
  ]
}

const cases: readonly Case[] = [
  { path: '/api/v1/chains', status: 200, request: '/api/v1/chains?limit=1' },
  { path: chain, status: 200, request: fill(chain) },
  { path: chain, status: 200, request: `${fill(chain)}?format=markdown` },
  { path: chain, status: 200, request: `${fill(chain)}?format=text` },
  { path: '/api/v1/traces/{trace_id}', status: 200, request: `/api/v1/traces/${openId}` },
  { path: '/api/v1/open/{trace_id}', status: 200, request: `/api/v1/open/${openId}` },
  ...[
    '/api/v1/chains/{name}/revisions',
    '/api/v1/chains/{name}/steps',
    '/api/v1/chains/{name}/spans',
    '/api/v1/traces/{trace_id}',
    '/api/v1/open',
    '/api/v1/statistics/nodes',
    '/api/v1/statistics/chains',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
  ].map((path) => ({ path, status: 200, request: fill(path) })),
  ...[
    chain,
    `${chain}/revisions`,
    `${chain}/steps`,
    `${chain}/spans`,
    '/api/v1/traces/{trace_id}',
    '/api/v1/open/{trace_id}',
  ].map((path) => ({ path, status: 404, request: fill(path, { name: absent, trace_id: '0'.repeat(32) }) })),
  { path: `${chain}/spans`, status: 403, request: `${fill(chain)}/spans`, serve: serveHidden },
  { path: `${chain}/spans`, status: 422, request: `${fill(chain)}/spans`, serve: serveLarge },
  { path: '/readyz', status: 503, request: '/readyz', serve: serveFaulty },
  ...[
    '/api/v1/chains',
    chain,
    `${chain}/revisions`,
    `${chain}/steps`,
    `${chain}/spans`,
    '/api/v1/traces/{trace_id}',
    '/api/v1/open',
    '/api/v1/open/{trace_id}',
    '/api/v1/statistics/nodes',
    '/api/v1/statistics/chains',
    '/api/v1/events',
  ].flatMap(sharedCases),
]

async function readDocument(served: ServedApi): Promise<DocumentJson> {
  return (await served.get('/openapi.json')).json as DocumentJson
}

/** The same document in which no object has anything that is not described, so that nothing goes out unsaid. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closeObjects(part)]))
  return 'properties' in closed && closed['type'] === 'object'
    ? { additionalProperties: false, ...closed }
    : closed
}

function compile(document: DocumentJson, pointer: string): (value: unknown) => readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
  ajv.addSchema(closeObjects(document) as object, 'document')
  const validate = ajv.compile({ $ref: `document#/${pointer}` })
  return (value) => {
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function toPointer(...keys: readonly string[]): string {
  return keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const document = await readDocument(await serveFilled())
    expect(document.openapi).toBe('3.1.0')
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document) as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('has every route that is answered, and no other', async () => {
    const served = await serveFilled()
    const { paths } = await readDocument(served)
    expect(Object.keys(paths).toSorted()).toEqual(served.api.routes.map(({ path }) => path).toSorted())
    expect(served.api.routes.map(({ method }) => method)).toEqual(served.api.routes.map(() => 'GET'))
    const ids = Object.values(paths).map(({ get }) => get.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('declares the parameters of each path', async () => {
    const { paths } = await readDocument(await serveFilled())
    for (const [path, { get }] of Object.entries(paths)) {
      const declared = (get.parameters ?? []).filter((parameter) => parameter.in === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/gu)].map((match) => match[1])
      expect(declared.map((parameter) => parameter.name)).toEqual(named)
    }
  })

  it('holds the schema of the report as it is shipped', async () => {
    const { components } = await readDocument(await serveFilled())
    const text = JSON.stringify(components.schemas['ChainReport'])
    const { $schema, ...shipped } = reportSchema
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(JSON.parse(text.replaceAll('#/components/schemas/ChainReport/$defs/', '#/$defs/'))).toEqual(
      shipped,
    )
  })

  it('has a case here for each answer of each route', async () => {
    const { paths } = await readDocument(await serveFilled())
    const documented = Object.entries(paths).flatMap(([path, { get }]) =>
      Object.keys(get.responses)
        .filter((status) => status !== 'default')
        .map((status) => `${status} ${path}`),
    )
    const tried = cases.map(({ path, status }) => `${status} ${path}`)
    // What is no end is read in the test below.
    expect([...new Set([...tried, '200 /api/v1/events'])].toSorted()).toEqual(documented.toSorted())
  })

  it.each(cases)('describes the answer $status to $request', async ({ path, status, request, serve }) => {
    const document = await readDocument(await serveFilled())
    const served = await (serve ?? serveFilled)()
    const answer = await served.get(request)
    expect(answer.status, answer.text).toBe(status)
    const type = (answer.headers.get('content-type') ?? '').replace(/;.*$/u, '')
    const described = document.paths[path]?.get.responses[String(status)]?.content
    expect(Object.keys(described ?? {})).toContain(type)
    const pointer = toPointer('paths', path, 'get', 'responses', String(status), 'content', type, 'schema')
    const value = type.endsWith('json') ? answer.json : answer.text
    expect(compile(document, pointer)(value)).toEqual([])
  })

  it('describes the data of an event', async () => {
    const served = await serveFilled()
    const document = await readDocument(served)
    const response = await fetch(`${served.url}/api/v1/events?after=0`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('event: chain')) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`expected an event, found the end after ${JSON.stringify(text)}`)
      text += new TextDecoder().decode(value)
    }
    await reader.cancel()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(document.paths['/api/v1/events']?.get.responses['200']?.content).toHaveProperty(
      'text/event-stream',
    )
    const events = readEvents(text).filter(({ type }) => type === 'chain')
    expect(events).toHaveLength(2)
    for (const { data = '' } of events) {
      expect(compile(document, toPointer('components', 'schemas', 'ChainRow'))(JSON.parse(data))).toEqual([])
    }
  })

  it('would not let an answer pass that is not described', async () => {
    const document = await readDocument(await serveFilled())
    const check = compile(document, toPointer('components', 'schemas', 'OpenTrace'))
    expect(check({ trace_id: openId, secret: 1 })).toContain(' must NOT have additional properties')
    expect(check({})).toContain(" must have required property 'span_count'")
  })
})

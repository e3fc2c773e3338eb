import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/report/render-markdown.ts'
import { renderText } from '../../../src/report/render-text.ts'
import { toReportName } from '../../../src/report/report-name.ts'
import { createGoodReport, createReport, TRACE_ID } from '../../report/create-report.ts'
import { MemoryStore } from './memory-store.ts'
import { NOW_MS, type ServedApi, serveApi } from './serve-api.ts'

const name = toReportName(TRACE_ID, TRACE_ID)
const path = `/api/v1/chains/${name}`
const first = createReport()
const second = createGoodReport({ revision: 2, completeness: 'amended' })

/** A chain whose report was amended a minute later. */
async function serveAmended(): Promise<ServedApi> {
  const store = new MemoryStore()
  store.put(first, NOW_MS)
  store.put(second, NOW_MS + 60_000)
  return serveApi(store)
}

describe('the report of a chain', () => {
  it('is the latest one, byte for byte as it was stored', async () => {
    const { get } = await serveAmended()
    const { status, text, headers } = await get(path)
    expect(status).toBe(200)
    expect(text).toBe(JSON.stringify(second))
    expect(headers.get('content-type')).toBe('application/json')
  })

  it('is an earlier one where that is asked for', async () => {
    const { get } = await serveAmended()
    expect((await get(`${path}?revision=1`)).json).toEqual(first)
  })

  it.each([
    ['Accept: text/markdown', '', { accept: 'text/markdown' }],
    ['Accept with a preference', '', { accept: 'application/json;q=0.5, text/markdown;q=0.9' }],
    ['Accept for all text but plain', '', { accept: 'text/*, text/plain;q=0' }],
    ['format=markdown', '?format=markdown', {}],
    ['format=markdown whatever is accepted', '?format=markdown', { accept: 'application/json' }],
  ])('is Markdown with %s', async (_, query, headers) => {
    const { get } = await serveAmended()
    const answer = await get(path + query, headers)
    expect(answer.text).toBe(renderMarkdown(second))
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  })

  it.each([
    ['Accept: text/plain', '', { accept: 'text/plain' }],
    ['format=text', '?format=text', {}],
  ])('is text without colours with %s', async (_, query, headers) => {
    const { get } = await serveAmended()
    const answer = await get(path + query, headers)
    expect(answer.text).toBe(renderText(second, { color: false, ascii: false }))
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  it.each(['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8', 'image/png', 'text/html;q=', ','])(
    'is JSON with Accept: %s',
    async (accept) => {
      const { get } = await serveAmended()
      expect((await get(path, { accept })).headers.get('content-type')).toBe('application/json')
    },
  )

  it('has an entity tag of its digest, another one in each form and revision', async () => {
    const { get } = await serveAmended()
    const paths = ['', '?format=markdown', '?format=text', '?revision=1']
    const tags = await Promise.all(paths.map(async (query) => (await get(path + query)).headers.get('etag')))
    expect(tags).toEqual([
      `"${second.digest}/2/json"`,
      `"${second.digest}/2/markdown"`,
      `"${second.digest}/2/text"`,
      `"${first.digest}/1/json"`,
    ])
  })

  it('is not sent again to who has it', async () => {
    const { get } = await serveAmended()
    const etag = (await get(path)).headers.get('etag') ?? ''
    const again = await get(path, { 'if-none-match': etag })
    expect(again.status).toBe(304)
    expect(again.headers.get('vary')).toBe('accept, accept-encoding')
    expect(again.text).toBe('')
    expect(again.headers.get('etag')).toBe(etag)
    expect((await get(`${path}?format=text`, { 'if-none-match': etag })).status).toBe(200)
  })

  it.each([
    `/api/v1/chains/${'0'.repeat(32)}-00000000`,
    `${path}?revision=3`,
    `${path}/steps?revision=3`,
    `/api/v1/chains/${'0'.repeat(32)}-00000000/steps`,
    `/api/v1/chains/${'0'.repeat(32)}-00000000/revisions`,
    `/api/v1/chains/${'0'.repeat(32)}-00000000/spans`,
  ])('is missed with a problem at %s', async (absent) => {
    const { get } = await serveAmended()
    const { status, headers, json } = await get(absent)
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(json).toMatchObject({ status: 404, detail: expect.stringMatching(/is not stored$/u) })
  })

  it.each([
    [`/api/v1/chains/${TRACE_ID}`, 'name'],
    [`/api/v1/chains/${name.toUpperCase()}`, 'name'],
    [`/api/v1/chains/..%2f..%2fetc%2fpasswd`, 'name'],
    [`${path}?revision=0`, 'revision'],
    [`${path}?revision=latest`, 'revision'],
    [`${path}?format=html`, 'format'],
    [`${path}/steps?format=json`, 'format'],
  ])('is refused at %s', async (wrong, parameter) => {
    const { get } = await serveAmended()
    const { status, json } = await get(wrong)
    expect(status).toBe(400)
    expect(json).toMatchObject({ parameter })
  })
})

describe('the revisions of a chain', () => {
  it('are told with their digests and when they were stored, the latest first', async () => {
    const { get } = await serveAmended()
    expect((await get(`${path}/revisions`)).json).toEqual({
      name,
      items: [
        { revision: 2, digest: second.digest, stored_at: '2026-11-30T12:01:00.000000Z' },
        { revision: 1, digest: first.digest, stored_at: '2026-11-30T12:00:00.000000Z' },
      ],
    })
  })
})

describe('the steps of a chain', () => {
  it('are those of the report', async () => {
    const { get } = await serveAmended()
    expect((await get(`${path}/steps?revision=1`)).json).toEqual({
      name,
      revision: 1,
      items: first.steps,
    })
    expect((await get(`${path}/steps`)).json).toMatchObject({ revision: 2 })
  })
})

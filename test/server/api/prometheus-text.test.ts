import { describe, expect, it } from 'vitest'
import { writeMetrics } from '../../../src/server/api/prometheus-text.ts'
import { serveApi } from './serve-api.ts'

describe('writeMetrics()', () => {
  it('writes help, type and samples of each metric', () => {
    const text = writeMetrics([
      {
        name: 'agent_reach_spans_total',
        help: 'Spans that came',
        type: 'counter',
        samples: [
          { labels: { format: 'protobuf' }, value: 12 },
          { labels: { format: 'json', coding: 'gzip' }, value: 0.5 },
        ],
      },
      { name: 'agent_reach_open_traces', help: 'Open traces', type: 'gauge', samples: [{ value: 3 }] },
    ])
    expect(text).toBe(
      [
        '# HELP agent_reach_spans_total Spans that came',
        '# TYPE agent_reach_spans_total counter',
        'agent_reach_spans_total{format="protobuf"} 12',
        'agent_reach_spans_total{coding="gzip",format="json"} 0.5',
        '# HELP agent_reach_open_traces Open traces',
        '# TYPE agent_reach_open_traces gauge',
        'agent_reach_open_traces 3',
        '',
      ].join('\n'),
    )
  })

  it('lets no text out of its place', () => {
    const text = writeMetrics([
      {
        name: '1 bad\nname',
        help: 'a\\b\nc\r"d"',
        type: 'gauge',
        samples: [{ labels: { 'x"=': 'a\\b\n"c"\ud800' }, value: 1 }],
      },
    ])
    expect(text).toBe(
      [
        '# HELP _1_bad_name a\\\\b\\nc "d"',
        '# TYPE _1_bad_name gauge',
        '_1_bad_name{x__="a\\\\b\\n\\"c\\"\ufffd"} 1',
        '',
      ].join('\n'),
    )
  })

  it('writes numbers as Go reads them', () => {
    const samples = [NaN, Infinity, -Infinity, 1e21].map((value, at) => ({
      labels: { at: String(at) },
      value,
    }))
    expect(
      writeMetrics([{ name: 'n', help: '', type: 'gauge', samples }])
        .split('\n')
        .slice(2, 6),
    ).toEqual(['n{at="0"} NaN', 'n{at="1"} +Inf', 'n{at="2"} -Inf', 'n{at="3"} 1e+21'])
  })

  it('writes each name and each series once, whoever counts them', () => {
    const metric = { name: 'n_total', help: 'first', type: 'counter' } as const
    const text = writeMetrics([
      { ...metric, samples: [{ value: 1 }] },
      { ...metric, help: 'second', samples: [{ value: 2 }, { labels: { a: 'b' }, value: 3 }] },
    ])
    expect(text).toBe('# HELP n_total first\n# TYPE n_total counter\nn_total 1\nn_total{a="b"} 3\n')
  })
})

describe('/metrics', () => {
  it('shows what the parts of the service count, in the format of version 0.0.4', async () => {
    const source = {
      metrics: () => [
        { name: 'agent_reach_spans_total', help: 'Spans', type: 'counter', samples: [{ value: 7 }] } as const,
      ],
    }
    const { get } = await serveApi(undefined, { metricSources: [source] })
    const { status, headers, text } = await get('/metrics?name[]=whatever')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('\nagent_reach_spans_total 7\n')
    expect(text).toContain('\nagent_reach_event_clients 0\n')
  })
})

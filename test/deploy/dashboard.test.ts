import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as semconv from '../../src/semconv/agent-reach.ts'
import { knownMetrics, scrapeLabels } from './known-metrics.ts'
import { findService, layoutVariables, readCompose, readEnvironment, readMounts } from './read-compose.ts'
import { entriesOf, readDeployed, readDeployedYaml, root, type Tree } from './read-deployment.ts'
import { readPromql, readTraceql } from './read-queries.ts'
import { readServiceMetrics } from './service-metrics.ts'

const dashboard = JSON.parse(readDeployed('grafana/dashboards/agent-reach.json')) as Tree
const panels = [...(dashboard['panels'] ?? [])]
const targets = panels.flatMap((panel) =>
  [...(panel['targets'] ?? [])].map((target) => ({ title: String(panel['title']), panel, target })),
)
const sources = new Map(
  [...(readDeployedYaml('grafana/provisioning/datasources/agent-reach.yaml')['datasources'] ?? [])].map(
    (source) => [String(source['uid']), source],
  ),
)
const rules = [...(readDeployedYaml('prometheus/alerts.yaml')['groups'] ?? [])].flatMap((group) => [
  ...(group['rules'] ?? []),
])

/** Title and text of each query in a language. */
const promql: readonly (readonly [string, string])[] = [
  ...targets
    .filter(({ target }) => 'expr' in target)
    .map(({ title, target }) => [title, String(target['expr'])] as const),
  ...rules.map((rule) => [`alert ${String(rule['alert'])}`, String(rule['expr'])] as const),
]
const traceql = targets
  .filter(({ target }) => 'query' in target)
  .map(({ title, target }) => [title, String(target['query'])] as const)

const spanAttributes = JSON.parse(
  readFileSync(join(root, 'src/semconv/agent-reach-attributes.schema.json'), 'utf8'),
)['properties'] as Tree
const constants = Object.entries(semconv).flatMap(([name, value]) =>
  typeof value === 'string' ? [[name, value as string] as const] : [],
)
const attributes = new Map(
  constants
    .filter(([name]) => name.startsWith('ATTR_'))
    .map(([name, key]) => {
      const start = `${name.slice('ATTR_'.length)}_VALUE_`
      const values = constants.filter(([other]) => other.startsWith(start)).map(([, value]) => value)
      return [key, values] as const
    }),
)

let metrics: ReadonlyMap<string, ReadonlySet<string>> = new Map()

beforeAll(async () => {
  const service = findService(readCompose(layoutVariables.through), 'agent-reach')
  const fromService = await readServiceMetrics(readEnvironment(service))
  const dimensions = [
    ...(readDeployedYaml('tempo/tempo.yaml')['metrics_generator']?.['processor']?.['span_metrics']?.[
      'dimensions'
    ] ?? []),
  ].map((key) => String(key).replaceAll('.', '_'))
  const fromOthers = Object.entries(knownMetrics).map(([name, labels]) => {
    const more = name.startsWith('traces_spanmetrics_') ? dimensions : []
    return [name, new Set([...labels, ...more])] as const
  })
  metrics = new Map([...fromService, ...fromOthers])
})

describe('the queries of dashboard and alerts', () => {
  it.each(promql)('%s asks for metrics and labels that there are: %s', (_, query) => {
    const { metrics: asked, labels } = readPromql(query)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((name) => !metrics.has(name))).toEqual([])
    for (const label of labels) {
      const bearers = asked.filter((name) => metrics.get(name)?.has(label) || scrapeLabels.includes(label))
      expect(bearers, label).toEqual(asked)
    }
  })

  it.each(traceql)('%s asks for attributes and values that are written: %s', (_, query) => {
    const asked = readTraceql(query)
    expect(asked.length).toBeGreaterThan(0)
    for (const { scope, key, values } of asked) {
      expect(['span', 'event'], key).toContain(scope)
      expect(attributes.has(key), key).toBe(true)
      expect(key in spanAttributes, `${scope} ${key}`).toBe(scope === 'span')
      const members = attributes.get(key) ?? []
      if (members.length > 0) expect(values.filter((value) => !members.includes(value))).toEqual([])
    }
  })

  it('are refused where they are broken or ask for what is not there', () => {
    expect(() => readPromql('sum by (rate(x[5m])')).toThrow(SyntaxError)
    expect(() => readPromql('rate(x[$__interval_ms])')).toThrow(SyntaxError)
    expect(() => readTraceql('{ span.agent_reach.chain.status = }')).toThrow(SyntaxError)
    expect(readPromql('sum by (a) (rate(x_total{b="c"}[$__rate_interval])) / y')).toEqual({
      metrics: ['x_total', 'y'],
      labels: ['b', 'a'],
    })
    expect(readTraceql('{ span.a.b =~ "c|d" } | select(event.e)')).toEqual([
      { scope: 'span', key: 'a.b', values: ['c', 'd'] },
      { scope: 'event', key: 'e', values: [] },
    ])
    expect(attributes.get('agent_reach.chain.status')).toEqual(['success', 'partial_failed', 'failed'])
    expect(metrics.get('agent_reach_alerts_total')).toEqual(new Set(['alert_type']))
  })

  it('give the alarm for what the page of the service says is worth one', () => {
    const page = readFileSync(join(root, 'docs/service.md'), 'utf8')
    const [paragraph = ''] = /^Worth an alarm:.*?\n\n/msu.exec(page) ?? []
    const named = Array.from(paragraph.matchAll(/agent_reach_\w+/gu), ([name]) => name)
    expect(named.length).toBeGreaterThan(2)
    const watched = promql
      .filter(([title]) => title.startsWith('alert '))
      .flatMap(([, query]) => readPromql(query).metrics)
    expect(named.filter((name) => !watched.includes(name))).toEqual([])
  })
})

describe('the dashboard', () => {
  it('has panels of their own numbers and places', () => {
    const ids = panels.map((panel) => Number(panel['id']))
    expect(new Set(ids).size).toBe(ids.length)
    const cells = panels.flatMap(({ gridPos }) => {
      const { x, y, w, h } = gridPos as unknown as Readonly<Record<string, number>>
      expect(Number(x) + Number(w)).toBeLessThanOrEqual(24)
      return Array.from({ length: Number(h) }, (_, down) =>
        Array.from({ length: Number(w) }, (__, along) => `${Number(x) + along} ${Number(y) + down}`),
      ).flat()
    })
    expect(new Set(cells).size).toBe(cells.length)
  })

  it('asks sources that are provisioned, each in its language', () => {
    expect(targets.length).toBe(promql.length - rules.length + traceql.length)
    for (const { title, panel, target } of targets) {
      expect(target['datasource'], title).toEqual(panel['datasource'])
      const type = sources.get(String(target['datasource']?.['uid']))?.['type']
      expect(type, title).toBe('expr' in target ? 'prometheus' : 'tempo')
      expect(target['datasource']?.['type'], title).toBe(type)
    }
  })

  it('leads to the reports where Compose has them', () => {
    const variables = [...(dashboard['templating']?.['list'] ?? [])]
    expect(variables.map(({ name }) => String(name))).toEqual(['reports'])
    const [published = ''] = [...(findService(readCompose({}), 'reader')['ports'] ?? [])].map(String)
    expect(String(variables[0]?.['query'])).toBe(`http://localhost:${published.split(':')[1]}`)
    const text = JSON.stringify(dashboard)
    expect(text).toContain('${reports}/api/v1/traces/${__data.fields.traceIdHidden}')
    const used = Array.from(text.matchAll(/\$\{?(\w+)/gu), ([, name]) => name)
    expect(new Set(used)).toEqual(new Set(['reports', '__data', '__range', '__rate_interval']))
  })
})

describe('what is around the dashboard', () => {
  it('is mounted where Grafana and its provisioning look', () => {
    const provider = readDeployedYaml('grafana/provisioning/dashboards/agent-reach.yaml')
    const [{ options } = {} as Tree] = [...(provider['providers'] ?? [])]
    const grafana = findService(readCompose({}), 'grafana')
    const mounts = [...(grafana['volumes'] ?? [])].map(String)
    expect(mounts).toContain(`./grafana/dashboards:${String(options?.['path'])}:ro`)
    expect(mounts).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro')
  })

  it('replaces variables that Grafana is given, and leaves those of a link', () => {
    const text = readDeployed('grafana/provisioning/datasources/agent-reach.yaml')
    const given = Object.keys(readEnvironment(findService(readCompose({}), 'grafana')))
    const asked = Array.from(text.matchAll(/(?<!\$)\$\{?(\w+)/gu), ([, name]) => name)
    expect(asked).toEqual(['READER_PORT'])
    expect(given).toContain('READER_PORT')
    const [correlation] = [...(sources.get('agent-reach-tempo')?.['correlations'] ?? [])]
    expect(correlation?.['type']).toBe('external')
    expect(correlation?.['config']?.['target']?.['url']).toBe(
      'http://localhost:${READER_PORT}/api/v1/traces/$${traceID}',
    )
  })

  it('has Prometheus ask each service that has metrics, the report service with its token', () => {
    const config = readDeployedYaml('prometheus/prometheus.yaml')
    const jobs = [...(config['scrape_configs'] ?? [])]
    expect(jobs.map((job) => String(job['job_name']))).toEqual([
      'agent-reach',
      'collector',
      'jaeger',
      'tempo',
      'prometheus',
    ])
    const tokenFile = readEnvironment(findService(readCompose({}), 'agent-reach'))['AGENT_REACH_TOKEN_FILE']
    expect(jobs[0]?.['authorization']?.['credentials_file']).toBe(tokenFile)
    for (const job of jobs) {
      const known = ['job_name', 'authorization', 'static_configs']
      expect(Object.keys(job).filter((key) => !known.includes(key))).toEqual([])
    }
    expect(entriesOf(config).map(([key]) => key)).toEqual(['global', 'rule_files', 'scrape_configs'])
    expect([...(config['rule_files'] ?? [])].map(String)).toEqual(['alerts.yaml'])
  })

  it('has alerts with names, grave or not, and a sentence', () => {
    expect(new Set(rules.map((rule) => String(rule['alert']))).size).toBe(rules.length)
    for (const rule of rules) {
      expect(['page', 'ticket']).toContain(String(rule['labels']?.['severity']))
      expect(String(rule['annotations']?.['summary'])).toMatch(/^\S.{10,}$/u)
      if ('for' in rule) expect(String(rule['for'])).toMatch(/^\d+[smh]$/u)
    }
  })

  it('has Tempo keep and count what the Collector sends late', () => {
    const tempo = readDeployedYaml('tempo/tempo.yaml')
    const generator = tempo['metrics_generator']
    // In minutes; the Collector holds spans back for a minute.
    expect(parseInt(String(generator?.['metrics_ingestion_time_range_slack']), 10)).toBeGreaterThanOrEqual(5)
    const processors = tempo['overrides']?.['defaults']?.['metrics_generator']?.['processors']
    expect([...(processors ?? [])].map(String)).toEqual(['span-metrics'])
    const [{ url } = {} as Tree] = [...(generator?.['storage']?.['remote_write'] ?? [])]
    expect(String(url)).toBe('http://prometheus:9090/api/v1/write')
    const flags = [...(findService(readCompose({}), 'prometheus')['command'] ?? [])].map(String)
    expect(flags).toContain('--web.enable-remote-write-receiver')
    // Tempo has further folders in /var/tempo, which no configuration names.
    const paths = [
      tempo['storage']?.['trace']?.['wal'],
      tempo['storage']?.['trace']?.['local'],
      generator?.['storage'],
    ]
    for (const path of paths) expect(String(path?.['path'])).toMatch(/^\/var\/tempo\//u)
    const mounts = readMounts(findService(readCompose({}), 'tempo')).map(({ target }) => target)
    expect(mounts).toEqual(['/etc/tempo/tempo.yaml', '/var/tempo'])
  })
})

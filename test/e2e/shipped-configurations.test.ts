import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url)), 'utf8')

interface Pipeline {
  readonly receivers: readonly string[]
  readonly processors?: readonly string[]
  readonly exporters: readonly string[]
}

interface Configuration {
  readonly extensions: Readonly<Record<string, unknown>>
  readonly receivers: Readonly<Record<string, unknown>>
  readonly processors?: Readonly<Record<string, unknown>>
  readonly exporters: Readonly<Record<string, unknown>>
  readonly connectors?: Readonly<Record<string, unknown>>
  readonly service: {
    readonly extensions: readonly string[]
    readonly pipelines: Readonly<Record<string, Pipeline>>
  }
}

const files = [
  'collector/collector-config.yaml',
  'collector/collector-config.through.yaml',
  'jaeger/jaeger.yaml',
]

/** Variables with their defaults, as the body uses them. */
function findUsed(text: string): ReadonlyMap<string, Set<string>> {
  const used = new Map<string, Set<string>>()
  for (const [, name, fallback] of text.matchAll(/\$\{env:([A-Z_]+)(?::-([^}]*))?\}/gu)) {
    const defaults = used.get(name as string) ?? new Set()
    used.set(name as string, defaults.add(fallback ?? ''))
  }
  return used
}

/** Variables with their defaults, as the head of the file tells them. */
function findTold(text: string): ReadonlyMap<string, string> {
  const rows = text.matchAll(/^# {3}([A-Z_]{6,}) +(\S+|\(nothing\))(?: |$)/gmu)
  return new Map([...rows].map(([, name, fallback]) => [name as string, fallback as string]))
}

describe.each(files)('%s', (file) => {
  const text = read(file)
  const configuration = parse(text) as Configuration

  it('tells each variable that it uses, with the default that holds', () => {
    const used = findUsed(text)
    const told = findTold(text)
    expect([...told.keys()].sort()).toEqual([...used.keys()].sort())
    for (const [name, defaults] of used) {
      expect(defaults.size, name).toBe(1)
      if (name !== 'COLLECTOR_REDACT') expect([...defaults], name).toEqual([told.get(name)])
    }
  })

  it('names in its pipelines what it defines, and defines nothing else', () => {
    const { extensions, service, ...defined } = configuration
    expect([...service.extensions].sort()).toEqual(Object.keys(extensions).sort())
    const pipelines = Object.values(service.pipelines)
    const named = pipelines.flatMap(({ receivers, processors = [], exporters }) => [
      ...receivers,
      ...processors,
      ...exporters,
    ])
    const parts = [defined.receivers, defined.processors, defined.exporters, defined.connectors]
    expect([...new Set(named)].sort()).toEqual(parts.flatMap((part) => Object.keys(part ?? {})).sort())
  })
})

describe('the two layouts of the Collector', () => {
  const [beside, through] = files.map((file) => parse(read(file)) as Configuration) as [
    Configuration,
    Configuration,
  ]

  it('differ in the way to the backend alone', () => {
    expect(through.extensions).toEqual(beside.extensions)
    expect(through.exporters).toEqual(beside.exporters)
    expect(through.processors?.['redaction']).toEqual(beside.processors?.['redaction'])
    expect(through.processors?.['memory_limiter']).toEqual(beside.processors?.['memory_limiter'])
    expect(through.receivers['otlp']).toEqual(beside.receivers['otlp'])
  })

  it('send to the backend from one pipeline, and to the service from the one that programs feed', () => {
    for (const { service } of [beside, through]) {
      const pipelines = Object.values(service.pipelines)
      const feeds = (name: string) => pipelines.filter(({ exporters }) => exporters.includes(name))
      expect(feeds('otlp_grpc/backend')).toHaveLength(1)
      expect(feeds('otlp_http/service').map(({ receivers }) => receivers)).toEqual([['otlp']])
    }
    const judged = Object.values(through.service.pipelines).find(({ receivers }) =>
      receivers.includes('otlp/judged'),
    )
    expect(judged?.exporters).toEqual(['otlp_grpc/backend'])
  })
})

describe('the page of Jaeger', () => {
  interface LinkPattern {
    readonly key: string
    readonly value: (value: unknown) => boolean
    readonly url: {
      readonly parameters: readonly string[]
      readonly template: (values: Record<string, string>) => string
    }
  }
  const { linkPatterns } = runInNewContext(`${read('jaeger/ui.js')}\nUIConfig()`) as {
    readonly linkPatterns: readonly [LinkPattern]
  }
  const [{ key, value, url }] = linkPatterns

  it('makes a link of the address of a report, and of nothing that only looks like one', () => {
    const address = 'https://reports.example/chains/0af7651916cd43dd8448eb211c80319c-15f774f0'
    expect(key).toBe('agent_reach.report.url')
    expect(value(address)).toBe(true)
    expect([...url.parameters]).toEqual([key])
    expect(url.template({ [key]: address })).toBe(address)
    expect(value('javascript:alert(1)')).toBe(false)
    expect(value(' https://reports.example')).toBe(false)
  })
})

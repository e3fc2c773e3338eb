import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { serveTable } from '../../src/cli/serve-options.ts'
import { apiRoutes } from '../../src/server/api/catalog.ts'
import { listCollectorPorts, listEndpointPorts } from './collector-ports.ts'
import { composeSchema } from './compose-schema.ts'
import {
  findService,
  type Layout,
  layouts,
  layoutVariables,
  readCompose,
  readEnvironment,
  readMounts,
} from './read-compose.ts'
import {
  deploy,
  entriesOf,
  expandCollector,
  readCollectorVariables,
  readDeployed,
  readDeployedYaml,
  readYaml,
  root,
  type Tree,
} from './read-deployment.ts'

const compose: Readonly<Record<Layout, Tree>> = {
  beside: readCompose(layoutVariables.beside),
  through: readCompose(layoutVariables.through),
}

describe('compose.yaml', () => {
  it('starts what is in deploy from the root of the repository', () => {
    const [document] = readYaml(readFileSync(join(root, 'compose.yaml'), 'utf8'))
    expect(document).toEqual({ include: ['deploy/docker-compose.yml'] })
    expect(existsSync(join(deploy, 'docker-compose.yml'))).toBe(true)
  })
})

/** A mounted file of a service, by where it sees it. */
function readMounted(service: Tree, target: string): string {
  const found = readMounts(service).find(
    (mount) => target === mount.target || target.startsWith(`${mount.target}/`),
  )
  if (found === undefined) throw new Error(`Nothing is mounted at ${target}`)
  return readDeployed(posix.join(found.source, target.slice(found.target.length)))
}

/** The configuration that the Collector makes of the files that it is told of, one over the other. */
function readCollector(layout: Layout): {
  readonly texts: readonly string[]
  readonly trees: readonly Tree[]
} {
  const collector = findService(compose[layout], 'collector')
  const texts = [...(collector['command'] ?? [])].map((argument) =>
    readMounted(collector, String(argument).replace(/^--config=/u, '')),
  )
  return { texts, trees: texts.map((text) => expandCollector(text, readEnvironment(collector))) }
}

/** The ports at which each service listens, as its configuration has it. */
function listListening(layout: Layout): Readonly<Record<string, readonly string[]>> {
  const jaeger = findService(compose[layout], 'jaeger')
  const jaegerTree = expandCollector(readMounted(jaeger, '/etc/jaeger/jaeger.yaml'), readEnvironment(jaeger))
  const tempo = readDeployedYaml('tempo/tempo.yaml')
  return {
    'agent-reach': ['4318'],
    reader: [/^:(\d+) \{/mu.exec(readDeployed('compose/Caddyfile'))?.[1] ?? ''],
    collector: listCollectorPorts(readCollector(layout).trees[0]),
    jaeger: listCollectorPorts(jaegerTree),
    tempo: [String(tempo['server']?.['http_listen_port']), ...listEndpointPorts(tempo['distributor'])],
    prometheus: ['9090'],
    grafana: ['3000'],
  }
}

describe.each(layouts)('the file for Compose, layout %s', (layout) => {
  const services = entriesOf(compose[layout]['services'])

  it('has the keys and types that the specification knows', () => {
    const validate = new Ajv2020({ allErrors: true, strict: true }).compile(composeSchema)
    expect([validate(compose[layout]), validate.errors]).toEqual([true, null])
  })

  it('names an exact version of each image', () => {
    for (const [name, service] of services) {
      expect(`${name} ${String(service['image'])}`).toMatch(/^[\w-]+ [\w./-]+:v?\d+\.\d+\.\d+(-alpine)?$/u)
    }
  })

  it('opens ports on this machine only, and those at which somebody listens', () => {
    const listening = listListening(layout)
    const published = services.flatMap(([name, service]) =>
      [...(service['ports'] ?? [])].map((port) => {
        const [address, , inside = ''] = String(port).split(':')
        expect(address).toBe('127.0.0.1')
        expect(listening[name]).toContain(inside)
        return String(port)
      }),
    )
    expect(new Set(published.map((port) => port.split(':')[1])).size).toBe(published.length)
    expect(published).toContain('127.0.0.1:4318:4318')
  })

  it('mounts files that are there, to be read, and volumes that are declared', () => {
    const volumes = entriesOf(compose[layout]['volumes']).map(([name]) => name)
    const used = services.flatMap(([, service]) => readMounts(service))
    for (const { source, readOnly } of used.filter((mount) => mount.source.startsWith('./'))) {
      expect(existsSync(join(deploy, source)), source).toBe(true)
      expect(readOnly, source).toBe(true)
    }
    const named = used.map(({ source }) => source).filter((source) => !source.startsWith('./'))
    expect(new Set(named)).toEqual(new Set(volumes))
  })

  it('waits for services that are there and can be what is waited for', () => {
    for (const [, service] of services) {
      for (const [name, { condition }] of entriesOf(service['depends_on'])) {
        const other = findService(compose[layout], name)
        // The image of the service has a health check of its own.
        const isChecked = 'healthcheck' in other || name === 'agent-reach'
        if (String(condition) === 'service_healthy') expect(isChecked, name).toBe(true)
        const ends = String(condition) === 'service_completed_successfully'
        expect('restart' in other, name).toBe(!ends)
      }
    }
  })

  it('has the token made before whoever reads it starts', () => {
    const readers = services.filter(([, service]) =>
      readMounts(service).some(({ source }) => source === 'token'),
    )
    expect(readers.map(([name]) => name)).toEqual([
      'prepare',
      'agent-reach',
      'reader',
      'collector',
      'prometheus',
    ])
    for (const [name, service] of readers.slice(1)) {
      expect(readMounts(service).find(({ source }) => source === 'token')?.readOnly, name).toBe(true)
      const waitsFor = Object.keys(service['depends_on'] ?? {})
      expect(waitsFor.includes('prepare') || waitsFor.includes('agent-reach'), name).toBe(true)
    }
  })

  it('sends to services at ports at which they listen', () => {
    const listening = listListening(layout)
    const texts = services.flatMap(([, service]) => [
      ...Object.values(readEnvironment(service)),
      ...[...(service['command'] ?? [])].map(String),
    ])
    const files = ['compose/Caddyfile', 'tempo/tempo.yaml', 'prometheus/prometheus.yaml']
    const all = [
      ...texts,
      ...files.map(readDeployed),
      readDeployed('grafana/provisioning/datasources/agent-reach.yaml'),
    ]
    const names = services.map(([name]) => name).join('|')
    const addresses = all.flatMap((text) =>
      Array.from(text.matchAll(new RegExp(`(?<![\\w.-])(${names}):(\\d+)\\b`, 'gu')), ([address]) => address),
    )
    for (const address of addresses) {
      const [name = '', port] = address.split(':')
      expect(listening[name], address).toContain(port)
    }
    expect(addresses).toContain('agent-reach:4318')
    expect(addresses).toContain('tempo:4317')
    expect(addresses).toContain('jaeger:24317')
    expect(addresses.includes('collector:4328')).toBe(layout === 'through')
  })

  it('gives the service variables that it knows', () => {
    const known = serveTable.options.map(
      ({ name }) => `AGENT_REACH_${name.replaceAll('-', '_').toUpperCase()}`,
    )
    const given = Object.keys(readEnvironment(findService(compose[layout], 'agent-reach')))
    expect(given.filter((name) => !known.includes(name))).toEqual([])
    expect(given).toContain('AGENT_REACH_TOKEN_FILE')
  })

  it('gives the Collector and Jaeger the variables that they ask for, and no others', () => {
    const collector = readEnvironment(findService(compose[layout], 'collector'))
    const jaeger = findService(compose[layout], 'jaeger')
    for (const [given, text] of [
      [collector, readCollector(layout).texts.join('\n')],
      [readEnvironment(jaeger), readMounted(jaeger, '/etc/jaeger/jaeger.yaml')],
    ] as const) {
      const asked = readCollectorVariables(text)
      const missing = [...asked].filter(([name, fallback]) => fallback === null && !(name in given))
      expect(missing).toEqual([])
      // The runtime of Go reads this one.
      expect(Object.keys(given).filter((name) => name !== 'GOMEMLIMIT' && !asked.has(name))).toEqual([])
    }
  })

  it('lays over the configuration of the Collector what fits on it', () => {
    const [base, over] = readCollector(layout).trees
    const pipelines = entriesOf(over?.['service']?.['pipelines'])
    expect(pipelines.map(([name]) => name)).toEqual([layout === 'beside' ? 'traces/sample' : 'traces/judged'])
    const known = [base, over].flatMap((tree) => Object.keys(tree?.['exporters'] ?? {}))
    for (const [name, pipeline] of pipelines) {
      const before = [...(base?.['service']?.['pipelines']?.[name]?.['exporters'] ?? [])].map(String)
      const after = [...(pipeline['exporters'] ?? [])].map(String)
      expect(after).toEqual([...before, 'otlp_grpc/tempo'])
      expect(after.filter((exporter) => !known.includes(exporter))).toEqual([])
    }
    const extensions = Object.keys(base?.['extensions'] ?? {})
    expect(Object.keys(over?.['extensions'] ?? {}).filter((name) => !extensions.includes(name))).toEqual([])
  })

  it('leaves the Collector and the service more memory and time than they are told to take', () => {
    const { COLLECTOR_MEMORY_MIB, GOMEMLIMIT } = readEnvironment(findService(compose[layout], 'collector'))
    expect(GOMEMLIMIT).toBe(`${Math.ceil(Number(COLLECTOR_MEMORY_MIB) * 0.8)}MiB`)
    expect(findService(compose[layout], 'agent-reach')['stop_grace_period']).toBe('30s')
  })
})

describe('the reader', () => {
  const caddyfile = readDeployed('compose/Caddyfile')

  it('brings the token from where it is prepared', () => {
    const [command = ''] = [...(findService(compose.beside, 'reader')['command'] ?? [])].map(String)
    const { AGENT_REACH_TOKEN_FILE } = readEnvironment(findService(compose.beside, 'agent-reach'))
    const [, name = '', file] = /^(\w+)="\$\(cat (\S+)\)" exec caddy run /u.exec(command) ?? []
    expect(file).toBe(AGENT_REACH_TOKEN_FILE)
    expect(caddyfile).toContain(`header_up Authorization "Bearer {env.${name}}"`)
  })

  it('takes questions only, and only under the names of this machine', () => {
    expect(caddyfile).toContain('@reading method GET HEAD\n')
    const sites = Array.from(caddyfile.matchAll(/^(\S.*) \{$/gmu), ([, site]) => site)
    expect(sites).toEqual(['http://localhost:8080, http://127.0.0.1:8080', ':8080'])
    expect(caddyfile.slice(caddyfile.indexOf('\n:8080 {'))).toBe('\n:8080 {\n\trespond 421\n}\n')
  })

  it('is where links lead to, at paths that the service has', () => {
    const { AGENT_REACH_REPORT_URL = '' } = readEnvironment(findService(compose.beside, 'agent-reach'))
    const links = [AGENT_REACH_REPORT_URL, /redir \/ "(.*)" 302/u.exec(caddyfile)?.[1] ?? '']
    const routes = links.map((link) => {
      const { pathname, searchParams } = new URL(
        link.replace('{report_name}', 'NAME'),
        'http://localhost:8080',
      )
      const route = apiRoutes.find(({ path }) => path === pathname.replace('NAME', '{name}'))
      const query = Object.keys(route?.queryParameters ?? {})
      expect([...searchParams.keys()].filter((key) => !query.includes(key))).toEqual([])
      return route?.path
    })
    expect(routes).toEqual(['/api/v1/chains/{name}', '/api/v1/chains'])
    // Dashboard and source of traces have this one.
    expect(apiRoutes.map(({ path }) => path)).toContain('/api/v1/traces/{trace_id}')
  })
})

describe('the layouts', () => {
  it('differ in what the Collector reads and in whether the service forwards', () => {
    const forward = (layout: Layout): string | undefined =>
      readEnvironment(findService(compose[layout], 'agent-reach'))['AGENT_REACH_FORWARD']
    expect(forward('beside')).toBe('')
    expect(forward('through')).toBe('http://collector:4328')
    const config = (layout: Layout): string | undefined =>
      readMounts(findService(compose[layout], 'collector'))[0]?.source
    expect(config('beside')).toBe('./collector/collector-config.yaml')
    expect(config('through')).toBe('./collector/collector-config.through.yaml')
  })

  it('are chosen among by variables that the head of the file explains', () => {
    const text = readDeployed('docker-compose.yml')
    const [head = ''] = text.split('\nname: ')
    const asked = Array.from(text.slice(head.length).matchAll(/\$\{(\w+)/gu), ([, name = '']) => name)
    expect(new Set(asked).size).toBe(11)
    for (const name of asked) expect(head).toContain(name)
  })
})

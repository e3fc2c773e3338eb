import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArguments } from '../../src/cli/command-options.ts'
import { readServeSettings } from '../../src/cli/read-serve-settings.ts'
import { findSettings, serveTable } from '../../src/cli/serve-options.ts'
import { openStore } from '../../src/server/open-store.ts'
import { ReportService } from '../../src/server/report-service.ts'
import { spanId } from '../chain/trace-script.ts'
import { createTraces } from '../docs/traces.ts'

const TOKEN = 'a-token'

/**
 * Starts the service with the variables that it has in a container, has it report a run that failed and one that went in
 * circles, and asks for its metrics as Prometheus does.
 *
 * @returns the labels of each metric that it told of
 */
export async function readServiceMetrics(
  environment: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-metrics-'))
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const env = {
    ...environment,
    AGENT_REACH_STORE: ':memory:',
    AGENT_REACH_PORT: '0',
    AGENT_REACH_SETTLE: '100ms',
    AGENT_REACH_TOKEN_FILE: write('token', TOKEN),
    AGENT_REACH_RULES: write('rules.yaml', 'version: 1\nnodes:\n  order_query: { timeout: 5s }\n'),
  }
  const found = findSettings(parseArguments([], serveTable), env)
  const settings = readServeSettings({ found, cwd: folder, env })
  const store = await openStore({ path: settings.store, now: Date.now })
  const parts = { store, log: () => {}, now: Date.now, random: Math.random }
  const service = new ReportService(settings, parts)
  try {
    const { url } = await service.start()
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    for (const body of [createTraces(), createCircles()]) {
      await expectOk(`${url}/v1/traces`, { method: 'POST', headers, body })
    }
    return await scrape(url, headers)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function scrape(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const text = await expectOk(`${url}/metrics`, { headers })
    if (/^agent_reach_chains_total 2$/mu.test(text)) return readMetricNames(text)
    await delay(50)
  }
  throw new Error('The runs were not reported within 30 s')
}

async function expectOk(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text
}

/** A metric without a value has a type all the same. */
function readMetricNames(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)) {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name]
    for (const each of names) metrics.set(each, new Set())
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gmu)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/gu)) metrics.get(name)?.add(label)
  }
  return metrics
}

/** A run that asks for the same thing over and over. */
function createCircles(): string {
  const traceId = '1af7651916cd43dd8448eb211c80319d'
  const startMs = 1_764_460_800_000
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } })
  const call = (index: number): object => ({
    traceId,
    spanId: spanId(`circle-${index}`),
    parentSpanId: spanId('circles'),
    name: 'execute_tool search',
    startTimeUnixNano: `${startMs + index * 10}000000`,
    endTimeUnixNano: `${startMs + index * 10 + 5}000000`,
    attributes: [
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', 'search'),
      text('gen_ai.tool.call.arguments', '{"query":"refunds"}'),
      text('gen_ai.tool.call.result', '{"hits":["a"]}'),
    ],
  })
  const root = {
    traceId,
    spanId: spanId('circles'),
    name: 'invoke_agent support',
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1_000}000000`,
    attributes: [text('gen_ai.operation.name', 'invoke_agent'), text('gen_ai.agent.name', 'support')],
  }
  const spans = [...Array.from({ length: 12 }, (_, index) => call(index)), root]
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

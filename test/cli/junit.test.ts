import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { afterAll, describe, expect, it } from 'vitest'
import { readReportLines, runCli } from './run-cli.ts'
import { chainSpans, type TestSpan, traceId, writeChains } from './write-traces.ts'

const cwd = mkdtempSync(join(tmpdir(), 'junit-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

interface TestCase {
  readonly failure: {
    readonly type: string
    readonly message: string
    readonly lines: readonly string[]
  } | null
  readonly attributes: Element['attributes']
  readonly properties: Readonly<Record<string, string>>
}

/** Reads XML as strictly as its standard asks for; anything that is not well-formed throws. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => open.pop())
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += text
  })
  parser.write(xml).close()
  return root
}

function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return (element?.children ?? []).filter((child) => child.name === name)
}

/** The suite that the command writes. */
async function suiteOf(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly suite: Element }> {
  const { code, stdout } = await runCli([...args, '--format', 'junit'], { cwd })
  const [suites] = parseXml(stdout).children
  expect([suites?.name, suites?.children.map(({ name }) => name)]).toEqual(['testsuites', ['testsuite']])
  const [suite] = childrenOf(suites, 'testsuite')
  if (suite === undefined) throw new Error('Cannot find a suite: expected one, found none')
  return { code, suite }
}

function casesOf(suite: Element): readonly TestCase[] {
  return childrenOf(suite, 'testcase').map(({ attributes, children }) => ({
    attributes,
    failure: failureOf(children.find(({ name }) => name === 'failure')),
    properties: Object.fromEntries(
      childrenOf(
        children.find(({ name }) => name === 'properties'),
        'property',
      ).map((property) => [property.attributes['name'] ?? '', property.attributes['value'] ?? '']),
    ),
  }))
}

function failureOf(element: Element | undefined): TestCase['failure'] {
  if (element === undefined) return null
  const { type = '', message = '' } = element.attributes
  return { type, message, lines: element.text.trim().split('\n') }
}

const all = ['none', 'error_result', 'root_failed', 'warned_loop', 'missing_parent', 'plain'] as const
writeChains(
  join(cwd, 'all.jsonl'),
  all.map((fault, i) => chainSpans(i + 1, fault)),
)
writeChains(join(cwd, 'good.jsonl'), [chainSpans(1)])
writeChains(join(cwd, 'plain.jsonl'), [chainSpans(1, 'plain')])

describe('--format junit', () => {
  it('writes a document as CI systems read it', async () => {
    const { code, stdout } = await runCli(['check', 'good.jsonl', '--format', 'junit'], { cwd })
    const json = await runCli(['report', 'good.jsonl', '--format', 'json'], { cwd })
    const [report] = readReportLines(json.stdout)
    expect(code).toBe(0)
    expect(stdout).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agent-reach" tests="1" failures="0" errors="0" skipped="0" time="9.000">
  <testsuite name="agent-reach" tests="1" failures="0" errors="0" skipped="0" time="9.000" timestamp="2025-11-30T00:00:10">
    <testcase classname="support/support-agent" name="task-1" time="9.000">
      <properties>
        <property name="trace_id" value="01010101010101010101010101010101"/>
        <property name="report_id" value="${report?.report_id}"/>
        <property name="overall_status" value="success"/>
        <property name="step_count" value="3"/>
        <property name="token_count" value="210"/>
        <property name="estimated_cost_usd" value="0.000036"/>
        <property name="digest" value="${report?.digest}"/>
      </properties>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  it('has a failure for each chain that does not pass the bar, and says why', async () => {
    const { code, suite } = await suiteOf('check', 'all.jsonl')
    expect(code).toBe(1)
    expect(suite.attributes).toMatchObject({ tests: '5', failures: '3', errors: '0', skipped: '0' })
    const cases = casesOf(suite)
    expect(cases.map(({ failure }) => failure?.type ?? null)).toEqual([
      null,
      'partial_failed',
      'failed',
      null,
      'partial_report',
    ])
    expect(cases[1]?.failure).toMatchObject({
      message: expect.stringContaining('order_query'),
      lines: [
        expect.stringContaining('order_query'),
        expect.stringMatching(/^root cause: order_query \(span 0000000200000002\), error_in_result: /),
        expect.stringMatching(/^suggestion: /),
        expect.stringMatching(/^finding: error error_in_result, order_query \(span 0000000200000002\): /),
      ],
    })
    expect(cases[4]?.failure?.lines.at(-1)).toBe('partial report: missing_parent')
    expect(cases[1]).toMatchObject({
      attributes: { classname: 'support/support-agent', name: 'task-2', time: '9.000' },
      properties: { trace_id: traceId(2), overall_status: 'partial_failed', token_count: '210' },
    })
  })

  it('goes by the bar that is asked for, and has alerts', async () => {
    const types = async (...args: readonly string[]): Promise<readonly unknown[]> =>
      casesOf((await suiteOf(...args)).suite).map(({ failure }) => failure?.type ?? null)
    expect(await types('report', 'all.jsonl', '--fail-on', 'failed', '--allow-partial')).toEqual([
      null,
      null,
      'failed',
      null,
      null,
    ])
    const { suite } = await suiteOf('report', 'all.jsonl', '--fail-on', 'alert', '--trace', traceId(4))
    expect(casesOf(suite)).toMatchObject([
      {
        failure: {
          type: 'alert',
          lines: expect.arrayContaining([expect.stringMatching(/^alert: warn loop/)]),
        },
      },
    ])
  })

  it('without a bar tells the chains that are not well, and ends with 0', async () => {
    const { code, suite } = await suiteOf('report', 'all.jsonl')
    expect([code, suite.attributes['failures']]).toEqual([0, '3'])
  })

  it('is the same with --quiet, and empty where there is no chain', async () => {
    const plainly = await runCli(['check', 'all.jsonl', '-f', 'junit'], { cwd })
    expect((await runCli(['check', 'all.jsonl', '-f', 'junit', '-q'], { cwd })).stdout).toBe(plainly.stdout)
    const { code, suite } = await suiteOf('check', 'plain.jsonl')
    expect([code, suite.attributes['tests'], casesOf(suite)]).toEqual([2, '0', []])
  })

  it('does not go with --explain', async () => {
    const { code, stderr } = await runCli(
      ['report', 'all.jsonl', '-f', 'junit', '--explain', 'f'.repeat(16)],
      { cwd },
    )
    expect(code).toBe(2)
    expect(stderr).toContain('expected it alone, found --format junit')
  })

  it('is well-formed whatever stands in the spans', async () => {
    // Every kind of character that XML, a terminal or a reader may stumble over.
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '<',
          '>',
          '&',
          '"',
          "'",
          ']]>',
          '<!--',
          '\u{0}',
          '\u{1b}',
          '\u{fffe}',
          '\u{ffff}',
          '\u{d800}',
          '\n',
          '\t',
          '\u{85}',
        ),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, async (task, tool, message) => {
        const spans = withNames(chainSpans(1, 'root_failed'), { task, tool, message })
        writeChains(join(cwd, 'nasty.jsonl'), [spans])
        const { suite } = await suiteOf('report', 'nasty.jsonl')
        expect(casesOf(suite)).toHaveLength(1)
      }),
      { numRuns: 100 },
    )
  })

  it('shows what XML cannot hold as an escape', async () => {
    const names = { task: 'a\u{1b}[2J<b>&"c"\u{ffff}\u{0}', tool: 'x', message: 'y' }
    writeChains(join(cwd, 'steering.jsonl'), [withNames(chainSpans(1), names)])
    const { suite } = await suiteOf('report', 'steering.jsonl')
    expect(casesOf(suite)).toMatchObject([{ attributes: { name: String.raw`a\x1b[2J<b>&"c"\uffff\x00` } }])
  })
})

function withNames(
  spans: readonly TestSpan[],
  { task, tool, message }: { readonly task: string; readonly tool: string; readonly message: string },
): readonly TestSpan[] {
  return spans.map((span) => ({
    ...span,
    attributes: {
      ...span.attributes,
      ...(span.attributes?.['agent_reach.task.id'] === undefined ? {} : { 'agent_reach.task.id': task }),
      ...(span.attributes?.['gen_ai.tool.name'] === undefined ? {} : { 'gen_ai.tool.name': tool }),
    },
    ...(span.status === undefined ? {} : { status: { ...span.status, message } }),
  }))
}

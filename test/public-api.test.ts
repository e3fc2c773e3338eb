import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as agentReach from '../src/index.ts'
import * as semconv from '../src/semconv/index.ts'
import * as server from '../src/server/index.ts'

/** Types leave no trace at run time, so their names are read from the text of the entry. */
function typeNames(entry: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, '..', entry), 'utf8')
  return [...text.matchAll(/export type \{([^}]*)\}/gu)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .toSorted()
}

describe('agent-reach', () => {
  it('exports these values, and no others', () => {
    expect(Object.keys(agentReach).toSorted()).toMatchInlineSnapshot(`
      [
        "AgentReachProcessor",
        "ChainReportExporter",
        "RulesError",
        "SCHEMA_VERSION",
        "SinkError",
        "TraceCollector",
        "VERSION",
        "canonicalReport",
        "capture",
        "createDirectorySink",
        "createHttpSink",
        "createJsonLinesSink",
        "createMemorySink",
        "digestReport",
        "explainStep",
        "fanOut",
        "findingCatalog",
        "getChainContext",
        "loadRules",
        "queued",
        "readStep",
        "renderMarkdown",
        "renderText",
        "retrying",
        "setChainContext",
      ]
    `)
  })

  it('exports these types, and no others', () => {
    expect(typeNames('src/index.ts')).toMatchInlineSnapshot(`
      [
        "AgentReachProcessorOptions",
        "CapturedContent",
        "CatalogRow",
        "ChainContext",
        "ChainReport",
        "ChainReportExporterOptions",
        "ChainStatus",
        "CollectorLimits",
        "CollectorOptions",
        "CompletenessReason",
        "DirectorySink",
        "DirectorySinkOptions",
        "Evidence",
        "ExportOutcome",
        "FindingCode",
        "FindingGroup",
        "FindingOrder",
        "HttpSinkOptions",
        "JsonLinesFileOptions",
        "JsonLinesSinkOptions",
        "JsonLinesStreamOptions",
        "LiveAlert",
        "LiveFinding",
        "LiveLimits",
        "LiveSpan",
        "LoadRulesOptions",
        "MarkAttributes",
        "MarkValue",
        "MemorySink",
        "MemorySinkOptions",
        "NodeStatus",
        "QueueCounts",
        "QueuedOptions",
        "QueuedSink",
        "ReportAlert",
        "ReportAssertion",
        "ReportAssertions",
        "ReportCheckpoint",
        "ReportCheckpoints",
        "ReportDropped",
        "ReportEvidence",
        "ReportFailure",
        "ReportFinding",
        "ReportJudgement",
        "ReportNode",
        "ReportRetention",
        "ReportSink",
        "ReportStep",
        "ReportTarget",
        "ReportTextOptions",
        "ReportTime",
        "ReportTokens",
        "ReportUsageAggregate",
        "ReportUsageCheck",
        "RetryingOptions",
        "RuleSchema",
        "Rules",
        "RulesFile",
        "RulesProblem",
        "Severity",
        "SinkErrorOptions",
        "SpanView",
        "StandardSchema",
        "Step",
        "StepKind",
      ]
    `)
  })
})

describe('agent-reach/semconv', () => {
  it('exports the attribute keys, their values, the events and the metrics', () => {
    const names = Object.keys(semconv)
    const startingWith = (start: string): number => names.filter((name) => name.startsWith(start)).length
    expect({
      all: names.length,
      attributes: startingWith('ATTR_'),
      events: startingWith('EVENT_'),
      metrics: startingWith('METRIC_'),
      others: names.filter((name) => !/^(?:ATTR|AGENT_REACH|EVENT|METRIC)_/u.test(name)).toSorted(),
    }).toMatchInlineSnapshot(`
      {
        "all": 117,
        "attributes": 60,
        "events": 3,
        "metrics": 6,
        "others": [
          "inputAliases",
          "inputKeys",
          "outputKeys",
        ],
      }
    `)
  })
})

describe('agent-reach/server', () => {
  it('exports these values and types, and no others', () => {
    expect(Object.keys(server).toSorted()).toEqual([
      'SqliteOpenError',
      'StoreError',
      'createJsonLog',
      'startReportService',
    ])
    expect(typeNames('src/server/index.ts')).toEqual([
      'ClosingLimits',
      'ForwardSettings',
      'LogFields',
      'LogLevel',
      'ReportServiceOptions',
      'Retention',
      'RunningReportService',
      'ServiceLog',
      'ServiceSettings',
      'SqliteOpenReason',
      'StoreFault',
    ])
  })
})

export type { ChainStatus, NodeStatus } from './chain/chain.ts'
export type { Evidence } from './chain/step-record.ts'
export { ChainReportExporter } from './exporters/chain-report-exporter.ts'
export type { ChainReportExporterOptions, ExportOutcome } from './exporters/chain-report-exporter.ts'
export { createDirectorySink } from './exporters/directory-sink.ts'
export type { DirectorySink, DirectorySinkOptions } from './exporters/directory-sink.ts'
export { fanOut } from './exporters/fan-out.ts'
export { createHttpSink } from './exporters/http-sink.ts'
export type { HttpSinkOptions } from './exporters/http-sink.ts'
export { createJsonLinesSink } from './exporters/json-lines-sink.ts'
export type {
  JsonLinesFileOptions,
  JsonLinesSinkOptions,
  JsonLinesStreamOptions,
} from './exporters/json-lines-sink.ts'
export { createMemorySink } from './exporters/memory-sink.ts'
export type { MemorySink, MemorySinkOptions } from './exporters/memory-sink.ts'
export { queued } from './exporters/queued.ts'
export type { QueueCounts, QueuedOptions, QueuedSink } from './exporters/queued.ts'
export type { ReportRetention } from './exporters/retention.ts'
export type { ReportTarget } from './exporters/report-outlet.ts'
export { retrying } from './exporters/retrying.ts'
export type { RetryingOptions } from './exporters/retrying.ts'
export { SinkError } from './exporters/sink-error.ts'
export type { SinkErrorOptions } from './exporters/sink-error.ts'
export { findingCatalog } from './findings/catalog.ts'
export type { CatalogRow, FindingCode, FindingGroup } from './findings/catalog.ts'
export type { FindingOrder } from './findings/finding.ts'
export type { Severity } from './findings/severity.ts'
export { capture } from './pipeline/capture.ts'
export { getChainContext, setChainContext } from './pipeline/chain-context.ts'
export type { ChainContext } from './pipeline/chain-context.ts'
export type { LiveLimits } from './pipeline/live-limits.ts'
export { TraceCollector } from './pipeline/trace-collector.ts'
export type { CollectorLimits, CollectorOptions } from './pipeline/trace-collector.ts'
export { VERSION } from './pipeline/version.ts'
export { AgentReachProcessor } from './processors/agent-reach-processor.ts'
export type { LiveAlert, LiveFinding } from './processors/live-event.ts'
export type { LiveSpan, MarkAttributes, MarkValue } from './processors/live-span.ts'
export type { AgentReachProcessorOptions } from './processors/processor-options.ts'
export { renderMarkdown } from './report/render-markdown.ts'
export { renderText } from './report/render-text.ts'
export type { ReportTextOptions } from './report/render-text.ts'
export { canonicalReport, digestReport } from './report/report-digest.ts'
export { SCHEMA_VERSION } from './report/chain-report.ts'
export type {
  ChainReport,
  CompletenessReason,
  ReportAlert,
  ReportAssertion,
  ReportAssertions,
  ReportCheckpoint,
  ReportCheckpoints,
  ReportDropped,
  ReportEvidence,
  ReportFailure,
  ReportFinding,
  ReportJudgement,
  ReportNode,
  ReportStep,
  ReportTime,
  ReportTokens,
  ReportUsageAggregate,
  ReportUsageCheck,
} from './report/chain-report.ts'
export type { ReportSink } from './report/report-sink.ts'
export { loadRules } from './rules/load-rules.ts'
export type { LoadRulesOptions } from './rules/load-rules.ts'
export type { Rules } from './rules/rules.ts'
export { RulesError } from './rules/rules-error.ts'
export type { RulesProblem } from './rules/rules-error.ts'
export type { RulesFile, RuleSchema } from './rules/rules-file.ts'
export type { StandardSchema } from './rules/standard-schema.ts'
export type { CapturedContent } from './steps/captured-content.ts'
export { explainStep, readStep } from './steps/read-step.ts'
export type { SpanView } from './steps/span-view.ts'
export type { Step, StepKind } from './steps/step.ts'

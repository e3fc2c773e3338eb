import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChainReport } from '../../../src/report/chain-report.ts'
import { openStore, type OpenStoreOptions } from '../../../src/server/open-store.ts'
import { packReport } from '../../../src/server/pack-report.ts'
import type { ReportStore, TraceChunk, TraceCommit } from '../../../src/server/report-store.ts'
import { createReport } from '../../report/create-report.ts'

/** 2026-11-30T12:00:00Z. */
export const NOON_MS = 1_796_040_000_000

/** The id of a trace by its number. */
export function traceId(number: number): string {
  return number.toString(16).padStart(32, '0')
}

/** A path for a store in a folder of its own. */
export function newStorePath(): string {
  return join(mkdtempSync(join(tmpdir(), 'agent-reach-store-')), 'reports.db')
}

/** Opens a store whose clock stands at noon. */
export function openAt(path: string, options: Partial<OpenStoreOptions> = {}): Promise<ReportStore> {
  return openStore({ path, now: () => NOON_MS, ...options })
}

/** Spans of a trace; the body is the text. */
export function createChunk(trace: number, text: string, rejectedSpans: number = 0): TraceChunk {
  return { traceId: traceId(trace), body: Buffer.from(text), spanCount: 1, rejectedSpans }
}

/** A report of a chain of a trace. */
export function reportOf(trace: number, overrides: Partial<ChainReport> = {}): ChainReport {
  return createReport({ trace_id: traceId(trace), chain_id: 'main', revision: 1, ...overrides })
}

/** That a trace is reported; without reports, compaction or forwarding unless they are given. */
export function createCommit(
  trace: number,
  overrides: Partial<Omit<TraceCommit, 'reports'>> & { readonly reports?: readonly ChainReport[] } = {},
): TraceCommit {
  const { reports = [], ...rest } = overrides
  return {
    traceId: traceId(trace),
    reports: reports.map(packReport),
    lastChunk: 0,
    compacted: null,
    rejectedSpans: 0,
    forward: null,
    nowMs: NOON_MS,
    ...rest,
  }
}

/** Stores a trace with one chunk and one report. */
export async function storeReported(
  store: ReportStore,
  trace: number,
  overrides: Partial<ChainReport> = {},
  nowMs: number = NOON_MS,
): Promise<ChainReport> {
  const report = reportOf(trace, overrides)
  const lastChunk = await store.append([createChunk(trace, `spans of ${trace}`)], nowMs)
  store.commitTrace(createCommit(trace, { reports: [report], lastChunk, nowMs }))
  return report
}

/** The name of the chain `main` of a trace. */
export function nameOf(trace: number): string {
  const report = reportOf(trace)
  return report.report_id.replace(/-1$/u, '')
}

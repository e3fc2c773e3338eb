import { createTraceDecoder, type DecodedTraces, type TraceDecoder } from '../otlp/decode-json.ts'
import type { DecodedSpan } from '../otlp/decoded-span.ts'
import type { DocumentDamage, DocumentItem, ReadDocument, UnreadDocument } from '../otlp/document-item.ts'
import { describeValue } from '../otlp/excerpt.ts'
import { readDocuments } from '../otlp/read-documents.ts'
import type { Rejection } from '../otlp/rejection-log.ts'
import type { ReadProblem, ReadProblemKind } from './read-problem.ts'
import { readRejectedTrace } from './rejected-trace.ts'
import { describeSystemError, isSystemError } from './system-error.ts'

/** One list of bytes that spans are read from. */
export interface SpanSource {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * What a part of an input was: `traces`, possibly none; `signals`, an OTLP document of metrics, logs or profiles;
 * `report`, a chain report; `unread`, nothing that can be read; `end`, the end of the input.
 */
type SpanItemKind = 'traces' | 'signals' | 'report' | 'unread' | 'end'

/** What one part of an input gave. */
export interface SpanItem {
  readonly kind: SpanItemKind
  /** Which input, from 0. */
  readonly input: number
  /** Bytes of the unpacked input up to the part's end; infinite at the end of the input. */
  readonly offset: number
  readonly spans: readonly DecodedSpan[]
  readonly problems: readonly ReadProblem[]
  /** How many spans were left out; exact, also beyond what `problems` lists. */
  readonly rejectedSpans: number
  /** The trace of each span that was left out, as far as it is to be seen. */
  readonly rejectedTraces: readonly string[]
}

/**
 * Reads the spans of many inputs, one after the other. What cannot be read is told in its place, an input that
 * cannot be opened or read on too; reading goes on behind it.
 *
 * @yields One item for each document and each part that is none, and one at the end of each input.
 */
export async function* readSpans(sources: Iterable<SpanSource>): AsyncGenerator<SpanItem> {
  const decode = createTraceDecoder()
  let input = 0
  for (const { name, chunks } of sources) {
    const place: Place = { input, name, decode }
    try {
      for await (const item of readDocuments(chunks)) yield toSpanItem(item, place)
    } catch (error) {
      if (!isSystemError(error)) throw error
      const found = describeSystemError(error)
      yield toItem('unread', place, {
        problems: [{ ...wholeInput(name), expected: 'a file that can be read', found }],
      })
    }
    yield toItem('end', place, { offset: Number.POSITIVE_INFINITY })
    input += 1
  }
}

interface Place {
  readonly input: number
  readonly name: string
  readonly decode: TraceDecoder
}

const NOTHING = { offset: 0, spans: [], problems: [], rejectedSpans: 0, rejectedTraces: [] }

function toItem(kind: SpanItemKind, { input }: Place, parts: Partial<SpanItem>): SpanItem {
  return { ...NOTHING, kind, input, ...parts }
}

function toSpanItem(item: DocumentItem, place: Place): SpanItem {
  const { offset } = item
  if ('problem' in item) return toItem('unread', place, { offset, problems: [toUnread(item, place.name)] })
  const decoded = place.decode(item.value)
  if (decoded.signal === 'traces') return toItem('traces', place, toTraces(item, decoded, place.name))
  if (decoded.signal === 'other') return toItem('signals', place, { offset })
  if (isEmptyRequest(item.value)) return toItem('traces', place, { offset })
  if (isChainReport(item.value)) return toItem('report', place, { offset })
  const problem: ReadProblem = {
    ...inDocument('foreign_document', place.name, item.line),
    expected: 'an OTLP document with resourceSpans',
    found: describeForeign(item.value),
  }
  return toItem('unread', place, { offset, problems: [problem] })
}

function toUnread({ line, problem }: UnreadDocument, name: string): ReadProblem {
  const { expected, found, torn } = problem
  if (torn) return { ...inDocument('torn_end', name, line), expected, found }
  // What is wrong with the packing, unlike a bad line or record, costs all the rest of the input.
  const lostRest = !/^A (?:JSON document|record)/u.test(expected)
  const place = lostRest ? wholeInput(name) : inDocument('unread_line', name, line)
  return { ...place, expected, found }
}

function toTraces(
  { line, offset, value, damage }: ReadDocument,
  decoded: DecodedTraces,
  name: string,
): Partial<SpanItem> {
  const { spans, rejectedSpans } = decoded
  const rejected = withDamage(decoded.rejected, damage)
  const problems = rejected.map(({ kept, path, expected, found }): ReadProblem => ({
    ...inDocument(kept ? 'bad_value' : 'rejected_part', name, line),
    path: path === '' ? null : path,
    expected,
    found,
  }))
  const rejectedTraces = rejected
    .filter(({ kept }) => !kept)
    .map(({ path }) => readRejectedTrace(value, path))
    .filter((traceId) => traceId !== null)
  return {
    offset,
    spans,
    problems,
    rejectedSpans,
    rejectedTraces: [...rejectedTraces, ...(damage?.traces ?? [])],
  }
}

/** What stands in place of a span that is damaged is rejected too, which says less about it. */
function withDamage(
  rejected: readonly Rejection[],
  damage: DocumentDamage | undefined,
): readonly Rejection[] {
  if (damage === undefined) return rejected
  const places = new Set(damage.rejected.filter(({ kept }) => !kept).map(({ path }) => path))
  return [...damage.rejected, ...rejected.filter(({ kept, path }) => kept || !places.has(path))]
}

function inDocument(
  kind: ReadProblemKind,
  input: string,
  line: number,
): Omit<ReadProblem, 'expected' | 'found'> {
  return { kind, input, line, path: null }
}

function wholeInput(input: string): Omit<ReadProblem, 'expected' | 'found'> {
  return { kind: 'unreadable_input', input, line: null, path: null }
}

/** A request without spans: protobuf's JSON leaves out lists that are empty. */
function isEmptyRequest(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0
}

/** Reports may lie beside the inputs, as when a directory is read that they were written into. */
function isChainReport(value: unknown): boolean {
  if (!isRecord(value)) return false
  return ['schema_version', 'report_id', 'overall_status'].every((key) => typeof value[key] === 'string')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SHOWN_KEYS = 3

/** An object is told by its first keys; what they hold is nobody's business. */
function describeForeign(value: unknown): string {
  if (!isRecord(value)) return describeValue(value)
  const keys = Object.keys(value)
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => describeValue(key))
  return `an object with ${shown.join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''}`
}

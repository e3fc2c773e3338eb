import { findingCatalog, type FindingCode } from './catalog.ts'
import { toExcerpt } from './excerpt.ts'
import type { Finding, FindingEvidence } from './finding.ts'

/** The longest reason, in bytes of UTF-8: 256. */
export const REASON_LIMIT = 256

/** The sentence of a finding, for people: one line without a full stop, at most {@link REASON_LIMIT} bytes. */
export function describeFinding(finding: Finding): string {
  const describe = sentences[finding.code]
  const text = describe === undefined ? sentenceOf(finding) : describe(finding)
  const marked = finding.source === 'mark' ? `${text} (judged in process, content not recorded)` : text
  return cutToBytes(finding.order === 'uncertain' ? `${marked} (order uncertain)` : marked, REASON_LIMIT)
}

type Describe = (finding: Finding) => string

/** How much of a value a sentence shows, in characters; the evidence beside it holds more. */
const SHOWN_VALUE = 40

const sentences: Partial<Record<FindingCode, Describe>> = {
  exception: (finding) => finding.detail ?? 'threw an error',
  timeout: (finding) => withDetail('timed out', finding),
  rate_limited: (finding) => withDetail('rate limited', finding),
  auth_failed: (finding) => withDetail('not authorised', finding),
  service_error: (finding) => withDetail('the service failed', finding),
  not_found: (finding) => withDetail('not found', finding),
  context_overflow: (finding) => withDetail('the prompt is too long', finding),
  never_ended: () => 'started and never ended',
  schema_violation: (finding) => deviations(finding, 'result does not fit its schema'),
  empty_result: describeEmpty,
  error_in_result: (finding) => withDetail('the result is an error', finding),
  malformed_json: (finding) => withDetail('the output is not JSON', finding),
  truncated_output: () => 'the output was cut at the token limit',
  filtered_output: () => 'a content filter stopped the output',
  malformed_arguments: (finding) => `arguments for ${finding.detail ?? 'a tool'} are not JSON`,
  unknown_tool: (finding) => `called the unknown tool ${finding.detail ?? ''}`.trimEnd(),
  invalid_arguments: (finding) =>
    deviations(finding, `arguments for ${finding.detail ?? 'a tool'} do not fit its schema`),
  call_never_executed: (finding) => `asked for ${finding.detail ?? 'a tool'}, which never ran`,
  unverified_answer: (finding) =>
    `${finding.detail ?? 'the agent'} answered without having called any of its tools`,
  loop: (finding) => `loop: ${finding.detail ?? 'the same call again and again'}`,
  usage_mismatch: (finding) => `reports other token totals than its steps: ${mismatches(finding.evidence)}`,
  failed_below: (finding) => `failed because ${finding.detail ?? 'a step below it'} failed`,
  checkpoint_failed: (finding) => `checkpoint ${finding.detail ?? ''} failed`,
}

function sentenceOf(finding: Finding): string {
  const { meaning } = findingCatalog[finding.code]
  return withDetail(meaning.charAt(0).toLowerCase() + meaning.slice(1), finding)
}

function withDetail(text: string, finding: Finding): string {
  return finding.detail === null ? text : `${text}: ${finding.detail}`
}

/** The first deviations, so that the line stays one line. */
function deviations(finding: Finding, text: string): string {
  const parts = finding.evidence.slice(0, 2).map(deviation)
  const more = finding.evidence.length - parts.length
  if (parts.length === 0) return withDetail(text, { ...finding, detail: null })
  return `${text}: ${parts.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

function deviation({ path, expected, actual }: FindingEvidence): string {
  const at = path === '' ? 'the whole' : path
  if (actual === null || actual === 'missing') return `${at} is missing`
  const value = typeof actual === 'string' ? toExcerpt(actual, SHOWN_VALUE) : actual
  return expected === null ? `${at} is ${value}` : `${at} is ${value}, expected ${expected}`
}

function describeEmpty(finding: Finding): string {
  const places = finding.evidence.map(({ path }) => path).filter((path) => path !== '')
  return places.length === 0
    ? 'the result is empty'
    : `the result is empty at ${places.slice(0, 3).join(', ')}`
}

function mismatches(evidence: readonly FindingEvidence[]): string {
  return evidence.map(({ path, expected, actual }) => `${actual} ${path} for ${expected}`).join(', ')
}

function cutToBytes(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  if (Buffer.byteLength(line) <= limit) return line
  let cut = ''
  let size = Buffer.byteLength('…')
  for (const character of line) {
    size += Buffer.byteLength(character)
    if (size > limit) break
    cut += character
  }
  return `${cut}…`
}

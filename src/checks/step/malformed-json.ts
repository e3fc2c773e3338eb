import { createFinding } from '../../findings/create-finding.ts'
import { toExcerpt } from '../../findings/excerpt.ts'
import type { Finding } from '../../findings/finding.ts'
import type { Severity } from '../../findings/severity.ts'
import type { ModelStep, Step } from '../../steps/step.ts'
import { endedBy } from './finish-reasons.ts'
import type { StepCheck } from './step-check.ts'
import { isWholeJsonText } from './text-state.ts'

/** An output that had to be JSON, by its key, its MIME type or the output type that was asked for, and is not. */
export const malformedJson: StepCheck = {
  name: 'malformed-json',
  check(step) {
    if (step.kind === 'other' || step.error !== null || isLongResult(step)) return []
    if (step.output.malformed) return [finding(step, step.output.text, 'error')]
    if (step.kind === 'model') return judgeAnswer(step)
    return isMislabelled(step) ? [finding(step, step.output.text, 'warn')] : []
  },
}

/** A program wrote the result of a tool; only what a model writes is malformed at any length. */
function isLongResult({ kind, output }: Step): boolean {
  return (kind === 'tool' || kind === 'retrieval') && output.isLong
}

function finding(step: Step, text: string, severity: Severity): Finding {
  return createFinding({
    code: 'malformed_json',
    severity,
    spanId: step.spanId,
    evidence: [{ path: '', expected: 'JSON', actual: toExcerpt(text) }],
  })
}

function judgeAnswer(step: ModelStep): readonly Finding[] {
  if (step.outputType !== 'json') return []
  const { state, text, calls } = step.readOutput()
  if (state !== 'seen' || text === null || text.trim() === '' || calls.length > 0) return []
  if (isJson(text) || !isWholeJsonText(text)) return []
  if (endedBy(step, 'length') || endedBy(step, 'content_filter')) return []
  return [finding(step, text, isFencedJson(text) ? 'warn' : 'error')]
}

/**
 * The MIME type says JSON of what begins like it and is not. Of plain text it says so by mistake of the
 * instrumentation, which is no fault of the step.
 */
function isMislabelled({ output, outputMimeType }: Step): boolean {
  if (
    outputMimeType === null ||
    output.outline !== null ||
    !/^application\/(?:[\w.-]+\+)?json\b/u.test(outputMimeType)
  )
    return false
  return (
    output.seen && typeof output.value === 'string' && /^\s*[[{]/u.test(output.text) && !isJson(output.text)
  )
}

/** Valid JSON in a code fence: readers that strip it are so common that this is a warning. */
function isFencedJson(text: string): boolean {
  const fenced = text.trim()
  if (!fenced.startsWith('```') || !fenced.endsWith('```')) return false
  const start = fenced.indexOf('\n')
  return start > 0 && start < fenced.length - 3 && isJson(fenced.slice(start, -3))
}

/** Several answers of one call stand one to a line. */
function isJson(text: string): boolean {
  return parses(text) || text.trim().split('\n').every(parses)
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

import type { Finding } from '../findings/finding.ts'
import { CAPTURED_KEY } from '../steps/captured-content.ts'
import { decodeNested, NESTING_LIMIT } from '../steps/content.ts'
import { sha256Hex } from '../steps/digest.ts'
import { fingerprint } from '../steps/fingerprint.ts'
import { findCode } from '../steps/find-code.ts'
import { toRequestSignature } from '../steps/signature.ts'
import { sketchArguments, sketchCode } from '../steps/sketch-call.ts'
import type { CallSketch } from '../steps/call-sketch.ts'
import type { ModelStep, Step } from '../steps/step.ts'
import type { Repeatable } from './step-record.ts'

/** Shorter results say that something was done, or that there is nothing, in UTF-16 code units: 256. */
const TELLING_LENGTH = 256

/** How much of an error is compared, in UTF-16 code units: 300. */
const FAILURE_PART = 300

/**
 * What a call is compared by for loops. Only what the span records counts: a reader of the exported span must come to
 * the same, and of content that was only captured there is nothing but digests.
 *
 * @param signature of the call; `null` where its arguments were not seen
 * @param ignored names of arguments that do not matter
 */
export function toRepeatable(
  step: Step,
  signature: string | null,
  findings: readonly Finding[],
  ignored: readonly string[] = NONE,
): Repeatable | null {
  if (step.kind === 'model') return toRepeatableCode(step)
  if (step.kind !== 'tool' && step.kind !== 'retrieval' && step.kind !== 'agent') return null
  return {
    signature: ignored.length === 0 ? signature : signWithout(step, signature, ignored),
    sketch: sketchInput(step, ignored),
    failure: toFailure(step, findings),
    hasTellingResult: isTelling(step),
  }
}

const NONE: readonly never[] = []

/** The call of a code agent is what its model wrote, where it asks for no call of another kind. */
function toRepeatableCode(step: ModelStep): Repeatable | null {
  const { text, calls } = step.readOutput()
  if (text === null || calls.length > 0 || step.output.key === CAPTURED_KEY) return null
  const code = findCode(text)
  if (code === null) return null
  const signature = sha256Hex(`${step.nodeName}\n${code}`).slice(0, 16)
  return { signature, sketch: sketchCode(code), failure: null, hasTellingResult: false }
}

function isComparable({ input }: Step): boolean {
  return input.key !== null && input.key !== CAPTURED_KEY && input.seen
}

function sketchInput(step: Step, ignored: readonly string[]): CallSketch | null {
  return isComparable(step) && !step.input.isLong ? sketchArguments(step.input.value, ignored) : null
}

function signWithout(step: Step, signature: string | null, ignored: readonly string[]): string | null {
  if (signature === null || !isComparable(step)) return signature
  return toRequestSignature(step.nodeName, omit(decodeNested(step.input.value, NESTING_LIMIT), ignored, 0))
}

const MAX_DEPTH = 16

function omit(value: unknown, ignored: readonly string[], depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => omit(item, ignored, depth + 1))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      ignored.includes(key) ? [] : [[key, omit(item, ignored, depth + 1)]],
    ),
  )
}

function toFailure(step: Step, findings: readonly Finding[]): string | null {
  if (step.error !== null) {
    const { type, message } = step.error
    return message === '' ? null : fingerprint(`${type ?? ''} ${normalize(message)}`)
  }
  const told = findings.find(({ code, source }) => code === 'error_in_result' && source === 'content')
  if (told === undefined || step.output.key === null || step.output.key === CAPTURED_KEY) return null
  return fingerprint(normalize(step.output.text))
}

/** Leaves out of an error what differs from case to case: what it quotes, paths, numbers and ids. */
function normalize(message: string): string {
  return message
    .slice(0, FAILURE_PART)
    .replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/gu, "''")
    .replaceAll(/(?:[\w.~-]*\/)+[\w.~-]*/gu, '/')
    .replaceAll(/\b[\da-f]{8,}\b|\d+/giu, '0')
    .replaceAll(/\s+/gu, ' ')
}

function isTelling({ output }: Step): boolean {
  const { key } = output
  return key !== null && key !== CAPTURED_KEY && output.text.length >= TELLING_LENGTH
}

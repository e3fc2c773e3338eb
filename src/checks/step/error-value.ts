import { canonicalJson } from '../../steps/canonical-json.ts'
import { decodeNested } from '../../steps/content.ts'
import { isRecord, readContentParts } from './content-parts.ts'
import { isEmptyValue } from './empty-value.ts'
import { findErrorInText } from './error-text.ts'

/** What says that a result is an error. */
export interface ResultError {
  /** A JSON Pointer into the result. */
  readonly path: string
  readonly expected: string | null
  readonly actual: string | number | boolean
  /** The words of the error. */
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

/** Fields that hold what a tool was asked for: where one is filled, an error beside it is a remark. */
const PAYLOADS = [
  ...'data result results item items output outputs record records rows entries documents response'.split(
    ' ',
  ),
  ...'content payload value values answer matches stdout'.split(' '),
]
/** Fields that describe an error and carry nothing else. */
const DESCRIPTIONS = new Set([
  ...'error errors err exception message msg detail details reason code error_code errorCode'.split(' '),
  ...'error_type errorType error_message errorMessage status statusCode status_code statusText'.split(' '),
  ...'success ok type title name stack trace traceback timestamp path url request_id requestId'.split(' '),
  ...'hint suggestion retryable tool extensions'.split(' '),
])

const STATUS_NUMBERS = ['status', 'statusCode', 'status_code', 'http_status', 'httpStatus']
const NO_ERROR = /^(?:none|null|nil|no|no errors?|ok|false|0|undefined|n\/a)$/iu

/** Finds what makes a tool result an error, or `null`. JSON text in text parts is looked into. */
export function findResultError(value: unknown): ResultError | null {
  if (typeof value === 'string') return fromText(value, '')
  const parts = readContentParts(value)
  if (parts !== null) {
    const text = parts.texts.map((part) => part.text).join('\n')
    if (parts.isError) return { path: '/isError', expected: 'false', actual: true, text }
    return parts.hasOtherParts || parts.texts.length !== 1 ? null : fromPart(parts.texts[0])
  }
  return isRecord(value) ? fromFields(value, '') : null
}

function fromPart(part: { readonly pointer: string; readonly text: string } | undefined): ResultError | null {
  if (part === undefined) return null
  const inner = decodeNested(part.text, 2)
  return isRecord(inner) ? fromFields(inner, part.pointer) : fromText(part.text, part.pointer)
}

function fromText(text: string, path: string): ResultError | null {
  const words = findErrorInText(text)
  return words === null ? null : { path, expected: 'a result', actual: 'an error', text: words }
}

function fromFields(fields: Fields, pointer: string): ResultError | null {
  if (PAYLOADS.some((key) => !isEmptyValue(fields[key]))) return fromOnlyField(fields, pointer)
  return (
    fromErrorField(fields, pointer) ??
    fromErrorList(fields, pointer) ??
    fromFlag(fields, pointer) ??
    fromStatus(fields, pointer)
  )
}

/** `{result: 'Error: …'}` is a text in a wrapping. */
function fromOnlyField(fields: Fields, pointer: string): ResultError | null {
  const [entry, ...others] = Object.entries(fields)
  if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') return null
  return fromText(entry[1], `${pointer}/${entry[0]}`)
}

function fromErrorField(fields: Fields, pointer: string): ResultError | null {
  for (const key of ['error', 'err', 'exception']) {
    const value = fields[key]
    // A number there is a measure (a mean error) as often as a code.
    if (typeof value === 'number' || value === false || isEmptyValue(value)) continue
    if (typeof value === 'string' && NO_ERROR.test(value.trim())) continue
    return {
      path: `${pointer}/${key}`,
      expected: 'no error',
      actual: typeName(value),
      text: wordsOf(value, fields),
    }
  }
  return null
}

/** A list of errors is the proper result of a checker, so nothing but a description of the failure may be beside. */
function fromErrorList(fields: Fields, pointer: string): ResultError | null {
  const { errors } = fields
  if (typeof errors !== 'object' || isEmptyValue(errors)) return null
  const others = Object.entries(fields).filter(
    ([key, value]) => !DESCRIPTIONS.has(key) && !isEmptyValue(value),
  )
  if (others.length > 0) return null
  return {
    path: `${pointer}/errors`,
    expected: 'no errors',
    actual: typeName(errors),
    text: wordsOf(errors, fields),
  }
}

function fromFlag(fields: Fields, pointer: string): ResultError | null {
  for (const key of ['success', 'ok']) {
    if (fields[key] !== false) continue
    return { path: `${pointer}/${key}`, expected: 'true', actual: false, text: wordsOf(null, fields) }
  }
  return null
}

/** A record may have a status of its own (an order that failed), so the word alone must come with a description only. */
function fromStatus(fields: Fields, pointer: string): ResultError | null {
  for (const key of STATUS_NUMBERS) {
    const value = fields[key]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 400 || value > 599) continue
    return { path: `${pointer}/${key}`, expected: 'below 400', actual: value, text: wordsOf(null, fields) }
  }
  const { status } = fields
  if (typeof status !== 'string' || !/^(?:error|failed|failure)$/iu.test(status)) return null
  if (!Object.keys(fields).every((key) => DESCRIPTIONS.has(key))) return null
  return { path: `${pointer}/status`, expected: 'no failure', actual: status, text: wordsOf(null, fields) }
}

function wordsOf(error: unknown, fields: Fields): string {
  const first: unknown = Array.isArray(error) ? error[0] : error
  const inner = isRecord(first) ? first : {}
  const candidates = [
    first,
    inner['message'],
    inner['error'],
    fields['message'],
    fields['error'],
    fields['reason'],
  ]
  const words = candidates.find((candidate) => typeof candidate === 'string' && candidate !== '')
  return typeof words === 'string' ? words : canonicalJson(first ?? fields)
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

import { canonicalJson } from '../../steps/canonical-json.ts'
import { type Content, decodeNested } from '../../steps/content.ts'
import { isRecord, mayHoldParts, readContentParts } from './content-parts.ts'
import { isEmptyValue } from './empty-value.ts'
import { findErrorInText } from './error-text.ts'

/** What says that a result is an error. */
export interface ResultError {
  /** A JSON Pointer into the result. */
  readonly path: string
  readonly expected: string
  readonly actual: string | number | boolean
  /** The words of the error. */
  readonly text: string
  /** Whether a field that is meant for it says so, or the wording of a text. */
  readonly toldBy: 'field' | 'wording'
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

/** Fields that hold an error where they are filled. */
const ERRORS = ['error', 'err', 'exception']

/** Fields that tell of one where they are `false`. */
const OUTCOMES = ['success', 'ok']

const STATUS_NUMBERS = ['status', 'statusCode', 'status_code', 'http_status', 'httpStatus']
const NO_ERROR = /^(?:none|null|nil|no|no errors?|ok|false|0|undefined|n\/a)$/iu

/** Fields without which an object with several fields is no error; parts of content are told apart by themselves. */
const TELLTALES: ReadonlySet<string> = new Set([
  ...ERRORS,
  'errors',
  ...OUTCOMES,
  'status',
  ...STATUS_NUMBERS,
])

/** False where a short text of JSON is no error by the names of its fields alone, so that it need not be decoded. */
export function mayBeError(content: Content): boolean {
  const { outline } = content
  if (outline === null || mayHoldParts(content)) return true
  const { names } = outline
  const [only = '', ...others] = names
  if (others.every((name) => name === only) && PAYLOADS.includes(only)) {
    return others.length > 0 || /^\s*\{\s*"[^"]*"\s*:\s*"/u.test(content.text)
  }
  return names.some((name) => TELLTALES.has(name))
}

/** Finds what makes a tool result an error, or `null`. JSON text in a text part is looked into. */
export function findResultError(value: unknown): ResultError | null {
  if (typeof value === 'string') return fromText(value, '')
  const parts = readContentParts(value)
  if (parts === null) return isRecord(value) ? fromFields(value, '') : null
  const { texts, hasOtherParts, isError } = parts
  if (isError) {
    const text = texts.map((part) => part.text).join('\n')
    return { path: '/isError', expected: 'false', actual: true, text, toldBy: 'field' }
  }
  const [only, ...others] = texts
  if (hasOtherParts || only === undefined || others.length > 0) return null
  const inner = decodeNested(only.text, 2)
  return isRecord(inner) ? fromFields(inner, only.pointer) : fromText(only.text, only.pointer)
}

function fromText(text: string, path: string): ResultError | null {
  const words = findErrorInText(text)
  if (words === null) return null
  return { path, expected: 'a result', actual: 'an error message', text: words, toldBy: 'wording' }
}

function fromFields(fields: Fields, pointer: string): ResultError | null {
  const found = findStatusNumber(fields) ?? (hasPayload(fields) ? null : findErrorField(fields))
  if (found === null) return fromOnlyField(fields, pointer)
  const { key, expected, actual } = found
  const text = wordsOf(fields[key], fields)
  return { path: `${pointer}/${key}`, expected, actual, text, toldBy: 'field' }
}

/** `{result: 'Error: …'}` is a text in a wrapping. */
function fromOnlyField(fields: Fields, pointer: string): ResultError | null {
  const [entry, ...others] = Object.entries(fields)
  if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') return null
  return PAYLOADS.includes(entry[0]) ? fromText(entry[1], `${pointer}/${entry[0]}`) : null
}

function hasPayload(fields: Fields): boolean {
  return PAYLOADS.some((key) => {
    const value = fields[key]
    return !isEmptyValue(value) && !(typeof value === 'string' && findErrorInText(value) !== null)
  })
}

interface Found {
  readonly key: string
  readonly expected: string
  readonly actual: string | number | boolean
}

function findStatusNumber(fields: Fields): Found | null {
  for (const key of STATUS_NUMBERS) {
    const value = fields[key]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 400 || value > 599) continue
    return { key, expected: 'below 400', actual: value }
  }
  return null
}

function findErrorField(fields: Fields): Found | null {
  for (const key of ERRORS) {
    if (isErrorValue(fields[key])) return { key, expected: 'no error', actual: typeName(fields[key]) }
  }
  if (isErrorList(fields)) return { key: 'errors', expected: 'no errors', actual: typeName(fields['errors']) }
  const flag = OUTCOMES.find((key) => fields[key] === false)
  if (flag !== undefined) return { key: flag, expected: 'true', actual: false }
  return isFailedStatus(fields)
    ? { key: 'status', expected: 'no failure', actual: String(fields['status']) }
    : null
}

/** A number is a measure (a mean error) as often as a code. */
function isErrorValue(value: unknown): boolean {
  if (typeof value === 'number' || value === false || isEmptyValue(value)) return false
  return !(typeof value === 'string' && NO_ERROR.test(value.trim()))
}

/** A list of errors is the proper result of a checker, unless nothing but a description of a failure is beside it. */
function isErrorList(fields: Fields): boolean {
  const { errors } = fields
  if (typeof errors !== 'object' || isEmptyValue(errors)) return false
  return Object.entries(fields).every(([key, value]) => DESCRIPTIONS.has(key) || isEmptyValue(value))
}

/** A record may have a status of its own (a payment that failed), so only a description may be beside this one. */
function isFailedStatus(fields: Fields): boolean {
  const { status } = fields
  if (typeof status !== 'string' || !/^(?:error|failed|failure)$/iu.test(status)) return false
  return Object.keys(fields).every((key) => DESCRIPTIONS.has(key))
}

/** The words of an error: its own text, else the message in it or beside it, else the whole as JSON. */
function wordsOf(error: unknown, fields: Fields): string {
  const first: unknown = Array.isArray(error) ? error[0] : error
  const inner = isRecord(first) ? first : {}
  const { message, error: text, reason, detail, msg } = fields
  const candidates = [inner['message'], inner['error'], message, text, reason, detail, msg]
  const words = [
    typeof first === 'string' && !/^(?:error|failed|failure)$/iu.test(first) ? first : null,
    ...candidates,
  ]
  const found = words.find((word) => typeof word === 'string' && word.trim() !== '')
  return typeof found === 'string' ? found : canonicalJson(isRecord(first) ? first : fields)
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

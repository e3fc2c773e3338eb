import { canonicalJson } from './canonical-json.ts'
import { CAPTURED_KEY } from './captured-content.ts'
import { type Content, CONTENT_LIMIT, decodeNested, NESTING_LIMIT } from './content.ts'
import { sha256Hex } from './digest.ts'
import { fingerprint } from './fingerprint.ts'

/** Digits of a signature: 64 bits are plenty for the calls of one chain. */
const LENGTH = 16

/** How much of each end of a prompt goes into the signature of a model call, in UTF-16 code units: 512. */
const PROMPT_ENDS = 512

/**
 * The signature of a call: a digest of the node's name and its arguments, free of key order and of how often the
 * arguments were encoded. `null` where the arguments were not seen, so that two unseen calls are never equal.
 */
export function toSignature(name: string, input: Content): string | null {
  const { identity } = input
  return identity === null ? null : digest(name, identity)
}

/** The signature of a call that a model asked for; equal to that of its execution. */
export function toRequestSignature(name: string, args: unknown): string | null {
  return args === undefined ? null : digest(name, canonicalJson(decodeNested(args, NESTING_LIMIT)))
}

/**
 * The signature of a model call: a digest of the length and both ends of its recorded prompt. A prompt is long, and
 * what a retry of it must share is only told from what the next turn appends. `null` where no prompt is recorded, or
 * its end is not seen: redacted or cut, the prompts of all turns look alike.
 */
export function toPromptSignature(name: string, input: Content): string | null {
  const text = input.exactText ?? ''
  if (text === '') return null
  return digest(name, `${text.length} ${text.slice(0, PROMPT_ENDS)} ${text.slice(-PROMPT_ENDS)}`)
}

/**
 * What a seen result is compared by; `null` where it was not seen. Taken of the recorded text as it is: results are
 * compared only with other results of the same tool, which one instrumentation wrote in one way. That stays in the
 * process, so a fingerprint will do; what stands on the span for a captured result is a digest.
 */
export function toResultDigest(output: Content): string | null {
  const { exactText } = output
  if (exactText === null) return null
  const sample = toSample(exactText)
  return output.key === CAPTURED_KEY ? sha256Hex(sample).slice(0, LENGTH) : fingerprint(sample)
}

const SAMPLE_ENDS = 16_384
const SAMPLES = 32
const SAMPLE_WIDTH = 512

/**
 * What is digested of a result longer than a check sees, so that a megabyte costs no more than 64 KiB: its length, both
 * ends and 32 windows spread evenly between them. Anything shorter is digested whole: a poll may differ in one digit.
 */
function toSample(text: string): string {
  if (text.length <= CONTENT_LIMIT) return text
  const between = (text.length - 2 * SAMPLE_ENDS) / SAMPLES
  let sample = `${text.length} ${text.slice(0, SAMPLE_ENDS)}`
  for (let n = 0; n < SAMPLES; n++) {
    const at = SAMPLE_ENDS + Math.floor(n * between)
    sample += text.slice(at, at + SAMPLE_WIDTH)
  }
  return sample + text.slice(-SAMPLE_ENDS)
}

function digest(name: string, text: string): string {
  return sha256Hex(`${name}\n${text}`).slice(0, LENGTH)
}

/** Names of arguments that say which thing a call is about, and how others of that kind end. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'key', 'uuid', 'number'])
const IDENTIFIER_ENDS: readonly string[] = ['_id', 'Id', '_no']

/**
 * The retry key of a call: a digest of those arguments that identify what it is about (named `id`, `key`, `uuid`,
 * `number`, or ending in `_id`, `Id`, `_no`; scalars of the first level, or of `kwargs`). `null` where there are none.
 *
 * @param given names of the arguments that identify it instead, whatever they hold
 */
export function toRetryKey(name: string, args: unknown, given: readonly string[] = []): string | null {
  const identifies = (key: string, value: unknown): boolean =>
    given.length > 0 ? given.includes(key) : isIdentifier(key) && isScalar(value)
  const fields = identifying(args, identifies)
  return fields === null ? null : digest(name, canonicalJson(fields))
}

type Identifies = (key: string, value: unknown) => boolean

function identifying(args: unknown, identifies: Identifies): object | null {
  if (!isFields(args)) return null
  return pick(args, identifies) ?? (isFields(args['kwargs']) ? pick(args['kwargs'], identifies) : null)
}

/** The fields that identify a call, all the same object where they all do; `null` where none does. */
function pick(fields: Fields, identifies: Identifies): object | null {
  const keys = Object.keys(fields)
  const picked = keys.filter((key) => identifies(key, fields[key]))
  if (picked.length === 0) return null
  return picked.length === keys.length ? fields : Object.fromEntries(picked.map((key) => [key, fields[key]]))
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isIdentifier(key: string): boolean {
  return IDENTIFIERS.has(key) || IDENTIFIER_ENDS.some((end) => key.endsWith(end))
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

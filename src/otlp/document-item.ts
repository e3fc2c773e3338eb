import { excerpt } from './excerpt.ts'
import type { Rejection } from './rejection-log.ts'

/** What is wrong with a part of an input. Reading goes on behind it. */
export interface InputProblem {
  /** What should stand there. */
  readonly expected: string
  /** What stands there; text of the input is cut to 40 characters. */
  readonly found: string
  /** Whether the input just ends too early, as after a crash or while it is still being written. */
  readonly torn: boolean
}

/** What of a document in protobuf is damaged. */
export interface DocumentDamage {
  readonly rejected: readonly Rejection[]
  /** The trace of each span that is left out, in lower case, as far as it is to be seen. */
  readonly traces: readonly string[]
}

/** One document of an input. */
export interface ReadDocument {
  /** The line on which the document begins, or the record that it is, from 1. */
  readonly line: number
  /** Bytes of the unpacked input up to the document's end, or to the end of its last line. */
  readonly offset: number
  /** What `JSON.parse` made of it, or makes of the JSON form of a protobuf message; any JSON value. */
  readonly value: unknown
  /** What of a protobuf message is damaged; `value` is the rest, with `null` in place of a span that is left out. */
  readonly damage?: DocumentDamage
}

/** A part of an input that is no document. */
export interface UnreadDocument {
  /** The line on which the part begins, or the record that it is, from 1. */
  readonly line: number
  /** Bytes of the unpacked input up to the part's end. */
  readonly offset: number
  readonly problem: InputProblem
}

/** What reading an input yields, in the order of the input. */
export type DocumentItem = ReadDocument | UnreadDocument

// Enough for 41 characters of UTF-8, so that a longer text is seen to be longer.
const EXCERPT_BYTES = 4 * 41

/** Tells of bytes that are not JSON. */
export function notJson(line: number, offset: number, bytes: Buffer, torn: boolean): UnreadDocument {
  const text = bytes.subarray(0, EXCERPT_BYTES).toString('utf8').trim()
  return { line, offset, problem: { expected: 'A JSON document', found: excerpt(text), torn } }
}

/** Tells of a line or document that is longer than allowed. */
export function tooLong(line: number, offset: number, size: number, maxBytes: number): UnreadDocument {
  const expected = `A JSON document of at most ${maxBytes} bytes`
  return { line, offset, problem: { expected, found: `${size} bytes`, torn: false } }
}

import { hash } from 'node:crypto'

/** SHA-256 of a text in UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** A digest in the form in which reports carry it: `sha256:` and 64 hex digits. */
export function labelledDigest(text: string): string {
  return `sha256:${sha256Hex(text)}`
}

import type { PageMark } from '../report-store.ts'

const CURSOR = /^[\w-]{1,200}$/u
const MARK = /^(?<startedMs>-?\d{1,16}(?:\.\d{1,12})?),(?<name>[0-9a-f]{32}-[0-9a-f]{8})$/u

/** Writes where a page ends so that it can stand in an address; nobody but {@link readCursor} is to look into it. */
export function writeCursor({ startedMs, name }: PageMark): string {
  return Buffer.from(`${startedMs},${name}`).toString('base64url')
}

/** @returns `null` where it is none that {@link writeCursor} wrote */
export function readCursor(text: string): PageMark | null {
  if (!CURSOR.test(text)) return null
  const { startedMs = '', name = '' } =
    MARK.exec(Buffer.from(text, 'base64url').toString('latin1'))?.groups ?? {}
  const mark = { startedMs: Number(startedMs), name }
  return name !== '' && writeCursor(mark) === text ? mark : null
}

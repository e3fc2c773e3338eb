import type { PageMark } from '../report-store.ts'
import type { JsonSchema } from './json-schema.ts'
import { readCursor, writeCursor } from './page-cursor.ts'
import { createParameter, type Parameter } from './parameter.ts'

const MOST = 500

/** How many a page has where nothing is asked. */
export const DEFAULT_LIMIT = 50

/** How many a list has at most. */
export const limitParameter: Parameter<number> = createParameter({
  description: 'How many to answer at most',
  schema: { type: 'integer', minimum: 1, maximum: MOST, default: DEFAULT_LIMIT },
  expected: `a whole number from 1 to ${MOST}`,
  read: (text) =>
    /^\d{1,3}$/u.test(text) && Number(text) >= 1 && Number(text) <= MOST ? Number(text) : null,
})

/** The page that is asked for. */
export const pageParameters: {
  readonly limit: Parameter<number>
  readonly cursor: Parameter<PageMark>
} = {
  limit: limitParameter,
  cursor: createParameter({
    description: 'Where the page begins: `next_cursor` of the page before it',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    expected: 'a next_cursor of a page before',
    read: readCursor,
  }),
}

/** What the answers say of the next page. */
export const nextCursorSchema: JsonSchema = {
  description: 'The cursor of the next page; null on the last one',
  type: ['string', 'null'],
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** `null` on the last one. */
  readonly nextCursor: string | null
}

/** Cuts a page of what was read with one more than fits on it. */
export function cutPage<T extends PageMark>(found: readonly T[], limit: number): Page<T> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: found.length <= limit || last === undefined ? null : writeCursor(last) }
}

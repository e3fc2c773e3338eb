import { orderNode, orderPoint, orderStep } from './ordered-shapes.ts'

/**
 * A copy of a value with the keys of all objects in canonical order, which `JSON.stringify` then writes at native speed.
 *
 * @returns `null` where that would not write canonical JSON: some keys have a place of their own in every object, and
 *   some values are not what JSON holds
 */
export function orderKeys(record: Readonly<Record<string, unknown>>): object | null {
  const ordered = orderMembers(record, 0)
  return ordered === UNORDERABLE ? null : (ordered as object)
}

const UNORDERABLE = Symbol('unorderable')

/** Far less than what canonical JSON writes. */
const MAX_DEPTH = 20

function order(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint' || depth > MAX_DEPTH) return UNORDERABLE
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? orderItems(value, depth) : orderMembers(value as Members, depth)
}

type Members = Readonly<Record<string, unknown>>

function orderItems(items: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = []
  for (const item of items) {
    const ordered = order(item, depth + 1)
    if (ordered === UNORDERABLE) return UNORDERABLE
    copy.push(ordered)
  }
  return copy
}

function orderMembers(record: Members, depth: number): unknown {
  const known = orderStep(record) ?? orderPoint(record) ?? orderNode(record)
  if (known !== null) return known
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(record).sort()) {
    const item = order(record[key], depth + 1)
    if (item === UNORDERABLE || isSpecial(key)) return UNORDERABLE
    copy[key] = item
  }
  return copy
}

/** Keys that look like array indices (all that sort up to the digit 9) come first, and two have a meaning of their own. */
function isSpecial(key: string): boolean {
  return key < ':' || key === '__proto__' || key === 'toJSON'
}

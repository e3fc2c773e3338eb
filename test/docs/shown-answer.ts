import { expect } from 'vitest'

/** Numbers that are other ones each time. */
const VOLATILE: ReadonlySet<string> = new Set(['pid', 'driver'])

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u

/**
 * Expects that an answer is what a page shows of it. The page may leave out members and the ends of lists, and cut text
 * with `…`; times need only be times.
 */
export function expectShownJson(shown: unknown, real: unknown, path: string): void {
  if (Array.isArray(shown)) {
    expect(Array.isArray(real), path).toBe(true)
    const items = real as readonly unknown[]
    expect(items.length, `length of ${path}`).toBeGreaterThanOrEqual(shown.length)
    for (const [at, item] of shown.entries()) expectShownJson(item, items[at], `${path}[${at}]`)
  } else if (typeof shown === 'object' && shown !== null) {
    expect(typeof real === 'object' && real !== null, path).toBe(true)
    for (const [key, value] of Object.entries(shown)) {
      expect(Object.keys(real as object), path).toContain(key)
      const found = (real as Readonly<Record<string, unknown>>)[key]
      if (VOLATILE.has(key)) expect(typeof found, `${path}.${key}`).toBe(typeof value)
      else expectShownJson(value, found, `${path}.${key}`)
    }
  } else if (typeof shown === 'string' && TIME.test(shown)) expect(real, path).toMatch(TIME)
  else if (typeof shown === 'string' && shown.endsWith('…')) {
    expect(String(real).startsWith(shown.slice(0, -1)), `${path}: ${String(real)}`).toBe(true)
  } else expect(real, path).toBe(shown)
}

/** Expects that text has the parts between the `…` of a page, in their order. Space at the ends of lines is none. */
export function expectShownText(shown: string, real: string): void {
  const trim = (text: string): string => text.replaceAll(/ +$/gmu, '')
  let rest = trim(real)
  for (const part of trim(shown).trim().split('…')) {
    expect(rest).toContain(part)
    rest = rest.slice(rest.indexOf(part) + part.length)
  }
}

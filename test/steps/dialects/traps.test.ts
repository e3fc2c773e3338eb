import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** What readers of spans fall for, by number; each is a `describe` that says what it is. */
const TRAPS = 24

const folder = new URL('traps/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))

/** The bodies of the traps of a file by number. */
function trapsOf(
  name: string,
): readonly { readonly trap: number; readonly title: string; readonly body: string }[] {
  const text = readFileSync(new URL(name, folder), 'utf8')
  return text.split(/^(?=describe\()/mu).flatMap((body) => {
    const title = /^describe\('trap (\d+): ([^\n]+)', \(\) => \{$/mu.exec(body)
    return title === null ? [] : [{ trap: Number(title[1]), title: title[2] ?? '', body }]
  })
}

const traps = files.toSorted().flatMap(trapsOf)

describe('the traps of the dialects', () => {
  it('are told in order, each once', () => {
    expect(traps.map(({ trap }) => trap)).toEqual(Array.from({ length: TRAPS }, (_, index) => index + 1))
  })

  it.each(traps.map(({ trap, title, body }) => [trap, title, body] as const))(
    'have a test: %i, %s',
    (_trap, title, body) => {
      expect(title.length).toBeGreaterThan(10)
      expect(body).toMatch(/^ {2}it(?:\.each(?:<[^\n]*>)?)?\(/mu)
      expect(body).toMatch(/\bexpect\w*\(/u)
      expect(body).not.toMatch(/\b(?:it|describe)\.(?:skip|todo|only)/u)
    },
  )
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportSchema } from '../report/expect-valid-report.ts'
import { root } from './snippets.ts'

/** The names of all fields of the report, at any depth. */
function fieldNames(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === 'properties' ? [...Object.keys(value as object), ...fieldNames(value)] : fieldNames(value),
  )
}

const page = readFileSync(join(root, 'docs/report-format.md'), 'utf8')
const prose = page.replace(/```[\s\S]*?```/gu, '')
const inCode = new Set([...prose.matchAll(/`([^`]+)`/gu)].map(([, text]) => text))

describe('docs/report-format.md', () => {
  const fields = [...new Set(fieldNames(reportSchema))]

  it('names every field of the schema', () => {
    expect(fields.length).toBeGreaterThan(80)
    expect(fields.filter((name) => !inCode.has(name))).toEqual([])
  })

  it('has no row for a field that the schema does not know', () => {
    const rows = [...page.matchAll(/^\| (?<names>`[^|]*`) \|/gmu)]
      .flatMap(({ groups = {} }) => [...(groups['names'] ?? '').matchAll(/`(\w+)`/gu)])
      .map(([, name = '']) => name)
    const values = new Set(JSON.stringify(reportSchema).match(/\w+/gu))
    expect(rows.filter((name) => !values.has(name))).toEqual([])
  })
})

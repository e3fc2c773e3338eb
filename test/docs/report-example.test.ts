import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestLimits } from '../../src/pipeline/judging-inputs.ts'
import { GENERATOR } from '../../src/pipeline/version.ts'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { digestReport } from '../../src/report/report-digest.ts'
import { expectValidReport } from '../report/expect-valid-report.ts'

const docs = join(import.meta.dirname, '../../docs')
const example = JSON.parse(readFileSync(join(docs, 'report-example.json'), 'utf8')) as ChainReport
const page = readFileSync(join(docs, 'report-format.md'), 'utf8')

describe('the example report of the pages', () => {
  it('fits the schema and its own digest, and was made by this version with these limits', () => {
    expectValidReport(example)
    expect(digestReport(example)).toBe(example.digest)
    expect(example).toMatchObject({ generator: GENERATOR, limits_digest: digestLimits() })
  })

  it('begins on the page as the file does', () => {
    const block =
      /<!-- example: begin -->\s*```json\n([\s\S]*?)```\s*<!-- example: end -->/u.exec(page)?.[1] ?? ''
    expect(example).toMatchObject(JSON.parse(block) as Record<string, unknown>)
  })

  it('tells of the fault that the run had', () => {
    expect(example.root_cause).toMatchObject({ node_name: 'order_query', code: 'schema_violation' })
  })
})

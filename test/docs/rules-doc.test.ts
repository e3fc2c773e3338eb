import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { TraceCollector } from '../../src/pipeline/trace-collector.ts'
import { loadRules } from '../../src/rules/load-rules.ts'
import { rulesShape, type Shape } from '../../src/rules/rules-shape.ts'
import { readSnippets, root } from './snippets.ts'

const page = readFileSync(join(root, 'docs/rules.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'rules-doc-'))
mkdirSync(join(folder, 'schemas'))
writeFileSync(join(folder, 'schemas/order.json'), '{"type":"object"}')
writeFileSync(join(folder, 'schemas/policies.yaml'), 'type: array\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const examples = readSnippets('docs/rules.md')
  .filter(({ language }) => language === 'yaml')
  .map(({ line, text }) => [line, text.includes('version: 1') ? text : `version: 1\n${text}`] as const)

/** The paths of all keys, `*` for names of one's own. Findings and schemas have no keys of this format. */
function pathsOf(shape: Shape, path: string): readonly string[] {
  if (shape.type === 'map') return pathsOf(shape.values, `${path}.*`)
  if (shape.type !== 'object' || path === '.findings') return [path]
  return Object.entries(shape.keys).flatMap(([key, each]) => pathsOf(each, `${path}.${key}`))
}

/** Whether a value has something at a path of {@link pathsOf}. */
function has(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (key === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const entries = Object.entries(value).filter(([name]) => key === '*' || name === key)
  return entries.some(([, item]) => has(item, rest))
}

describe('docs/rules.md', () => {
  it.each(examples)('has rules in line %d that can be used', (_, text) => {
    const path = join(folder, 'agent-reach.yaml')
    writeFileSync(path, text)
    expect(() => new TraceCollector({ rules: loadRules(path) })).not.toThrow()
  })

  it('has every key, with an example', () => {
    const values = examples.map(([, text]) => parse(text) as unknown)
    const missing = pathsOf(rulesShape, '').filter((path) => {
      const keys = path.split('.').slice(1)
      return (
        !values.some((value) => has(value, keys)) || !page.includes(keys.findLast((key) => key !== '*') ?? '')
      )
    })
    expect(missing).toEqual([])
  })

  it('shows an error as it is told', () => {
    const path = join(folder, 'wrong.yaml')
    writeFileSync(path, 'version: 1\nnodes:\n  order_query:\n    timout: 5s\n')
    let message = ''
    try {
      loadRules(path, { name: 'agent-reach.yaml' })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).not.toBe('')
    expect(page).toContain(message)
  })
})

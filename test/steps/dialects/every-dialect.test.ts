import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dialects } from '../../../src/steps/dialects/catalog.ts'

describe('every dialect', () => {
  it.each(dialects.map(({ name }) => name))('has a test that runs the contract of all: %s', (name) => {
    const test = readFileSync(new URL(`${name}.test.ts`, import.meta.url), 'utf8')
    expect(test).toMatch(/^testDialect\(\w+\)$/mu)
  })
})

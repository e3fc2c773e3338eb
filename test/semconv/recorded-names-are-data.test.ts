import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../../src')

/** Names that somebody's conventions may rename: attribute keys and their beginnings. */
const RECORDED_NAME =
  /['"`](?:gen_ai|ai|llm|openinference|traceloop|mastra|langfuse|logfire|lmnr|langsmith|braintrust|microsoft|any_agent|openai_agents|koog|pat|agent_reach)\.[\w.]*/gu

/** Recorded names in the string literals of a source text; its comments may speak of them. */
function findRecordedNames(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//gu, '').replace(/^\s*\/\/.*$/gmu, '')
  return [...code.matchAll(RECORDED_NAME)].map(([name]) => name.slice(1))
}

describe('a rename in the conventions is a change of data', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('semconv'),
  )

  it('for no code outside src/semconv spells a recorded name', () => {
    const found = files.flatMap((name) =>
      findRecordedNames(readFileSync(join(src, name), 'utf8')).map((key) => `${name}: ${key}`),
    )
    expect(found).toEqual([])
  })

  it('and a spelled one would be found', () => {
    expect(findRecordedNames("const KEY = 'gen_ai.tool.name' // 'ai.x'")).toEqual([
      'gen_ai.tool.name',
      'ai.x',
    ])
    expect(findRecordedNames('/** `ai.toolCall` */\nconst a = `llm.tools.${n}`')).toEqual(['llm.tools.'])
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../src/server/api/catalog.ts'
import { createOpenApiDocument } from '../../src/server/api/open-api-document.ts'
import { root } from './snippets.ts'

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
}

const page = readFileSync(join(root, 'docs/api.md'), 'utf8')
const document = createOpenApiDocument(apiRoutes, {}) as {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
}

/** The text under each heading of the third level. */
const sections = new Map(
  page
    .split(/^#{2,3} /mu)
    .slice(1)
    .map((text) => [text.split('\n', 1).join('').replaceAll('`', ''), text] as const),
)

/** The parameters of the rows under a heading, and those of the sections that its text refers to. */
function parametersOf(heading: string): readonly string[] {
  const text = sections.get(heading) ?? ''
  const rows = [...text.matchAll(/^\| `([\w-]+)` \|/gmu)].map(([, name = '']) => name)
  const isShared = heading === 'Filters' || heading === 'Paging'
  const shared = isShared ? [] : [...text.matchAll(/\[(filters|paging)\]\(#\1\)/giu)]
  return [
    ...rows,
    ...shared.flatMap(([, name = '']) =>
      parametersOf(`${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}`),
    ),
  ]
}

describe('docs/api.md', () => {
  const paths = Object.keys(document.paths)

  it('has every route of the OpenAPI document, and no other', () => {
    const told = [...sections.keys()].filter((heading) => heading.startsWith('/'))
    expect(told.toSorted()).toEqual(paths.toSorted())
  })

  it.each(paths)('has the parameters of %s, and no other', (path) => {
    const { parameters = [] } = document.paths[path]?.get ?? {}
    expect(parametersOf(path).toSorted()).toEqual(parameters.map(({ name }) => name).toSorted())
  })

  it.each(paths)('has an example of %s', (path) => {
    const address = path.replaceAll(/\{\w+\}/gu, '[0-9a-f-]+')
    expect(sections.get(path)).toMatch(new RegExp(`^curl .*http://127.0.0.1:4318${address}['? ]?`, 'mu'))
  })
})

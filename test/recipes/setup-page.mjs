import { readFileSync } from 'node:fs'

const page = new URL('../../docs/setup.md', import.meta.url)

/**
 * Reads the programs of the page on set-ups. Each stands under a comment with the path of the file that it is.
 *
 * @returns {{ path: string, text: string }[]} `path` is seen from the repository
 */
export function readSnippets() {
  const text = readFileSync(page, 'utf8')
  const blocks = [...text.matchAll(/(?:<!-- (?<path>\S+) -->\n)?^```\w*\n(?<text>[\s\S]*?)^```$/gmu)]
  return blocks.map(({ groups }) => ({ path: groups.path ?? '', text: groups.text }))
}

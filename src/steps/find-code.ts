/** Fences of code in an answer: those of Markdown, and the tags of agents that write code as their action. */
const FENCED = /```[^\n`]*\n([\s\S]*?)```|<(?:code|execute\w*)>([\s\S]*?)<\/(?:code|execute\w*)>/gu

/** How much of an answer is searched, in UTF-16 code units: 16,384. */
const SEARCHED = 16_384

/** The code in the answer of a model, its blocks joined; `null` where there is none. */
export function findCode(text: string): string | null {
  if (!text.includes('```') && !text.includes('</')) return null
  const blocks: string[] = []
  for (const [, fenced, tagged] of text.slice(0, SEARCHED).matchAll(FENCED))
    blocks.push(fenced ?? tagged ?? '')
  const code = blocks.join('\n')
  return code.trim() === '' ? null : code
}

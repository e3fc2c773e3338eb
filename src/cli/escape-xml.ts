import { neutralizeText } from '../report/neutralize-text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/**
 * Text from spans for the content or an attribute of an XML element, on one line. What XML 1.0 cannot hold, such as
 * control characters, shows as an escape such as `\x1b`.
 */
export function escapeXml(text: string): string {
  return neutralizeText(text)
    .replace(/[\ufffe\uffff]/gu, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"]/gu, (character) => ENTITIES[character] ?? character)
}

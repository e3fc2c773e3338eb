import { isLatin1, layOut, layOutLatin1, MOST_UNITS, partsOf, words } from './text-units.ts'

/**
 * True for a text that JSON writes as it stands, between quotes: without a quote, a backslash, a control character or a
 * surrogate. Takes a tenth of the time that `JSON.stringify` takes.
 *
 * @param text a surrogate is refused whether or not it is one of a pair
 */
export function isPlainJson(text: string): boolean {
  if (text.includes('"') || text.includes('\\')) return false
  if (text.length > MOST_UNITS) return partsOf(text).every(isPlainJson)
  return isLatin1(text) ? isPlainLatin1(text) : isPlainWide(text)
}

// Below the bits of several code units are looked at in one number. To take the least plain unit from each borrows from
// the highest bit where one is less; `& ~word` keeps a unit out whose highest bit was set before.

/** Four code units at a time. */
function isPlainLatin1(text: string): boolean {
  layOutLatin1(text)
  const whole = text.length >> 2
  let less = 0
  for (let at = 0; at < whole; at++) {
    const word = words[at] as number
    less |= (word - 0x20202020) & ~word
  }
  return (less & 0x80808080) === 0 && isPlainFrom(text, whole << 2)
}

/** Two code units at a time. */
function isPlainWide(text: string): boolean {
  layOut(text)
  const whole = text.length >> 1
  let less = 0
  for (let at = 0; at < whole; at++) {
    const word = words[at] as number
    const surrogate = (word & 0xf800f800) ^ 0xd800d800
    less |= ((word - 0x00200020) & ~word) | ((surrogate - 0x00010001) & ~surrogate)
  }
  return (less & 0x80008000) === 0 && isPlainFrom(text, whole << 1)
}

function isPlainFrom(text: string, start: number): boolean {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || (unit & 0xf800) === 0xd800) return false
  }
  return true
}

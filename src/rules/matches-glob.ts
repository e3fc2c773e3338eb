/**
 * True where a glob matches the whole of a text: `*` is any text, `?` one character (a UTF-16 code unit), anything
 * else itself. Takes no longer than the product of both lengths.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let inGlob = 0
  while (at < text.length) {
    const sign = glob[inGlob]
    if (sign === '*') {
      star = inGlob++
      resume = at
    } else if (sign !== undefined && (sign === '?' || sign === text[at])) {
      inGlob++
      at++
    } else if (star >= 0) {
      // The last star takes one character more.
      inGlob = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (glob[inGlob] === '*') inGlob++
  return inGlob === glob.length
}

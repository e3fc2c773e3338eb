/** One event of a stream, or a comment in it. */
export interface ReadEvent {
  readonly id: string | undefined
  readonly type: string | undefined
  readonly data: string | undefined
  readonly comment: string | undefined
}

/**
 * Reads events as a browser does, by the rules of the HTML standard: a line ends with CR, LF or both, a field is what
 * stands before the first colon, an empty line ends the event.
 */
export function readEvents(text: string): readonly ReadEvent[] {
  const blocks = text.split(/(?:\r\n|\r|\n){2}/u).filter((block) => block !== '')
  return blocks.map((block) => {
    const fields = new Map<string, string[]>()
    for (const line of block.split(/\r\n|\r|\n/u)) {
      const colon = line.indexOf(':')
      const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
      fields.set(name, [...(fields.get(name) ?? []), value.replace(/^ /u, '')])
    }
    return {
      id: fields.get('id')?.at(-1),
      type: fields.get('event')?.at(-1),
      data: fields.get('data')?.join('\n'),
      comment: fields.get('')?.join('\n'),
    }
  })
}

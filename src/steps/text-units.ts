/** How many code units are laid out without taking memory for each text. */
const SHARED_LENGTH = 65_536

/** The UTF-16 code units of a text, laid out in memory: to walk over them takes a third of the time it takes to ask for each. */
interface Layout {
  /** One by one, with a 0 behind the last. */
  readonly units: Uint16Array
  /** Two at a time, what the last one lacks filled up by that 0. */
  readonly pairs: Int32Array
  readonly bytes: Buffer
}

const shared = createLayout(SHARED_LENGTH)

const IS_BIG_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0

/**
 * Lays out a text, with at least one 0 behind it.
 *
 * What is returned is lent: the next text is laid out in the same memory.
 */
export function layOut(text: string): Layout {
  const { length } = text
  const layout = length <= SHARED_LENGTH ? shared : createLayout(length)
  layout.bytes.write(text, 0, length * 2, 'utf16le')
  if (IS_BIG_ENDIAN) layout.bytes.subarray(0, length * 2).swap16()
  layout.units[length] = 0
  return layout
}

function createLayout(length: number): Layout {
  const buffer = new ArrayBuffer((length + 2 - (length % 2)) * 2)
  return { units: new Uint16Array(buffer), pairs: new Int32Array(buffer), bytes: Buffer.from(buffer) }
}

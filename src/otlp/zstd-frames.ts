/** Blocks are at most this long when they are unpacked. */
const MAX_BLOCK_BYTES = 128 * 1024
/** What zstd itself unpacks without being told to take more memory. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024

const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50
const MAGIC_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const CHECKSUM_BYTES = 4
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const

const RLE_BLOCK = 1
const COMPRESSED_BLOCK = 2

const FOREIGN = 'something else behind a frame'

type Part = 'magic' | 'skippable size' | 'descriptor' | 'frame header' | 'block header' | 'padding'

/** Whether bytes begin as Zstandard does: with a frame, or with one that is to be skipped. */
export function isZstandard(bytes: Buffer): boolean {
  if (bytes.length < MAGIC_BYTES) return false
  const magic = bytes.readUInt32LE(0)
  return magic === MAGIC || isSkippable(magic)
}

/**
 * Follows the frames and blocks of Zstandard data without unpacking them, so that it is known before how much memory
 * they will take, where they are complete, and where something else begins.
 */
export class ZstdFrames {
  /** What no decoder here may be given; `undefined` while all is well. */
  fault: string | undefined
  #part: Part = 'magic'
  readonly #header: Buffer = Buffer.alloc(14)
  #filled = 0
  #wanted = MAGIC_BYTES
  /** Bytes of content to pass. */
  #left = 0
  #descriptor = 0
  #maxBlockBytes = MAX_BLOCK_BYTES

  /** Whether the bytes so far end where a frame ends, or in zeros behind one. */
  get isComplete(): boolean {
    return this.isPadding || (this.#part === 'magic' && this.#filled === 0 && this.#left === 0)
  }

  /** Whether zeros have begun behind a frame, as tools write them to fill a block of a medium. */
  get isPadding(): boolean {
    return this.#part === 'padding'
  }

  /**
   * Goes on through the data, past at most `maxBlocks` blocks of up to 128 KiB each when unpacked. It stops before a
   * fault, and before padding.
   *
   * @param bytes - The bytes that continue those of the call before.
   * @param start - Where in them to go on.
   * @param maxBlocks - How many blocks are passed at most.
   * @returns Where in `bytes` it has stopped; what is before it can be unpacked.
   */
  pass(bytes: Buffer, start: number, maxBlocks: number = Number.POSITIVE_INFINITY): number {
    let blocks = 0
    for (let at = start; at < bytes.length;) {
      if (this.#left > 0) {
        const count = Math.min(this.#left, bytes.length - at)
        this.#left -= count
        at += count
      } else {
        if (this.#filled === 0) this.#look(bytes.readUInt8(at))
        if (this.#part === 'block header' && this.#filled === 0 && ++blocks > maxBlocks) return at
        if (this.fault !== undefined || this.isPadding) return at
        const from = at
        at += bytes.copy(this.#header, this.#filled, at, at + this.#wanted - this.#filled)
        this.#filled += at - from
        if (this.#filled === this.#wanted) this.#advance()
        if (this.fault !== undefined) return from
      }
    }
    return bytes.length
  }

  #expect(part: Part, bytes: number): void {
    this.#part = part
    this.#wanted = bytes
    this.#filled = 0
  }

  /** What is no frame is known by its first byte, so that nothing of it is unpacked. */
  #look(byte: number): void {
    if (this.#part !== 'magic') return
    if (byte === 0) this.#part = 'padding'
    else if (byte !== (MAGIC & 0xff) && byte >> 4 !== (SKIPPABLE_MAGIC & 0xff) >> 4) this.fault = FOREIGN
  }

  #advance(): void {
    if (this.#part === 'magic') this.#readMagic(this.#header.readUInt32LE(0))
    else if (this.#part === 'skippable size') {
      this.#left = this.#header.readUInt32LE(0)
      this.#expect('magic', MAGIC_BYTES)
    } else if (this.#part === 'descriptor') this.#readDescriptor(this.#header.readUInt8(0))
    else if (this.#part === 'frame header') this.#readFrameHeader()
    else this.#readBlockHeader(this.#header.readUIntLE(0, BLOCK_HEADER_BYTES))
  }

  #readMagic(magic: number): void {
    if (magic === MAGIC) this.#expect('descriptor', 1)
    else if (isSkippable(magic)) this.#expect('skippable size', 4)
    else this.fault = FOREIGN
  }

  #readDescriptor(descriptor: number): void {
    if ((descriptor & 0x08) !== 0) this.fault = 'a frame of a later version'
    this.#descriptor = descriptor
    const { window, dictionary, contentSize } = sizesOf(descriptor)
    this.#expect('frame header', window + dictionary + contentSize)
  }

  #readFrameHeader(): void {
    const { window, dictionary, contentSize } = sizesOf(this.#descriptor)
    const size = window === 0 ? this.#readContentSize(dictionary, contentSize) : this.#readWindow()
    if (size > MAX_WINDOW_BYTES) this.fault = `a window of ${size} bytes`
    else if (dictionary > 0 && this.#header.readUIntLE(window, dictionary) !== 0) this.fault = 'a dictionary'
    this.#maxBlockBytes = Math.min(size, MAX_BLOCK_BYTES)
    this.#expect('block header', BLOCK_HEADER_BYTES)
  }

  #readWindow(): number {
    const byte = this.#header.readUInt8(0)
    const base = 2 ** (10 + (byte >> 3))
    return base + (base / 8) * (byte & 7)
  }

  #readContentSize(at: number, bytes: number): number {
    if (bytes === 8) return Number(this.#header.readBigUInt64LE(at))
    // The smallest size that two bytes are needed for counts as 0 in them.
    return this.#header.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0)
  }

  #readBlockHeader(header: number): void {
    const isLast = (header & 1) === 1
    const type = (header >> 1) & 3
    const size = header >> 3
    if (type > COMPRESSED_BLOCK) this.fault = 'a block of an unknown kind'
    else if (size > this.#maxBlockBytes) this.fault = `a block of ${size} bytes`
    this.#left = type === RLE_BLOCK ? 1 : size
    if (!isLast) this.#expect('block header', BLOCK_HEADER_BYTES)
    else {
      if ((this.#descriptor & 0x04) !== 0) this.#left += CHECKSUM_BYTES
      this.#expect('magic', MAGIC_BYTES)
    }
  }
}

function isSkippable(magic: number): boolean {
  return magic >>> 4 === SKIPPABLE_MAGIC >>> 4
}

/** How many bytes each part of a frame's header has. */
function sizesOf(descriptor: number): { window: number; dictionary: number; contentSize: number } {
  const isSingleSegment = (descriptor & 0x20) !== 0
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] ?? 0
  return {
    window: isSingleSegment ? 0 : 1,
    dictionary: DICTIONARY_ID_BYTES[descriptor & 3] ?? 0,
    contentSize: isSingleSegment && contentSize === 0 ? 1 : contentSize,
  }
}

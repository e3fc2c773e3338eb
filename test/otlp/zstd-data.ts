import { Zstd } from '@hpcc-js/wasm-zstd'

const compressor = await Zstd.load()

/** Bytes in one Zstandard frame of raw blocks: what no compressor is needed for. Its end has no checksum. */
export function toRawZstd(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array)
  const blocks: Buffer[] = []
  for (let start = 0; start < bytes.length || blocks.length === 0; start += MAX_BLOCK_BYTES) {
    const block = bytes.subarray(start, start + MAX_BLOCK_BYTES)
    const isLast = start + MAX_BLOCK_BYTES >= bytes.length
    blocks.push(blockHeader(0, block.length, isLast), block)
  }
  return Buffer.concat([frameHeader(), ...blocks])
}

/** A frame that becomes `blocks` times 128 KiB of spaces from four bytes each, and a line feed at the end of each. */
export function createZstdBomb(blocks: number): Buffer {
  const spaces = Buffer.concat([blockHeader(1, MAX_BLOCK_BYTES - 1, false), Buffer.from(' ')])
  const lineFeed = Buffer.concat([blockHeader(1, 1, false), Buffer.from('\n')])
  const line = Buffer.concat([spaces, lineFeed])
  const end = blockHeader(0, 0, true)
  return Buffer.concat([frameHeader(), ...Array.from({ length: blocks }, () => line), end])
}

/** A frame whose header asks for a window of `2 ** log` bytes, with one byte of content. */
export function createWideZstd(log: number): Buffer {
  return Buffer.concat([frameHeader(log), blockHeader(1, 1, true), Buffer.from('x')])
}

/** A frame with a block of matches that go far beyond its end, of 128 KiB packed; a careless decoder copies them all. */
export function createSlowZstd(): Buffer {
  const sequences = 65_000
  // No literals, then the number of sequences, and each a match of the longest code (52) at the last place.
  const count = sequences - 0x7f00
  const head = Buffer.from([0, 255, count & 0xff, count >> 8, 0x54, 0, 0, 52])
  const block = Buffer.concat([head, Buffer.alloc(2 * sequences, 0xff), Buffer.from([1])])
  return Buffer.concat([frameHeader(), blockHeader(2, block.length, true), block])
}

/** Bytes as the zstd library packs them, in one frame that tells how long they are. */
export function toZstd(content: string | Uint8Array, level = 3): Buffer {
  return Buffer.from(compressor.compress(Buffer.from(content as Uint8Array), level))
}

/** The same piece by piece, so that the frame does not tell how long they are. */
export function toStreamedZstd(pieces: readonly (string | Uint8Array)[], level = 3): Buffer {
  compressor.reset()
  compressor.setCompressionLevel(level)
  const packed = pieces.map((piece) =>
    Buffer.from(compressor.compressChunk(Buffer.from(piece as Uint8Array))),
  )
  return Buffer.concat([...packed, compressor.compressEnd()])
}

const MAX_BLOCK_BYTES = 128 * 1024

function frameHeader(windowLog = 17): Buffer {
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3])
}

function blockHeader(type: 0 | 1 | 2, size: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3)
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3)
  return header
}

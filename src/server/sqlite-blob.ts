import * as zlib from 'node:zlib'
import { unpackZstd } from '../otlp/unpack-zstd.ts'
import { StoreError } from './report-store.ts'

/** What newer versions of Node have for Zstandard, from 22.15 on. */
interface NativeZstd {
  zstdCompressSync?(bytes: Uint8Array, options: object): Buffer
}

/** `ZSTD_c_compressionLevel`. */
const ZSTD_LEVEL = 100

/** How bytes are kept; the number is the first byte of each blob. */
const codecs = { plain: 0, gzip: 1, zstd: 2 } as const

const HEADER_BYTES = 5
const SMALL_BYTES = 32 * 1024
const MAX_SCRATCH_BYTES = 1024 * 1024
const MAX_REPORT_BYTES = 1024 * 1024 * 1024

/** Keeps bytes as they are, behind a checksum. */
export function sealBytes(bytes: Uint8Array): Buffer {
  return seal(codecs.plain, bytes)
}

/**
 * The same in memory that is used again: the blob is good until the next one is made with it.
 *
 * @param scratch grows to what is needed, but not beyond a limit: larger blobs are made in memory of their own
 */
export function sealBytesIn(scratch: { buffer: Buffer }, bytes: Uint8Array): Buffer {
  const size = HEADER_BYTES + bytes.length
  if (bytes.length > MAX_SCRATCH_BYTES) return sealBytes(bytes)
  if (scratch.buffer.length < size)
    scratch.buffer = Buffer.allocUnsafeSlow(Math.min(size * 2, HEADER_BYTES + MAX_SCRATCH_BYTES))
  return fill(scratch.buffer.subarray(0, size), codecs.plain, bytes)
}

/** Keeps a text compressed, behind a checksum: by Zstandard where Node has it, else by gzip. */
export function sealText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const zstd = { chunkSize: chunkFor(bytes.length), params: { [ZSTD_LEVEL]: 1 } }
  const packed = (zlib as NativeZstd).zstdCompressSync?.(bytes, zstd)
  return packed === undefined
    ? seal(codecs.gzip, zlib.gzipSync(bytes, gzipFor(bytes.length)))
    : seal(codecs.zstd, packed)
}

/**
 * The bytes of a blob, whichever Node has written it.
 *
 * @param place what it is, for the error
 * @throws {StoreError} `corrupt`, where they are not those that were kept
 */
export function unsealBytes(blob: Uint8Array, place: string): Buffer {
  const sealed = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength)
  if (sealed.length < HEADER_BYTES) throw damaged(place, 'no blob of a store')
  const packed = sealed.subarray(HEADER_BYTES)
  if (zlib.crc32(packed) !== sealed.readUInt32LE(1))
    throw damaged(place, 'bytes that do not fit their checksum')
  const codec = sealed.readUInt8(0)
  if (codec === codecs.plain) return packed
  if (codec === codecs.gzip) return zlib.gunzipSync(packed, { maxOutputLength: MAX_REPORT_BYTES })
  const bytes = codec === codecs.zstd ? unpackZstd(packed, MAX_REPORT_BYTES) : undefined
  if (!Buffer.isBuffer(bytes)) throw damaged(place, bytes?.found ?? `a packing ${codec} that is not known`)
  return bytes
}

function seal(codec: number, bytes: Uint8Array): Buffer {
  return fill(Buffer.allocUnsafe(HEADER_BYTES + bytes.length), codec, bytes)
}

function fill(sealed: Buffer, codec: number, bytes: Uint8Array): Buffer {
  sealed.writeUInt8(codec, 0)
  sealed.writeUInt32LE(zlib.crc32(bytes), 1)
  sealed.set(bytes, HEADER_BYTES)
  return sealed
}

/** To make ready a window of 32 KiB takes as long as to pack a usual report. */
function gzipFor(size: number): zlib.ZlibOptions {
  const window = size > SMALL_BYTES ? {} : { windowBits: 13, memLevel: 7 }
  return { level: 1, chunkSize: chunkFor(size), ...window }
}

/** One piece of output that is large enough takes half the time of several. */
function chunkFor(size: number): number {
  return Math.min(Math.max(1024, size >> 1), 1024 * 1024)
}

function damaged(place: string, found: string): StoreError {
  return new StoreError('corrupt', `Cannot read ${place}: expected what was stored, found ${found}`)
}

/**
 * Unpacks gzip and Zstandard as far as the data is intact: if a log is still being written, or was cut off by a crash,
 * everything before the damage is used.
 *
 * Node's streams alone cannot do that. A stream that fails discards output that has not been read yet, so it is given
 * small pieces and drained after each. Node's Zstandard (22 and 24) accepts a truncated frame as complete, and drops
 * every frame after the first, so frames are separated here, by their headers (RFC 8878, 3.1).
 */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

export interface Packing {
  /** The first bytes; empty for a form that has no such mark. */
  readonly magic: readonly number[]
  /** Yields what could be unpacked, and returns whether the data was intact. */
  readonly unpack: (packed: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, boolean>
}

/** Size of the output chunks. Node's default of 16 KB makes too many. */
const unpackedSize = 1 << 18

/** Size of the input pieces: where the data is damaged, the output of one piece is lost. */
const pieceSize = 1 << 15

/** Node has Zstandard from 22.15 and 23.8 on; before, `fzstd` unpacks it. The type definitions are those of Node 20. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: { chunkSize: number }) => Transform }

const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]

export const deflate: Packing = {
  magic: [],
  unpack: (packed) => through(zlib.createInflateRaw({ chunkSize: unpackedSize }), packed),
}

export const packings: readonly Packing[] = [
  {
    magic: [0x1f, 0x8b],
    unpack: (packed) => through(zlib.createGunzip({ chunkSize: unpackedSize }), packed),
  },
  {
    magic: zstdMagic,
    unpack: (packed) =>
      frames(packed, (frame) =>
        createZstdDecompress ? through(createZstdDecompress({ chunkSize: unpackedSize }), frame) : withFzstd(frame),
      ),
  },
]

async function* through(unpacker: Transform, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, boolean> {
  let failed = false
  let wake = () => {}
  unpacker.on('error', () => {
    failed = true
    wake()
  })
  unpacker.on('readable', () => wake())
  unpacker.on('end', () => wake())
  /** Yields the stream's output until `isDone` or an error. */
  async function* drain(isDone: () => boolean): AsyncGenerator<Buffer> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      for (let chunk = unpacker.read(); chunk !== null; chunk = unpacker.read()) yield chunk
      if (failed || isDone()) return
      await woken
    }
  }
  try {
    for await (const piece of piecesOf(packed)) {
      let written = false
      unpacker.write(piece, () => {
        written = true
        wake()
      })
      yield* drain(() => written)
      if (failed) return false
    }
    unpacker.end()
    yield* drain(() => unpacker.readableEnded)
    return !failed
  } finally {
    unpacker.destroy()
  }
}

/**
 * Pieces of one size, so that damage loses the same output however the chunks were cut. A piece is valid until the next
 * is requested.
 */
async function* piecesOf(chunks: AsyncIterable<Buffer>, size = pieceSize): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(size)
  let length = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(piece, length, at)
      at += copied
      length += copied
      if (length < size) continue
      yield piece
      length = 0
    }
  }
  if (length > 0) yield piece.subarray(0, length)
}

/** In bytes. Four packed bytes may become a block of 128 KB, and all blocks of a piece are held in memory. */
const fzstdPieceSize = 1 << 10

/** One frame. */
async function* withFzstd(frame: AsyncIterable<Buffer>): AsyncGenerator<Buffer, boolean> {
  const { Decompress } = await import('fzstd')
  let blocks: Buffer[] = []
  const unpacker = new Decompress((block) => {
    blocks.push(Buffer.from(block.buffer, block.byteOffset, block.byteLength))
  })
  const push = (piece: Uint8Array, isLast: boolean): boolean => {
    blocks = []
    try {
      unpacker.push(piece, isLast)
      return true
    } catch {
      return false
    }
  }
  for await (const piece of piecesOf(frame, fzstdPieceSize)) {
    // A copy: it keeps what it cannot unpack yet.
    const isIntact = push(Uint8Array.from(piece), false)
    yield* blocks
    if (!isIntact) return false
  }
  const isIntact = push(new Uint8Array(0), true)
  yield* blocks
  return isIntact
}

/** Unpacks the Zstandard frames one by one, each by itself. */
async function* frames(
  packed: AsyncIterable<Buffer>,
  unpackFrame: (frame: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, boolean>,
): AsyncGenerator<Buffer, boolean> {
  const bytes = new Bytes(packed)
  try {
    for (let magic = await bytes.peek(4); magic.length > 0; magic = await bytes.peek(4)) {
      if (isSkippable(magic)) {
        const head = await bytes.peek(8)
        if (head.length < 8) return false
        if (!(await exhaust(bytes.take(8 + head.readUInt32LE(4))))) return false
        continue
      }
      if (!zstdMagic.every((byte, at) => magic[at] === byte)) return false
      let isWhole = false
      async function* frame(): AsyncGenerator<Buffer> {
        isWhole = yield* frameOf(bytes)
      }
      if (!(yield* unpackFrame(frame())) || !isWhole) return false
    }
    return true
  } finally {
    await bytes.close()
  }
}

async function exhaust(part: AsyncGenerator<Buffer, boolean>): Promise<boolean> {
  for (;;) {
    const { done, value } = await part.next()
    if (done) return value
  }
}

function isSkippable(magic: Buffer): boolean {
  return magic.length === 4 && magic.readUInt32LE() >>> 4 === 0x184d2a5
}

const rleBlock = 1

/** Yields the bytes of the frame that begins here, and returns whether it is complete. */
async function* frameOf(bytes: Bytes): AsyncGenerator<Buffer, boolean> {
  const [descriptor] = (await bytes.peek(5)).subarray(4)
  if (descriptor === undefined) return false
  const isSingle = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number
  if (!(yield* bytes.take(5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes))) return false
  for (let isLast = false; !isLast; ) {
    const head = await bytes.peek(3)
    if (head.length < 3) {
      yield* bytes.take(3)
      return false
    }
    const block = head.readUIntLE(0, 3)
    isLast = (block & 1) === 1
    const type = (block >> 1) & 3
    if (type > 2) {
      // A reserved type: the unpacker refuses it, and the end of the frame cannot be found.
      yield* bytes.take(3)
      return false
    }
    if (!(yield* bytes.take(3 + (type === rleBlock ? 1 : block >> 3)))) return false
  }
  return (descriptor & 4) === 0 || (yield* bytes.take(4))
}

/** A stream of bytes with look-ahead. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #ahead: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next `size` bytes without taking them; fewer only at the end of the stream. */
  async peek(size: number): Promise<Buffer> {
    while (this.#ahead.length < size) {
      const { done, value } = await this.#chunks.next()
      if (done) break
      // A copy: the source may overwrite its chunk when it is asked for the next.
      this.#ahead = Buffer.concat([this.#ahead, value])
    }
    return this.#ahead.subarray(0, size)
  }

  /** Yields the next `size` bytes, and returns whether there were that many. */
  async *take(size: number): AsyncGenerator<Buffer, boolean> {
    for (let left = size; left > 0; ) {
      if ((await this.peek(1)).length === 0) return false
      const part = this.#ahead.subarray(0, left)
      this.#ahead = this.#ahead.subarray(part.length)
      left -= part.length
      yield part
    }
    return true
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

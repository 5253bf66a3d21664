/**
 * Unpacks gzip and Zstandard as far as the data is intact: of a log that is still being written, or was cut off by a crash,
 * everything before the tear is used.
 *
 * Node's streams are not enough. A stream that fails discards what it has unpacked and nobody has read yet, so it gets small
 * pieces and is drained after each. Node's Zstandard (22 and 24) accepts a truncated frame as complete, and drops every
 * frame after the first. So frames are separated here, by their headers (RFC 8878, 3.1).
 */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

export interface Packing {
  readonly magic: readonly number[]
  /** Yields what could be unpacked; undefined where this version of Node cannot. @returns whether the data was whole */
  readonly unpack: ((packed: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, boolean>) | undefined
}

/** The default is 16 KB: too many small chunks. */
const unpackedSize = 1 << 18

/** Where the data is damaged, what a piece would have given is lost with it. */
const pieceSize = 1 << 15

/** Node has Zstandard from 22.15 and 23.8 on; the type definitions are those of Node 20. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: { chunkSize: number }) => Transform }

const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]

export const packings: readonly Packing[] = [
  {
    magic: [0x1f, 0x8b],
    unpack: (packed) => through(zlib.createGunzip({ chunkSize: unpackedSize }), packed),
  },
  {
    magic: zstdMagic,
    unpack:
      createZstdDecompress && ((packed) => frames(packed, () => createZstdDecompress({ chunkSize: unpackedSize }))),
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
  /** What the stream gives until `isDone`. */
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

/** Always cut at the same places, so that damage costs the same however the bytes arrive. Each is good until the next. */
async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(pieceSize)
  let length = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(piece, length, at)
      at += copied
      length += copied
      if (length < pieceSize) continue
      yield piece
      length = 0
    }
  }
  if (length > 0) yield piece.subarray(0, length)
}

/** One frame after the other, each through an unpacker of its own. */
async function* frames(packed: AsyncIterable<Buffer>, unpacker: () => Transform): AsyncGenerator<Buffer, boolean> {
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
      if (!(yield* through(unpacker(), frame())) || !isWhole) return false
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

/** The bytes of the frame that begins here. @returns whether it is all there */
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
      // Reserved: the unpacker refuses it, and where the frame ends nobody can tell.
      yield* bytes.take(3)
      return false
    }
    if (!(yield* bytes.take(3 + (type === rleBlock ? 1 : block >> 3)))) return false
  }
  return (descriptor & 4) === 0 || (yield* bytes.take(4))
}

/** A stream of bytes of which some are looked at before they are taken. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #ahead: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** So many bytes, fewer only at the end. */
  async peek(size: number): Promise<Buffer> {
    while (this.#ahead.length < size) {
      const { done, value } = await this.#chunks.next()
      if (done) break
      // A copy: the source may overwrite its chunk when it is asked for the next.
      this.#ahead = Buffer.concat([this.#ahead, value])
    }
    return this.#ahead.subarray(0, size)
  }

  /** @returns whether there were so many */
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

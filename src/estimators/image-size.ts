/**
 * The width and height of an image in base64, read from its first bytes: providers count pixels, which the number of bytes
 * does not tell. Providers accept PNG, JPEG, GIF and WebP.
 */

export interface Size {
  readonly width: number
  readonly height: number
}

/** Enough to find the size of a JPEG, which may come after metadata and a preview. */
const headBytes = 256 * 1024

/** @returns null if it is not such an image, or a damaged one */
export function imageSize(base64: string): Size | null {
  const short = read(Buffer.from(base64.slice(0, 64), 'base64'))
  if (short !== 'more') return short
  const long = read(Buffer.from(base64.slice(0, Math.ceil(headBytes / 3) * 4), 'base64'))
  return long === 'more' ? null : long
}

/** `more`: a JPEG whose size comes later. */
function read(head: Buffer): Size | null | 'more' {
  if (head.length < 24) return null
  if (head.readUInt32BE(0) === 0x89504e47) return sized(head.readUInt32BE(16), head.readUInt32BE(20))
  if (head.toString('latin1', 0, 4) === 'GIF8') return sized(head.readUInt16LE(6), head.readUInt16LE(8))
  if (head.readUInt16BE(0) === 0xffd8) return readJpeg(head)
  const isWebP = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
  return isWebP && head.length >= 30 ? readWebP(head) : null
}

function sized(width: number, height: number): Size | null {
  return width > 0 && height > 0 ? { width, height } : null
}

/** Walks the segments to the first start-of-frame (ITU T.81, B.1.1.3). */
function readJpeg(head: Buffer): Size | null | 'more' {
  let at = 2
  while (at + 9 <= head.length) {
    if (head[at] !== 0xff) return null
    const marker = head[at + 1]!
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return sized(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5))
    const length = head.readUInt16BE(at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return 'more'
}

/** The three kinds of WebP: extended, lossless, lossy (RFC 9649). */
function readWebP(head: Buffer): Size | null {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 'VP8 ':
      return sized(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff)
    default:
      return null
  }
}

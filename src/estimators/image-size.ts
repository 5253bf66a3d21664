/**
 * The width and height of an image in base64, read from its first bytes: providers count pixels, which the number of bytes
 * does not tell. Providers accept PNG, JPEG, GIF and WebP.
 */

import { fromBase64 } from '../base/bytes.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Enough to find the size of a JPEG, which may come after metadata and a preview. */
const headBytes = 256 * 1024

/** @returns null if it is not such an image, or a damaged one */
export function imageSize(base64: string): Size | null {
  const short = read(viewOf(base64.slice(0, 64)))
  if (short !== 'more') return short
  const long = read(viewOf(base64.slice(0, Math.ceil(headBytes / 3) * 4)))
  return long === 'more' ? null : long
}

function viewOf(base64: string): DataView {
  const { buffer, byteOffset, byteLength } = fromBase64(base64)
  return new DataView(buffer, byteOffset, byteLength)
}

/** `more`: a JPEG whose size comes later. */
function read(head: DataView): Size | null | 'more' {
  if (head.byteLength < 24) return null
  if (head.getUint32(0) === 0x89504e47) return sized(head.getUint32(16), head.getUint32(20))
  if (wordAt(head, 0) === 'GIF8') return sized(head.getUint16(6, true), head.getUint16(8, true))
  if (head.getUint16(0) === 0xffd8) return readJpeg(head)
  const isWebP = wordAt(head, 0) === 'RIFF' && wordAt(head, 8) === 'WEBP'
  return isWebP && head.byteLength >= 30 ? readWebP(head) : null
}

/** Four characters. */
function wordAt(head: DataView, at: number): string {
  return [0, 1, 2, 3].map((more) => String.fromCharCode(head.getUint8(at + more))).join('')
}

function sized(width: number, height: number): Size | null {
  return width > 0 && height > 0 ? { width, height } : null
}

/** Walks the segments to the first start-of-frame (ITU T.81, B.1.1.3). */
function readJpeg(head: DataView): Size | null | 'more' {
  let at = 2
  while (at + 9 <= head.byteLength) {
    if (head.getUint8(at) !== 0xff) return null
    const marker = head.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return sized(head.getUint16(at + 7), head.getUint16(at + 5))
    const length = head.getUint16(at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return 'more'
}

/** The three kinds of WebP: extended, lossless, lossy (RFC 9649). */
function readWebP(head: DataView): Size | null {
  switch (wordAt(head, 12)) {
    case 'VP8X':
      return { width: 1 + (head.getUint32(24, true) & 0xffffff), height: 1 + (head.getUint32(26, true) >>> 8) }
    case 'VP8L': {
      const bits = head.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 'VP8 ':
      return sized(head.getUint16(26, true) & 0x3fff, head.getUint16(28, true) & 0x3fff)
    default:
      return null
  }
}

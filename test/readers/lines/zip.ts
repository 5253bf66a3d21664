/** Makes ZIP archives, honest and other ones. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface Packed {
  readonly name: string
  readonly bytes: Uint8Array
  /** Default: 8, for which the bytes are deflated here; all others are written as they are. */
  readonly method?: number
  readonly encrypted?: boolean
  /** Default: that of the bytes. */
  readonly checksum?: number
  /** Made on Unix, with this kind and these rights. */
  readonly mode?: number
  /** Where its bytes stand, instead of their own place. */
  readonly at?: number
}

const unix = 3

export function zip(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let size = 0
  for (const { name, bytes, method = 8, encrypted = false, checksum, mode = 0, at } of files) {
    const packed = method === 8 ? deflateRawSync(bytes) : Buffer.from(bytes)
    const named = Buffer.from(name)
    // Version, flags, method, time, date, checksum, packed and unpacked size, lengths of the name and of the rest.
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 2)
    about.writeUInt16LE(method, 4)
    about.writeUInt32LE(checksum ?? crc32(bytes), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(bytes.length, 18)
    about.writeUInt16LE(named.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt16LE(mode, 8)
    place.writeUInt32LE(at ?? size, 10)
    const madeBy = Buffer.from([20, mode === 0 ? 0 : unix])
    directory.push(Buffer.from('PK\x01\x02'), madeBy, about, place, named)
    const whole = Buffer.concat([Buffer.from('PK\x03\x04'), about, named, packed])
    parts.push(whole)
    size += whole.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  )
  end.writeUInt32LE(size, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end])
}

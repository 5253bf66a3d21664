/**
 * Where readings of growing files stopped, on disk, for the next process: among the entries of the trace cache, which limits
 * and clears them with its own. They are told from those by their first bytes, and from torn ones by their sum.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Stops } from '../app/follow.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { readOwn } from './directory.ts'
import { sumOf, writeWhole } from './store.ts'

const magic = Buffer.from('ctxwin stop 1\n')
const sumLength = 4

/**
 * @param build another word for each build of ctxwin, and for each engine that it runs on
 * @param makeRoom for a file of so many bytes; false where there is none
 */
export function openStops(
  directory: string,
  build: string,
  makeRoom: (file: string, size: number) => boolean = () => true,
): Stops {
  const fileOf = (path: string, way: string): string => {
    const name = fingerprint([JSON.stringify(['stop', path, way, build])])
    return join(directory, name.toString(16).padStart(14, '0'))
  }
  return {
    find(path, way) {
      try {
        const { bytes } = readOwn(fileOf(path, way))
        const stop = bytes.subarray(magic.length + sumLength)
        const isWhole =
          bytes.subarray(0, magic.length).equals(magic) && bytes.readUInt32LE(magic.length) === crc32(stop)
        return isWhole ? stop : null
      } catch {
        return null
      }
    },
    keep(path, way, stop) {
      const file = fileOf(path, way)
      if (!makeRoom(file, magic.length + sumLength + stop.length)) return
      const draft = join(directory, `${Math.random().toString(36).slice(2)}.draft`)
      try {
        writeWhole(file, draft, [magic, sumOf(stop), stop])
      } catch {
        // A full disk, a home that may not be written to: the next process reads the whole file.
      }
    },
  }
}

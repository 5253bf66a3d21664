/**
 * The transcripts in a ZIP archive, each a source of its own that is unpacked only while it is read: memory is that of the
 * archive's directory. Archives in archives are not opened.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Entry, getFileNameLowLevel, openPromise } from 'yauzl'
import { CtxwinError } from '../../base/errors.ts'
import { blocksOf, type Source } from './source.ts'

/** Between the name of an archive and that of a file in it. */
export const inArchive = '!/'

/** No export has so many files; a directory can be made to name any number of them. */
const mostEntries = 100_000

/** The methods that are read, and whether their bytes have to be inflated: those of Zstandard say what they are. */
const inflated: ReadonlyMap<number, boolean> = new Map([
  [0, false],
  [8, true],
  [93, false],
])

/** Whether the file begins like a ZIP archive. False for what is no plain file, or cannot be read. */
export function isArchive(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false
    const file = openSync(path, 'r')
    try {
      const magic = Buffer.alloc(4)
      readSync(file, magic)
      return magic.equals(firstEntry) || magic.equals(noEntry)
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

const firstEntry = Buffer.from('PK\x03\x04')
const noEntry = Buffer.from('PK\x05\x06')

interface ArchiveOptions {
  /** The archive's name in messages; default: its path. */
  readonly name?: string
  /** Whether to read the file with this name in the archive; default: every file. */
  readonly wanted?: (name: string) => boolean
}

/**
 * The files in an archive, sorted by name, each once: of two with one name the later one counts. Their names are
 * `archive.zip!/name/in/it`. Of an evaluation log of Inspect only the samples: all else there is about them.
 * @throws CtxwinError `damaged` if the archive's directory is; `unreadable` if a wanted file is encrypted, packed by an
 *   unknown method or shares its bytes with another, as in an archive that is made to unpack to any size; an error of the
 *   system
 */
export async function openArchive(path: string, options: ArchiveOptions = {}): Promise<Source[]> {
  const { name: archive = path, wanted = () => true } = options
  const entries = await directoryOf(path, archive)
  const isInspect = [...entries.keys()].some(isSample) && (entries.has('header.json') || entries.has(journal))
  const names = [...entries.keys()].filter((name) => (isInspect ? isSample(name) : isContent(name)) && wanted(name))
  const members = new Map(names.sort().map((name) => [name, entries.get(name) as Entry]))
  refuseUnreadable(archive, [...members.values()])
  return [...members].map(([name, entry]) => memberOf(path, `${archive}${inArchive}${name}`, entry))
}

const journal = '_journal/start.json'

function isSample(name: string): boolean {
  return name.startsWith('samples/')
}

/** macOS keeps attributes of each file under its name in a directory of their own. */
function isContent(name: string): boolean {
  return !name.endsWith('/') && !name.startsWith('__MACOSX/')
}

async function directoryOf(path: string, archive: string): Promise<Map<string, Entry>> {
  try {
    // Decoding its names would refuse an archive with one that leads out of it, but nothing is written here.
    const zip = await openPromise(path, { lazyEntries: true, decodeStrings: false, validateEntrySizes: false })
    try {
      if (zip.entryCount > mostEntries) {
        throw new CtxwinError('unreadable', archive, `it has more than ${mostEntries} files: unpack it`)
      }
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) {
        entries.set(
          getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
          entry,
        )
      }
      return entries
    } finally {
      zip.close()
    }
  } catch (error) {
    if (error instanceof CtxwinError || (error instanceof Error && 'syscall' in error)) throw error
    throw new CtxwinError('damaged', archive, 'its ZIP directory is damaged or cut off: get the archive again')
  }
}

function refuseUnreadable(archive: string, entries: readonly Entry[]): void {
  const refuse = (reason: string) => {
    throw new CtxwinError('unreadable', archive, reason)
  }
  if (entries.some(({ generalPurposeBitFlag }) => (generalPurposeBitFlag & 1) === 1)) {
    refuse('its files are encrypted: unpack it with its password, and give the files inside')
  }
  const unknown = entries.find(({ compressionMethod }) => !inflated.has(compressionMethod))
  if (unknown) {
    refuse(`its files are packed by method ${unknown.compressionMethod}, which is not read: unpack it`)
  }
  let taken = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < taken) refuse('its files overlap each other, which no honest archive does')
    taken = entry.relativeOffsetOfLocalHeader + localHeader + entry.compressedSize
  }
}

/** In bytes, without the name and the extra fields, whose lengths it ends with. */
const localHeader = 30

function memberOf(path: string, name: string, entry: Entry): Source {
  return {
    name,
    path,
    archive: path,
    deflated: inflated.get(entry.compressionMethod) === true,
    chunks: { [Symbol.iterator]: () => packed(path, name, entry) },
  }
}

/** A pass over its bytes opens the archive again: the sources of a large one are read one by one. */
function* packed(path: string, name: string, entry: Entry): Generator<Uint8Array> {
  yield* blocksOf(path, (file) => {
    const at = entry.relativeOffsetOfLocalHeader
    const head = Buffer.alloc(localHeader)
    readSync(file, head, 0, localHeader, at)
    if (!head.subarray(0, 4).equals(firstEntry)) {
      throw new CtxwinError('damaged', name, 'its place in the archive is damaged: get the archive again')
    }
    const from = at + localHeader + head.readUInt16LE(26) + head.readUInt16LE(28)
    return { from, size: entry.compressedSize }
  })
}

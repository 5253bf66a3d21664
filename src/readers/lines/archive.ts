/**
 * The transcripts in a ZIP archive, each a source of its own that is unpacked only while it is read: memory is that of the
 * archive's directory. Archives in archives are not opened.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel } from 'yauzl'
import { CtxwinError } from '../../base/errors.ts'
import { isSystemError } from '../../base/system-errors.ts'
import { BlockReader } from './block-reader.ts'
import { blocksOf, inContainer, type Source } from './source.ts'

/** No export has so many files, but a hostile directory can name any number. */
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

/** A file in an archive. */
interface Member {
  /** As `nameInArchive` has it, and unlike that of any other. */
  readonly name: string
  readonly entry: Entry
  /** A later file has the same name, so this one was replaced. */
  readonly isReplaced: boolean
}

/**
 * The files in an archive, sorted by name. Their names are `archive.zip!/name/in/it`. No file vanishes: one that cannot be
 * read is a source, too, which fails when it is read. An evaluation log of Inspect gives only its samples, because
 * everything else in it is about them.
 * @throws CtxwinError `damaged` if the archive's directory is; `unreadable` if no wanted file can be read, for one reason,
 *   or some share their bytes, as in an archive that is made to unpack to any size; an error of the system
 */
export async function openArchive(path: string, options: ArchiveOptions = {}): Promise<Source[]> {
  const { name: archive = path, wanted = () => true } = options
  const all = await membersOf(path, archive)
  const names = new Set(all.map(({ name }) => name))
  const isInspect = [...names].some(isSample) && (names.has('header.json') || names.has(journal))
  const members = all.filter(({ name }) => (!isInspect || isSample(name)) && wanted(name))
  refuseAsWhole(archive, members)
  members.sort((a, b) => (a.name < b.name ? -1 : 1))
  return members.map((member) => sourceOf(path, archive, member))
}

const journal = '_journal/start.json'

function isSample(name: string): boolean {
  return name.startsWith('samples/')
}

/** macOS keeps attributes of each file under its name in a directory of their own. */
function isContent(name: string): boolean {
  return !name.endsWith('/') && !name.startsWith('__MACOSX/')
}

async function membersOf(path: string, archive: string): Promise<Member[]> {
  const file = openSync(path, 'r')
  try {
    const reader = new BlockReader(file)
    // Decoding its names would refuse an archive with one that leads out of it, but nothing is written here.
    const options = { decodeStrings: false, validateEntrySizes: false }
    const zip = await fromRandomAccessReaderPromise(reader, reader.size, options)
    if (zip.entryCount > mostEntries) {
      throw new CtxwinError('unreadable', archive, `it has more than ${mostEntries} files: unpack it`)
    }
    const entries: [name: string, Entry][] = []
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry
      const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
      if (isContent(name)) entries.push([name, entry])
    }
    // A program that knows only the old form of directories counts 65,536 files as none.
    if (zip.entryCount > 0 && reader.at(reader.end, 4).equals(listed)) {
      throw new CtxwinError('damaged', archive, 'its ZIP directory has more files than it says: unpack it')
    }
    return distinct(entries)
  } catch (error) {
    if (error instanceof CtxwinError || isSystemError(error)) throw error
    if (error instanceof Error && error.message.startsWith('strong encryption')) {
      throw new CtxwinError('unreadable', archive, `its files are ${encrypted}`)
    }
    throw new CtxwinError('damaged', archive, 'its ZIP directory is damaged or cut off: get the archive again')
  } finally {
    closeSync(file)
  }
}

const listed = Buffer.from('PK\x01\x02')

/** Gives each file a name that leads nowhere else and that no other has. */
function distinct(entries: readonly (readonly [name: string, Entry])[]): Member[] {
  const last = new Map(entries)
  const taken = new Set<string>()
  /** By name, how many files wanted it: to try each number from 2 on would be quadratic. */
  const asked = new Map<string, number>()
  const unlike = (name: string): string => {
    let one = name
    let number = asked.get(name) ?? 0
    do one = ++number === 1 ? name : numbered(name, number)
    while (taken.has(one))
    asked.set(name, number)
    taken.add(one)
    return one
  }
  // A file whose name is safe and unique keeps it; one that was renamed here or replaced gets a number.
  const ranks = entries.map(([raw, entry]) => (last.get(raw) !== entry ? 2 : nameInArchive(raw) !== raw ? 1 : 0))
  return [0, 1, 2].flatMap((rank) =>
    entries
      .filter((_, at) => ranks[at] === rank)
      .map(([raw, entry]) => ({ name: unlike(nameInArchive(raw)), entry, isReplaced: rank === 2 })),
  )
}

/**
 * The name without what would lead out of the archive (`../`, a slash in front), as it is joined to a directory when it is
 * given on a command line; and without NULs, which no command line can hold.
 */
export function nameInArchive(name: string): string {
  const parts = name.replaceAll('\0', '\uFFFD').split('/')
  return parts.filter((part) => part !== '' && part !== '.' && part !== '..').join('/')
}

/** `a (2).json` */
function numbered(name: string, number: number): string {
  const dot = name.indexOf('.', name.lastIndexOf('/') + 1)
  const end = dot < 0 ? name.length : dot
  return `${name.slice(0, end)} (${number})${name.slice(end)}`
}

const encrypted = 'encrypted: unpack the archive with its password, and give the files inside'

/** Why a file cannot be read at all, behind "it is"; null where it can. */
function refusalOf({ generalPurposeBitFlag: flags, compressionMethod: method }: Entry): string | null {
  if ((flags & 1) === 1) return encrypted
  return inflated.has(method) ? null : `packed by method ${method}, which is not read: unpack the archive`
}

/** Why a file is left out, though it could be read; null where it is not. */
function leftOutAs({ entry, isReplaced }: Member): string | null {
  if (isReplaced) return 'a later file in the archive has the same name'
  const isUnix = entry.versionMadeBy >> 8 === 3
  const isLink = isUnix && ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000
  return isLink ? 'it is a link, and links in an archive are not followed' : null
}

function refuseAsWhole(archive: string, members: readonly Member[]): void {
  const refusals = new Set(members.map(({ entry }) => refusalOf(entry)))
  const [refusal] = refusals
  if (refusals.size === 1 && typeof refusal === 'string') {
    throw new CtxwinError('unreadable', archive, `its files are ${refusal}`)
  }
  const read = members.filter(({ entry, isReplaced }) => refusalOf(entry) === null && !isReplaced)
  let taken = 0
  for (const { relativeOffsetOfLocalHeader: at, compressedSize } of read
    .map(({ entry }) => entry)
    .sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (at < taken) {
      throw new CtxwinError('unreadable', archive, 'its files overlap each other, as in no genuine archive')
    }
    taken = at + localHeader + compressedSize
  }
}

/** In bytes, without the name and the extra fields, whose lengths it ends with. */
const localHeader = 30

function sourceOf(path: string, archive: string, member: Member): Source {
  const name = `${archive}${inContainer}${member.name}`
  const { relativeOffsetOfLocalHeader: at, compressedSize, uncompressedSize, compressionMethod, crc32 } = member.entry
  const refusal = refusalOf(member.entry)
  const leftOut = leftOutAs(member)
  const isDeflated = inflated.get(compressionMethod) === true
  const chunks = (): Iterator<Uint8Array> => {
    if (refusal !== null) throw new CtxwinError('unreadable', name, `it is ${refusal}`)
    if (leftOut !== null) throw new CtxwinError('left-out', name, leftOut)
    return packed(path, name, at, compressedSize)
  }
  return {
    name,
    path,
    container: archive,
    member: {
      size: uncompressedSize,
      isDeflated,
      // Zstandard has checksums of its own.
      checksum: isDeflated || compressionMethod === 0 ? crc32 : null,
    },
    chunks: { [Symbol.iterator]: chunks },
  }
}

/** The packed bytes of a file. Each pass opens the archive again, because its files are read one after the other. */
function* packed(path: string, name: string, at: number, size: number): Generator<Uint8Array> {
  yield* blocksOf(path, (file) => {
    const head = Buffer.alloc(localHeader)
    const isInside = at + localHeader + size <= fstatSync(file).size
    if (isInside) readSync(file, head, 0, localHeader, at)
    if (!head.subarray(0, 4).equals(firstEntry)) {
      throw new CtxwinError('damaged', name, 'its place in the archive is damaged: get the archive again')
    }
    return { from: at + localHeader + head.readUInt16LE(26) + head.readUInt16LE(28), size }
  })
}

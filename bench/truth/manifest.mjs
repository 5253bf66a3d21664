/** What a folder's MANIFEST.tsv says of the transcripts in it: who published them, and whether an agent recorded them. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Test files of other parsers, and files that were damaged on purpose, are not recorded. */
const recordedKinds = new Set(['real', 'real-converted', 'session'])

/** Files that came to the corpus when the overheads of messages and the usual preambles had been fitted to the others. */
const laterKind = 'session'

const manifests = new Map()

/**
 * By path: who published the file, whether it is as an agent recorded it, and whether all of its owner's came later than the
 * fits. Null for a folder without a manifest.
 */
export function manifestIn(folder) {
  if (!manifests.has(folder)) {
    const path = join(folder, 'MANIFEST.tsv')
    manifests.set(folder, existsSync(path) ? parsed(readFileSync(path, 'utf8'), folder) : null)
  }
  return manifests.get(folder)
}

function parsed(text, folder) {
  const [head, ...lines] = text.split('\n').filter((line) => line !== '')
  const at = Object.fromEntries(head.split('\t').map((name, index) => [name, index]))
  const rows = lines.map((line) => {
    const cells = line.split('\t')
    return { path: join(folder, cells[at.path]), kind: cells[at.kind], owner: cells[at.source].split('/')[0] }
  })
  const recorded = rows.filter(({ kind }) => recordedKinds.has(kind))
  const early = new Set(recorded.filter(({ kind }) => kind !== laterKind).map(({ owner }) => owner))
  return new Map(
    rows.map((row) => [
      row.path,
      { owner: row.owner, isRecorded: recordedKinds.has(row.kind), cameLater: !early.has(row.owner) },
    ]),
  )
}

/** What the manifest of a folder that a file lies in says of it; null where there is none. */
export function manifested(file) {
  const path = resolve(file)
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestIn(folder)
    if (manifest) return manifest.get(path) ?? null
  }
  return null
}

/** Whose a file is: who published it, or where no manifest says that the folder: `owner__repository`, else its whole name. */
export function ownerOf(file) {
  const named = file.split('/').findLast((part) => part.includes('__') && part !== basename(file))
  return manifested(file)?.owner ?? (named ?? basename(dirname(resolve(file)))).split('__')[0]
}

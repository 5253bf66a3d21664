/**
 * opencode's sessions up to 1.1, and what later versions left of them: a file for the session, for each message and for each part,
 * in directories beside one another. Read as one document, as `opencode export` writes it.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { documentIn } from './document.ts'

const sessionFile = /[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/
const pieceFile = /[\\/](?:message|part)[\\/][^\\/]+[\\/][^\\/]+\.json$/

/** The session that a file of the tree stands for; null for any other file. @param path absolute */
export function storedSession(path: string) {
  if (!sessionFile.test(path)) return null
  const root = rootOf(path)
  const messages = join(root, 'message', basename(path, '.json'))
  if (!existsSync(messages)) return null
  const partsOf = (message: string) => join(root, 'part', message)
  const files = () =>
    filesIn(messages).flatMap((file) => [join(messages, file), ...pathsIn(partsOf(basename(file, '.json')))])

  function* chunks(): Generator<Uint8Array> {
    const entries = pathsIn(messages).map((file) => {
      const info = documentIn(file)
      const parts = pathsIn(partsOf(basename(file, '.json'))).map((part) => documentIn(part) ?? null)
      return { info, parts }
    })
    entries.sort((a, b) => createdIn(a.info) - createdIn(b.info))
    yield Buffer.from(JSON.stringify({ info: documentIn(path), messages: entries }))
  }

  return {
    chunks: { [Symbol.iterator]: chunks },
    session: {
      get modified() {
        return Math.max(statSync(path).mtimeMs, statSync(messages).mtimeMs)
      },
      get size() {
        return [path, ...files()].reduce((sum, file) => sum + statSync(file).size, 0)
      },
      stamp: () =>
        [path, ...files()]
          .map((file) => {
            const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
            return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
          })
          .join(),
    },
  }
}

/** Whether the file is read with the session that it is a piece of. @param path absolute */
export function isStoredPiece(path: string): boolean {
  return pieceFile.test(path) && existsSync(join(rootOf(path), 'session'))
}

function rootOf(path: string): string {
  return dirname(dirname(dirname(path)))
}

/** In the order of their ids, which is that of time. */
function filesIn(directory: string): string[] {
  return existsSync(directory)
    ? readdirSync(directory)
        .filter((file) => file.endsWith('.json'))
        .sort()
    : []
}

function pathsIn(directory: string): string[] {
  return filesIn(directory).map((file) => join(directory, file))
}

function createdIn(info: unknown): number {
  const created = (info as { time?: { created?: unknown } } | null | undefined)?.time?.created
  return typeof created === 'number' ? created : 0
}

/** Finds the transcripts in folders for the other files of bench/truth: each file once, in the order of its name. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CtxwinError, openFile } from '../../dist/app/index.js'
import { manifestIn } from './manifest.mjs'

/** Where the transcripts of the published tables lie, beside the repository. */
const corpus = process.env.CTXWIN_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

const isTranscript = /\.(jsonl|ndjson|json|traj|log)(\.gz|\.zst)?$/

/**
 * @param words files and folders; the folder of the published tables where there are none
 * @returns paths; a folder stands for what is in it, at any depth, and one with a manifest for the recorded sessions in that
 */
export function filesIn(words) {
  const given = words.length > 0 || !existsSync(corpus) ? words : [corpus]
  if (given.length === 0) throw new CtxwinError('no-input')
  const files = given.flatMap((word) => {
    if (!statSync(word).isDirectory()) return [word]
    const manifest = manifestIn(resolve(word))
    if (manifest) return [...manifest].filter(([, { isRecorded }]) => isRecorded).map(([path]) => path)
    const names = readdirSync(word, { recursive: true, withFileTypes: true })
    return names
      .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && isTranscript.test(entry.name)))
      .map((entry) => join(entry.parentPath, entry.name))
  })
  return [...new Set(files)].sort()
}

export const sourcesOf = (files) => files.map(openFile)

/** Ignores files that cannot be read or hold no transcript; anything else is a bug. */
export function unread(_source, error) {
  if (!(error instanceof CtxwinError)) throw error
}

/** The value below which a share of the values lies; null if there are none. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

/** A percentage with its sign: "−3.5", "+2.0". */
export const signed = (percent) => `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)}`

/** A Markdown table. @param rows the head first */
export function table([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`
  return [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map(line).join('')
}

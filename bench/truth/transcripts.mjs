/** Finds the transcripts in folders for the other files of bench/truth: each file once, in the order of its name. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CtxwinError, openFile } from '../../dist/index.js'

const isTranscript = /\.(jsonl|ndjson|json|traj|log)(\.gz|\.zst)?$/

/** @returns paths; a folder stands for what is in it, at any depth */
export function filesIn(words) {
  if (words.length === 0) throw new CtxwinError('no-input')
  const files = words.flatMap((word) => {
    if (!statSync(word).isDirectory()) return [word]
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

/** A Markdown table. @param rows the head first */
export function table([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`
  return [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map(line).join('')
}

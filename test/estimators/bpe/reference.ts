import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { EncodingName } from '../../../src/estimators/bpe/counter.ts'

export const ENCODINGS: readonly EncodingName[] = ['o200k_base', 'cl100k_base']

/** The ranks of an encoding by token (bytes as latin-1), from the reference's own file. */
export function referenceRanks(encoding: EncodingName): Map<string, number> {
  const path = createRequire(import.meta.url).resolve(`tiktoken/encoders/${encoding}.json`)
  const { bpe_ranks } = JSON.parse(readFileSync(path, 'utf8')) as { bpe_ranks: string }
  const ranks = new Map<string, number>()
  for (const line of bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    for (const [i, token] of tokens.entries()) {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(first) + i)
    }
  }
  return ranks
}

/** Byte-pair encoding the slow, obvious way: merges the leftmost of the lowest-ranked pairs until none is left. */
export function slowTokens(ranks: Map<string, number>, piece: Uint8Array): number {
  const parts = [...Buffer.from(piece).toString('latin1')]
  for (;;) {
    let lowest = Number.POSITIVE_INFINITY
    let at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i]! + parts[i + 1]!)
      if (rank !== undefined && rank < lowest) {
        lowest = rank
        at = i
      }
    }
    if (at < 0) return parts.length
    parts.splice(at, 2, parts[at]! + parts[at + 1]!)
  }
}

/** Finds what references need in a text, its terms, its pieces of content and its anchors, in TypeScript. */
import { type TermClass, termClasses } from '../../model/run.ts'
import { eachPiece } from '../content/lines.ts'
import { eachAnchor } from '../copied/anchors.ts'
import { codesOf } from './characters.ts'
import { pathKey } from './paths.ts'
import { scan } from './scan.ts'
import { hashOfTerm } from './term-table.ts'
import { urlKey } from './urls.ts'
import { idKey } from './words.ts'

/**
 * Takes an occurrence of a term: its class as an index of `termClasses`, the two halves of its key's hash, and what makes the
 * key, during the call only. The key may be a slice that keeps its text in memory. Must not find anything itself.
 */
export type TakeTerm = (termClass: number, high: number, low: number, key: () => string) => void

/** Takes the hash of a piece of content, in two halves. Must not find anything itself. */
export type TakePiece = (high: number, low: number) => void

/**
 * Takes anchors, a pair of numbers each: its hash, and where it begins in the folded text. They stand in `pairs` from one index to
 * before another, during the call only. Must not find anything itself.
 */
export type TakeAnchors = (pairs: Int32Array, from: number, to: number) => void

/** @param cwd as returned by `normalCwd` */
export type Find = (
  text: string,
  cwd: string,
  takeTerm: TakeTerm | null,
  takePiece: TakePiece | null,
  takeAnchors?: TakeAnchors | null,
) => void

export const findInTypescript: Find = (text, cwd, takeTerm, takePiece, takeAnchors) => {
  const codes = codesOf(text)
  if (takeTerm) scan(text, (textClass, raw) => passTerm(textClass, raw, cwd, takeTerm), codes)
  if (takePiece) eachPiece(codes, text.length, takePiece)
  if (!takeAnchors) return
  const pairs: number[] = []
  eachAnchor(codes, text.length, (hash, at) => pairs.push(hash, at))
  if (pairs.length > 0) takeAnchors(Int32Array.from(pairs), 0, pairs.length)
}

/** Hands over a term that is known to be one, by its key. */
export function passTerm(name: TermClass, raw: string, cwd: string, take: TakeTerm): void {
  const key = keyOf(name, raw, cwd)
  if (key === null) return
  const termClass = termClasses.indexOf(name)
  const [high, low] = hashOfTerm(termClass, key)
  take(termClass, high, low, () => key)
}

/** The key of a term, the same for all its spellings; null if it is not a term. */
function keyOf(termClass: TermClass, raw: string, cwd: string): string | null {
  if (termClass === 'path') return pathKey(raw, cwd)
  if (termClass === 'url') return urlKey(raw)
  if (termClass === 'id') return idKey(raw)
  return termClass === 'number' && raw.startsWith('v') ? raw.slice(1) : raw
}

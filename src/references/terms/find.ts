/** Who takes what is found in a text: its terms, its pieces of content and its anchors. */
import { termClasses } from '../../model/run.ts'
import { pathKey } from './paths.ts'
import { hashOfTerm } from './term-table.ts'

/**
 * Takes an occurrence of a term: its class as an index of `termClasses`, the two halves of its key's hash, and what
 * makes the key, during the call only. The key may be a slice that keeps its text in memory. Must not find anything
 * itself.
 */
export type TakeTerm = (termClass: number, high: number, low: number, key: () => string) => void

/** Takes the hash of a piece of content, in two halves. Must not find anything itself. */
export type TakePiece = (high: number, low: number) => void

/**
 * Takes anchors, a pair of numbers each: its hash, and where it begins in the folded text. They stand in `pairs` from
 * one index to before another, during the call only. Must not find anything itself.
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

/** Hands over a term that is known to be one, by its key; nothing for a path without one. */
export function passTerm(name: 'path' | 'target', raw: string, cwd: string, take: TakeTerm): void {
  const key = name === 'path' ? pathKey(raw, cwd) : raw
  if (key === null) return
  const termClass = termClasses.indexOf(name)
  const [high, low] = hashOfTerm(termClass, key)
  take(termClass, high, low, () => key)
}

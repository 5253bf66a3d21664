/**
 * The card of a policy: what the catalogue tells people of it, and `recommend` goes by. No figure of a run depends on
 * it, so the simulator does not know it. A policy declares its card in its own file, flat beside what it does.
 */
import type { Params, Values } from '../../base/param.ts'
import { type TurnOn, type TurnOnFor, turnOnFor } from '../../model/turn-on.ts'
import type { Policy } from '../policy.ts'
import { thousands } from './thousands.ts'

export interface Card<P extends Params = Params> {
  /** The document or program it follows: what was read, its version or commit, its date. */
  readonly source: string
  /** The published package that was read, where there is one: a newer one may do otherwise. */
  readonly package?: PackageRead
  /** What the budget means to it, and when it acts: "the model's window; acts at nine tenths of it". */
  readonly trigger?: string
  /** How it differs from similar policies. */
  readonly unlike?: string
  /**
   * It only completes other steps, is one layer of a program's several, or what it did before: `compare` leaves it out
   * unless it is named.
   */
  readonly part?: true
  /**
   * How a person makes a program of theirs do this. Null for params or a budget that the program does not accept; for
   * which it is null depends on nothing else. Absent where nobody can.
   * @param of the transcripts it is for, where it is for some
   */
  turnOn?(values: Values<P>, budget: number, of?: TurnOnFor): TurnOnLine | null
  /**
   * Whose users can turn it on: a transcript format, for the program that records it, or a provider, for its API.
   * Absent for what anybody can write into an agent of their own, or nobody can turn on.
   */
  readonly availableIn?: readonly string[]
  /** The program of `availableIn` does this by default. */
  readonly compacts?: true
  /** Of such a policy: the budget with which it acts at a request of so many tokens, its params at their defaults. */
  budgetFor?(tokens: number): number
  /** For a policy that follows a document: how the program differs. For docs/documents.md. */
  readonly differs?: readonly Difference[]
}

/** A policy's own budget, for people; null where it has none. */
export function ownBudgetWords({ ownBudget }: Pick<Policy, 'ownBudget'>): string | null {
  if (ownBudget === undefined) return null
  if (typeof ownBudget === 'number') return `${thousands(ownBudget)} tokens`
  return ownBudget === 'window' ? 'the model’s window' : 'the window that the program assumes for the model’s name'
}

/** A package of npm's registry, as it was when somebody read it. */
export interface PackageRead {
  readonly name: string
  readonly version: string
  /** The month: `2026-11`. */
  readonly on: string
}

/** As a policy says it: without a version or a note where there is nothing to say. */
export type TurnOnLine = Pick<TurnOn, 'file' | 'text'> & Partial<TurnOn>

/** A policy as it is declared, in the catalogue or in a user's own module. */
export interface PolicyWithCard<P extends Params = Params> extends Policy<P>, Card<P> {}

/** One point in which a program differs from the document that describes it, in a few words each. */
export interface Difference {
  readonly matter: string
  readonly document: string
  readonly program: string
}

/** How a policy is turned on, for these transcripts; null where nobody can. */
export function turnOnOf<P extends Params>(
  { turnOn }: Partial<Card<P>>,
  values: Values<P>,
  budget: number,
  of: TurnOnFor = { model: null, version: null },
): TurnOn | null {
  const line = turnOn?.(values, budget, of) ?? null
  return line && turnOnFor({ file: line.file, text: line.text, since: line.since ?? null, note: line.note ?? null }, of)
}

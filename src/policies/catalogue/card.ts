/**
 * The card of a policy: what the catalogue tells people of it, and `recommend` goes by. No figure of a run depends on it, so
 * the simulator does not know it. A policy declares its card in its own file, flat beside what it does.
 */
import type { Params, Values } from '../../base/param.ts'
import type { Policy } from '../policy.ts'

export interface Card<P extends Params = Params> {
  /** The document or program it follows: what was read, its version or commit, its date. */
  readonly source: string
  /** What the budget is to it, and what makes it act: "the model's window; acts at nine tenths of it". */
  readonly trigger?: string
  /** What it does otherwise than policies one could take it for. */
  readonly unlike?: string
  /** It only completes other steps, or is one layer of a program's several: `compare` leaves it out unless it is named. */
  readonly part?: true
  /**
   * How a person makes a program of theirs do this: an environment variable, a line of its settings, a field of a request,
   * a few lines of code. Null for params or a budget that the program does not accept. Absent where nobody can.
   */
  turnOn?(values: Values<P>, budget: number): string | null
  /**
   * Whose users can turn it on: a transcript format, for the program that records it, or a provider, for its API. Absent
   * for what anybody can write into an agent of their own, or nobody can turn on.
   */
  readonly availableIn?: readonly string[]
  /** For a policy that follows a document: how the program differs. For docs/policies.md. */
  readonly differs?: readonly Difference[]
}

/** A policy as it is declared, in the catalogue or in a user's own module. */
export interface PolicyWithCard<P extends Params = Params> extends Policy<P>, Card<P> {}

/** One point in which a program differs from the document that describes it, in a few words each. */
export interface Difference {
  readonly matter: string
  readonly document: string
  readonly program: string
}

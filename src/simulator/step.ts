/**
 * A replay that can be stepped: it walks the messages of a trace once, lets a policy edit the window at its occasions,
 * and hands each occasion out before it goes on. It measures nothing: a driver (`replay.ts`) folds the occasions into
 * figures. Between two occasions everything stands still, so a driver may look at the window for as long as it likes.
 */

import type { Request, Sent } from '../measures/measure.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { RestartableRun } from '../policies/policy.ts'
import type { Contents } from './contents.ts'
import type { Rewritten } from './rewritten.ts'
import { type Acted, Stepper } from './stepper.ts'
import { WholeHistory } from './whole.ts'
import { EditableWindow } from './window.ts'

/** What the steps of a replay depend on. What they cost depends on more: see `Settings`. */
export interface StepSettings {
  readonly policy: RestartableRun
  /** The policy's edits stand (`sticky`), or it may ask for the history back (`view`). */
  readonly kind: 'sticky' | 'view'
  /** A result whose call has left is not taken in. */
  readonly keepsPairs?: boolean
  /** The provider takes reasoning back only behind what has not changed. */
  readonly bindsThoughts?: boolean
  /** Tokens; 0 = none, so that the policy acts by its other triggers alone. */
  readonly budget: number
  readonly sizes: Sizes
  /** How the policy counts, if that differs from `sizes`. */
  readonly believed?: Sizes
  readonly rewritten?: Rewritten
}

/**
 * What has just happened. Wherever the policy acts, what came of it comes first, then the occasion that it acted for.
 */
export type Occasion =
  /** Message `index` was added to the window. */
  | { readonly kind: 'message'; readonly index: number }
  /** A request goes out with the contents of the window. */
  | { readonly kind: 'request'; readonly request: Request }
  /**
   * The exchange before message `next` is over. The one that is still open at the end of the trace is not: its agent
   * would go on.
   */
  | { readonly kind: 'exchangeEnd'; readonly next: number }
  /** The history starts anew with message `next` (`/clear`). */
  | { readonly kind: 'reset'; readonly next: number }
  | Acted

export class Steps extends Stepper {
  readonly history: WholeHistory
  /** What goes out: the window, or the whole history where no policy acts. */
  readonly sent: Sent & Contents

  constructor(trace: Trace, settings: StepSettings) {
    const { policy, budget, sizes, believed = null, kind, keepsPairs = false, bindsThoughts = false } = settings
    const { rewritten } = settings
    const prunes = Boolean(policy.message || policy.request || policy.exchangeEnd)
    const kept = { keepsDropped: kind === 'view', keepsPairs, bindsThoughts }
    const options = { budget, sent: sizes, believed, ...kept, ...(rewritten && { rewritten }) }
    super(trace, policy, prunes ? new EditableWindow(trace, options) : null)
    this.history = new WholeHistory(trace, sizes)
    this.sent = this.window ?? this.history
  }

  /** All occasions, in order. They can be walked once. */
  *occasions(): Generator<Occasion, void> {
    const { trace, history } = this
    for (let index = 0; index < trace.length; index++) {
      if (trace.isPrompt(index)) {
        yield* this.#endExchange(index)
        this.exchange++
      }
      if (trace.isReset(index)) {
        this.clear()
        history.clear()
        yield { kind: 'reset', next: index }
      }
      if (trace.isResponse(index)) {
        const told = this.prepare(index)
        if (told) yield* told
        const request = this.#requestAt(index)
        this.requests++
        yield { kind: 'request', request }
      }
      history.append(index)
      const told = this.append(index)
      if (told) yield* told
      yield { kind: 'message', index }
    }
    yield* this.#endExchange(trace.length)
  }

  /** After the last occasion: lets the policy act for the request that would follow, which was never made. */
  prepareNext(): void {
    this.prepare(this.trace.length)
  }

  *#endExchange(next: number): Generator<Occasion, void> {
    if (!this.hasEnded) return
    const told = this.end(next)
    if (told) yield* told
    yield { kind: 'exchangeEnd', next }
  }

  #requestAt(message: number): Request {
    const { trace, window, history, sent } = this
    const fullTokens = history.sentTokens
    return {
      index: this.requests,
      message,
      line: trace.line(message),
      exchange: this.exchange,
      fullTokens,
      sentTokens: sent.sentTokens,
      believedTokens: window ? window.tokens : fullTokens,
      sent,
    }
  }
}

/**
 * What the provider reported with the latest response: the tokens of that request and of its answer. Many agents hold
 * this against their threshold before they send the next request, so they do not see the tool results that came in
 * between.
 */
import type { Entry, Window } from './policy.ts'

export class LatestUsage {
  /** 0 before the first response, and after a cut until the next one. */
  tokens = 0

  message(window: Window, { role }: Entry): void {
    if (role === 'assistant') this.tokens = window.tokens
  }

  reset(): void {
    this.tokens = 0
  }
}

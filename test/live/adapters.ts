/** What reached the models of the examples of docs/turn-on.md, when they were last run against their packages. */
import answers from './adapters.data.json' with { type: 'json' }

/** A request: who says what, one row a message. */
export interface Sent {
  readonly system: string | null
  readonly sent: readonly (readonly string[])[]
}

export const recorded: Readonly<Record<string, { readonly example: string; readonly requests: readonly Sent[] }>> =
  answers

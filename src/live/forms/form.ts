/**
 * The contract of a form: how the messages of an API, or of a library, become canonical ones, and what of them goes
 * back. What a policy leaves alone goes back as the very objects that came, with all that only their API knows.
 */
import type { Message, Preamble, ProviderName, Usage } from '../../model/message.ts'
import type { Inserted } from '../../policies/policy.ts'

/** What stands beside the messages of a request. */
export interface Beside {
  /** The system prompt, as the API takes it. */
  readonly system?: unknown
  /** The tools, as the API takes them. */
  readonly tools?: readonly unknown[]
}

/** What a history begins with. */
export interface Begun extends Beside {
  readonly provider: ProviderName
}

/** Takes what a form reads, in order. */
export interface Sink {
  /** Before the first message. */
  preamble(preamble: Preamble): void
  message(message: Message): void
  /** An element is no message of this form. */
  stranger(index: number): void
}

export interface FormReader<Element> {
  /** @param index of the element in its history, from 0 */
  add(element: Element, index: number): void
  /** Nothing more has come yet. */
  settle(): void
}

/** A message of a request that came with others from the same elements. */
export interface Kept {
  /** As it came. */
  readonly original: Message
  /** As it goes out: the same, or what a policy made of it. */
  readonly message: Message
}

export interface Form<Element = unknown> {
  /** Whose API its messages go to; null where the model's name says it. */
  readonly provider: ProviderName | null
  /**
   * Reads a history from its beginning. A message's `line` is the number of the first element that it came from,
   * counted from 1; it comes from all elements up to the one that was added last.
   */
  reader(begun: Begun, sink: Sink): FormReader<Element>
  /**
   * Elements of which not all goes back as it came.
   * @param elements that the messages came from
   * @param kept what is left of their messages, in order
   */
  partial(elements: readonly Element[], kept: readonly Kept[]): Element[]
  /** A message of the policy's own: a notice, a summary. */
  write(message: Inserted): Element[]
  /** What was counted for a response, as the library keeps it. Default: as the APIs give it. */
  usageOf?(usage: unknown): Usage | undefined
  /** Elements that did not stand side by side before, as the API takes them. Default: as they are. */
  joined?(elements: readonly Element[]): Element[]
}

import { bad, type ReaderContext, type Shape, tell } from '../reader.ts'
import type { Finder } from './conversations.ts'
import { oddIn } from './shape.ts'

/** Collects what is wrong with the messages of a document, each with its own line: it is no message, or it lacks a key. */
export class Asked {
  readonly #context: ReaderContext
  #strangers = 0

  constructor(context: ReaderContext) {
    this.#context = context
  }

  readonly bad: Finder = (line) => {
    this.#strangers++
    this.#context.finding({ ...bad, line })
  }

  /** @param add interprets the message, and calls `bad` if it is none */
  ask(shape: Shape, message: unknown, line: number, add: () => void): void {
    const before = this.#strangers
    add()
    tell(this.#context, this.#strangers === before ? oddIn(shape, message) : null, line)
  }
}

/**
 * A session as agents print it for other programs, in pieces: what the model wrote with no result and no prompt in between
 * is one response, and the only counts are those of a turn, which are a request's where the turn has one response.
 */
import type { Block, Usage } from '../../model/message.ts'
import type { ReaderContext } from '../reader.ts'
import { type Mark, type Resulted, Session, type SessionHead } from './session.ts'

export class Pieces {
  readonly #session = new Session()
  #isWriting = false
  /** Responses and usage of the current turn. */
  #responses = 0

  /** A turn begins. */
  prompt(blocks: readonly Block[], mark: Mark): void {
    this.#session.prompt(blocks, mark)
    this.#isWriting = false
    this.#responses = 0
  }

  /** @param isDelta its text goes on where the one before ended */
  written(blocks: readonly Block[], mark: Mark, isDelta = false): void {
    if (blocks.length === 0) return
    if (!this.#isWriting) {
      this.#session.response(blocks, mark)
      this.#responses++
    } else if (isDelta) this.#session.streamResponse(blocks)
    else this.#session.continueResponse(blocks)
    this.#isWriting = true
  }

  result(blocks: readonly Block[], resulted: Resulted): void {
    this.#session.result(blocks, resulted)
    this.#isWriting = false
  }

  /** What the turn used. */
  counted(usage: Usage | undefined): void {
    if (usage && usage.input !== 0 && this.#responses === 1) this.#session.continueResponse([], usage)
  }

  write(context: ReaderContext, head: SessionHead): void {
    this.#session.write(context, head)
  }
}

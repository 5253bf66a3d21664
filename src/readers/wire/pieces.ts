/**
 * A session as agents print it for other programs, in pieces: what the model wrote with no result and no prompt in between
 * is one response, and the only counts are those of a turn. They are a request's where the turn has one response; else they
 * are billed as one amount.
 */
import type { Block, Usage } from '../../model/message.ts'
import type { ReaderContext } from '../reader.ts'
import { type Mark, type Responded, type Resulted, Session, type SessionHead } from './session.ts'
import { sideCallOf } from './side-calls.ts'

interface Counted {
  /** How many requests that was, where the program says so: those of sub-agents may be among them. */
  readonly calls?: number | undefined
  readonly model?: string | undefined
  /** None of the responses is of it. */
  readonly isBeside?: boolean
}

export class Pieces {
  readonly session = new Session()
  #isWriting = false
  /** Responses of the current turn, and the place of the first. */
  #responses = 0
  #from = 0
  #line = 1

  /** A turn begins. */
  prompt(blocks: readonly Block[], mark: Mark): void {
    this.session.prompt(blocks, mark)
    this.#isWriting = false
    this.#responses = 0
  }

  /** @param isDelta its text goes on where the one before ended */
  written(blocks: readonly Block[], mark: Responded, isDelta = false): void {
    if (blocks.length === 0) return
    if (!this.#isWriting) {
      if (this.#responses++ === 0) this.#from = this.session.length
      this.session.response(blocks, mark)
    } else if (isDelta) this.session.streamResponse(blocks)
    else this.session.continueResponse(blocks)
    this.#isWriting = true
    this.#line = mark.line
  }

  result(blocks: readonly Block[], resulted: Resulted): void {
    this.session.result(blocks, resulted)
    this.#isWriting = false
  }

  /** What the turn used. */
  counted(usage: Usage | undefined, { calls = this.#responses, model, isBeside = false }: Counted = {}): void {
    if (!usage || usage.input === 0) return
    if (this.#responses === 1 && calls === 1 && !isBeside) {
      this.session.continueResponse([], usage)
      return
    }
    const isOfThese = calls === this.#responses && !isBeside
    const span = isOfThese && { span: { from: this.#from, to: this.session.length } }
    const { time } = this.session.last ?? {}
    const kind = this.#responses === 0 ? 'taken-back' : 'summed'
    this.session.sideCall(sideCallOf({ kind, usage, calls, model, time, line: this.#line, ...span }))
  }

  write(context: ReaderContext, head: SessionHead): void {
    this.session.write(context, head)
  }
}

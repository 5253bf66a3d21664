/**
 * Sizes that are dear and seldom needed: those of an exact count, where recorded usage corrects an estimate just as well.
 * Messages wait until it is known whether their transcript records usage, and are sized only if that is too little.
 */
import type { Message } from '../model/message.ts'
import { canCorrect } from '../model/recorded.ts'
import { isThought, thoughtUnits } from '../model/thoughts.ts'
import { firstFrom, type Sizer, type Trace, type TraceColumns } from '../model/trace.ts'

/** Of so many requests with usage one can be compared in all but odd transcripts. */
const enough = 8
/** Units of the messages that wait. With more, a transcript with usage has enough, and one without takes no more memory. */
const most = 1 << 16

export interface PlainSpares {
  readonly waiting: readonly Message[] | null
  readonly sized: number
  readonly units: number
}

export class SpareSizes {
  readonly #sizer: Sizer
  readonly #columns: TraceColumns
  readonly #own: number
  readonly #other: number
  /** Messages from index `#sized` on; null if they are not needed any more. */
  #waiting: Message[] | null = []
  #sized = 0
  #units = 0

  /**
   * @param own index of its column, which the builder fills with NaN, @param other of the column it is spare for
   * @param plain where it stopped; default: at the beginning
   */
  constructor(sizer: Sizer, columns: TraceColumns, own: number, other: number, plain?: PlainSpares) {
    this.#sizer = sizer
    this.#columns = columns
    this.#own = own
    this.#other = other
    if (plain === undefined) return
    this.#waiting = plain.waiting && [...plain.waiting]
    this.#sized = plain.sized
    this.#units = plain.units
  }

  plain(): PlainSpares {
    return { waiting: this.#waiting, sized: this.#sized, units: this.#units }
  }

  /** @param message the last in the columns, @param recorded requests with usage so far */
  add(message: Message, recorded: number): void {
    if (!this.#waiting) return
    this.#waiting.push(message)
    this.#units += this.#columns.units[this.#other]!.at(this.#columns.bits.length - 1)
    if (this.#units <= most) return
    if (recorded >= enough) this.#waiting = null
    else this.#size(this.#waiting)
  }

  rewind(length: number): void {
    this.#sized = Math.min(this.#sized, length)
    this.#waiting?.splice(length - this.#sized)
  }

  /** The transcript is at its end. */
  settle(trace: Trace): void {
    if (this.#waiting && !canCorrect(trace)) this.#size(this.#waiting)
  }

  #size(waiting: readonly Message[]): void {
    const { units, thoughtAt, thoughts } = this.#columns
    let withThoughts = firstFrom(thoughtAt, this.#sized)
    for (const message of waiting) {
      if (message.blocks.some(isThought)) thoughts[this.#own]!.set(withThoughts++, thoughtUnits(this.#sizer, message))
      units[this.#own]!.set(this.#sized++, this.#sizer(message))
    }
    this.#waiting = []
    this.#units = 0
  }
}

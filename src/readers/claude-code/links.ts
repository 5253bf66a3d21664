/**
 * The tree of a session file: every record with a uuid hangs off another one, progress and system records included. The
 * tree only says which branches were abandoned; the order of messages is the order of the file, because parallel tool
 * results hang off different records and no single path from leaf to root holds them all.
 *
 * A *branch* is what one prompt started: everything that hangs off it up to the next prompt. Branches are numbered
 * through the file and a number is never used again, so a record of an abandoned branch is known for what it is.
 */
import { Column } from '../../model/column.ts'

export class Links {
  readonly #numbers = new Map<string, number>()
  readonly #branches = Column.uint32()
  readonly #messages = Column.uint32()

  has(uuid: string): boolean {
    return this.#numbers.has(uuid)
  }

  /** @param message index, in its transcript, of the message that the record is or stands in front of */
  add(uuid: string, branch: number, message: number): void {
    this.#numbers.set(uuid, this.#numbers.size)
    this.#branches.push(branch)
    this.#messages.push(message)
  }

  branchOf(uuid: string): number | undefined {
    const number = this.#numbers.get(uuid)
    return number === undefined ? undefined : this.#branches.at(number)
  }

  messageOf(uuid: string): number | undefined {
    const number = this.#numbers.get(uuid)
    return number === undefined ? undefined : this.#messages.at(number)
  }
}

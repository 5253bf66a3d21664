/**
 * The tree of a session file: every record with a uuid hangs off another one, progress and system records included. The
 * tree only says which branches were abandoned; the order of messages is the order of the file, because parallel tool
 * results hang off different records and no single path from leaf to root holds them all.
 *
 * A *branch* is what one prompt started: everything that hangs off it up to the next prompt. Branches are numbered
 * through the file and a number is never used again, so a record of an abandoned branch is known for what it is.
 */
import { IdTable } from './id-table.ts'

export class Links {
  readonly #ids = new IdTable(2)
  // Most records hang off the one before them, which then need not be looked up.
  #newest: string | undefined
  #newestPlace = -1

  has(uuid: string): boolean {
    return this.#ids.find(uuid) >= 0
  }

  /** @param message index, in its transcript, of the message that the record is or stands in front of */
  add(uuid: string, branch: number, message: number): void {
    this.#newest = uuid
    this.#newestPlace = this.#ids.add(uuid)
    this.#ids.set(this.#newestPlace, 0, branch)
    this.#ids.set(this.#newestPlace, 1, message)
  }

  branchOf(uuid: string): number | undefined {
    return this.#valueOf(uuid, 0)
  }

  messageOf(uuid: string): number | undefined {
    return this.#valueOf(uuid, 1)
  }

  #valueOf(uuid: string, field: number): number | undefined {
    const place = uuid === this.#newest ? this.#newestPlace : this.#ids.find(uuid)
    return place < 0 ? undefined : this.#ids.get(place, field)
  }
}

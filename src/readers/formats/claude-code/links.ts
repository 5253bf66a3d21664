/**
 * The tree of a session file: every record with a uuid hangs off another one, progress and system records included. The
 * tree only says which branches were abandoned; the order of messages is the order of the file, because parallel tool
 * results hang off different records and no single path from leaf to root holds them all.
 *
 * A *branch* is what one prompt started: everything that hangs off it up to the next prompt. Branches are numbered
 * through the file and a number is never used again, so a record of an abandoned branch is known for what it is.
 */
import { Column } from '../../../base/column.ts'
import { IdTable } from './id-table.ts'

const root = -1
const lost = -2

export class Links {
  readonly #ids = new IdTable(3)
  /** Of each record, in the order of the file: the record it hangs off; `root` and `lost` for those that hang off none. */
  readonly #parents = Column.int32()
  // Most records hang off the one before them, which then need not be looked up.
  #newest: string | undefined
  #newestPlace = -1

  has(uuid: string): boolean {
    return this.#ids.find(uuid) >= 0
  }

  /** Of the record that is added next. */
  get number(): number {
    return this.#parents.length
  }

  /**
   * @param parent the uuid of the record it hangs off; anything else for a root
   * @param message index, in its transcript, of the message that the record is or stands in front of
   */
  add(uuid: string, parent: unknown, branch: number, message: number): void {
    const hangsOff = typeof parent === 'string' ? (this.#valueOf(parent, 2) ?? lost) : root
    this.#newest = uuid
    this.#newestPlace = this.#ids.add(uuid)
    this.#ids.set(this.#newestPlace, 0, branch)
    this.#ids.set(this.#newestPlace, 1, message)
    this.#ids.set(this.#newestPlace, 2, this.number)
    this.#parents.push(hangsOff)
  }

  /**
   * The records on the path from one back to its root, and where the path is lost: of what stands in front of that nobody
   * can say whether it is on the path.
   */
  pathTo(uuid: string): { readonly on: ReadonlySet<number>; readonly knownFrom: number } {
    const on = new Set<number>()
    let at = this.#valueOf(uuid, 2) ?? lost
    let knownFrom = this.number
    while (at >= 0) {
      on.add(at)
      knownFrom = at
      at = this.#parents.at(at)
    }
    return { on, knownFrom: at === root ? 0 : knownFrom }
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

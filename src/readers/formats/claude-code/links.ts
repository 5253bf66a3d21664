/**
 * The tree of a session file: every record with a uuid has a parent, progress and system records included. The tree only
 * tells which branches were abandoned. The order of the messages is that of the file, because parallel tool results have
 * different parents and no single path from leaf to root contains them all.
 *
 * A *branch* is a prompt with everything that descends from it, up to the next prompt. Branches are numbered through the
 * file and numbers are not reused, so a record of an abandoned branch can be recognised.
 */
import { Column } from '../../../base/column.ts'
import { IdTable, type PlainIds } from './id-table.ts'

const root = -1
const lost = -2

export interface PlainLinks {
  readonly ids: PlainIds
  readonly parents: Int32Array
}

export class Links {
  readonly #ids: IdTable
  /** The parent of each record by number; `root` for a record without a parent, `lost` if the parent is not in the file. */
  readonly #parents: Column<Int32Array>
  // The parent of most records is the one before, which then need not be looked up.
  #newest: string | undefined
  #newestPlace = -1

  /** @param plain of a tree that was written down; default: an empty one */
  constructor(plain?: PlainLinks) {
    this.#ids = new IdTable(3, plain?.ids)
    this.#parents = plain ? Column.of(plain.parents) : Column.int32()
  }

  plain(): PlainLinks {
    return { ids: this.#ids.plain(), parents: this.#parents.values() }
  }

  has(uuid: string): boolean {
    return this.#ids.find(uuid) >= 0
  }

  /** The number of the next record to be added. */
  get number(): number {
    return this.#parents.length
  }

  /**
   * @param parent uuid of its parent; anything but a string makes it a root
   * @param message index, in its transcript, of the record's message, or of the next one if it has none
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
   * The records on the path from one back to its root. `knownFrom`: if a parent is missing, nothing is known about records
   * with smaller numbers.
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

/**
 * A session whose records form a tree in one file: the user may go back into a branch that was left before. The context is
 * the path from the last record back to the root, so all are kept until the session ends.
 */
import { type JsonObject, stringOf } from '../../base/json.ts'

export interface Node {
  readonly record: JsonObject
  readonly line: number
  readonly parent: Node | null
  /** Its parent is not in the file, or it names none. The record before it, if there is one, then counts as its parent. */
  readonly isLost: boolean
}

/** Whether a record without a parent begins a new tree behind these others, which are then a branch that was left. */
export type MayBegin = (record: JsonObject, before: readonly Node[]) => boolean

export class Tree {
  readonly #mayBegin: MayBegin
  readonly #nodes: Node[] = []
  readonly #byId = new Map<string, Node>()

  constructor(mayBegin: MayBegin) {
    this.#mayBegin = mayBegin
  }

  /** @returns null if there is a record with this id already */
  add(record: JsonObject, line: number, id: unknown, parentId: unknown): Node | null {
    const name = stringOf(id)
    if (name !== undefined && this.#byId.has(name)) return null
    const node = { record, line, ...this.#parentOf(record, name, parentId) }
    this.#nodes.push(node)
    if (name !== undefined) this.#byId.set(name, node)
    return node
  }

  /** In the order of the file. */
  get nodes(): readonly Node[] {
    return this.#nodes
  }

  get(id: string): Node | undefined {
    return this.#byId.get(id)
  }

  at(index: number): Node | undefined {
    return this.#nodes[index]
  }

  /** From the root to the last record. */
  path(): Node[] {
    const path: Node[] = []
    for (let node = this.#nodes.at(-1) ?? null; node; node = node.parent) path.push(node)
    return path.reverse()
  }

  /** Records without ids follow one another. */
  #parentOf(record: JsonObject, name: string | undefined, parentId: unknown): Pick<Node, 'parent' | 'isLost'> {
    const before = this.#nodes.at(-1) ?? null
    if (parentId === null && (!before || this.#mayBegin(record, this.#nodes))) return { parent: null, isLost: false }
    const parent = this.#byId.get(stringOf(parentId) ?? '')
    if (parent) return { parent, isLost: false }
    const isLost = before ? name !== undefined || parentId !== undefined : typeof parentId === 'string'
    return { parent: before, isLost }
  }
}

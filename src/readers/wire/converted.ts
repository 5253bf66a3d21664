import type { Shape } from '../reader.ts'
import type { JsonObject } from './blocks.ts'

/**
 * Messages that a reader puts into the form of an API before they are interpreted. What a message must hold is asked in
 * the form that it was recorded in, when what became of it is written.
 */
export class Converted {
  readonly #recorded = new WeakMap<object, JsonObject>()
  readonly #shape: Shape

  /** @param shape of a message as it was recorded, or as the API has it */
  constructor(shape: Shape) {
    this.#shape = shape
  }

  /** @returns `made` */
  put(made: JsonObject, recorded: JsonObject): JsonObject {
    this.#recorded.set(made, recorded)
    return made
  }

  /** Of what became of a message. */
  readonly shape: Shape = (made) => this.#shape(this.#recorded.get(made as object) ?? made)
}

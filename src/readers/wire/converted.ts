import type { JsonObject } from '../../base/json.ts'
import type { Shape } from '../reader.ts'

/**
 * Messages that a reader puts into the form of an API before they are interpreted. A message is checked in the form in
 * which it was recorded, at the moment when its converted form is written.
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

  /** The shape of a converted message: that of the message as it was recorded. */
  readonly shape: Shape = (made) => this.#shape(this.#recorded.get(made as object) ?? made)
}

/** Looks up plugins by name and suggests the closest name if there is none. */
import { closest } from './closest.ts'
import { CtxwinError } from './errors.ts'

export interface Named {
  readonly name: string
  readonly summary: string
  /** Other names it answers to. */
  readonly aliases?: readonly string[]
}

export class Registry<T extends Named> {
  readonly kind: string
  readonly all: readonly T[]
  /** Where a person finds all of them. */
  readonly lister: string

  /**
   * @param kind what the plugins are called in messages: "policy"
   * @param lister where a person finds all of them, as a clause: "ctxwin list policies shows all"
   */
  constructor(kind: string, all: readonly T[], lister = '') {
    this.kind = kind
    this.lister = lister
    // Frozen, so that nobody takes adding to this list for a way to register a plugin.
    this.all = Object.freeze([...all])
  }

  get names(): string[] {
    return this.all.map((plugin) => plugin.name)
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  /**
   * @param others names that are none of a plugin and could be meant
   * @throws CtxwinError with the closest name when there is none called `name`
   */
  get(name: string, others: readonly string[] = []): T {
    const plugin = this.#find(name)
    if (plugin) return plugin
    throw new CtxwinError(
      'unknown-name',
      this.kind,
      name,
      closest(String(name), [...this.names, ...others], this.lister),
    )
  }

  /** A plugin is called `drop-oldest`; a config file may write the name as the key `dropOldest`. */
  #find(name: string): T | undefined {
    const kebab = String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return this.all.find((plugin) => plugin.name === kebab || plugin.aliases?.includes(kebab))
  }
}

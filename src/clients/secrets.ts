/**
 * Replaces secrets in what is about to be sent and in what comes back: the key that is sent, keys of known services, tokens, private keys,
 * and passwords where they plainly stand. What has no known form stays: this is a net under a slip and no promise. (`--redact` is another
 * thing: it replaces all words by pseudonyms.) Each pattern looks at a character a bounded number of times, whatever the text is.
 */
import type { JsonObject } from '../base/json.ts'
import { jsonText } from '../base/json-text.ts'
import { findPrivateKeys, kinds } from './secret-kinds.ts'

/** In characters: a password of one letter in an address. */
const shortest = '://:x@'.length

/**
 * One of these for all bodies that are compared with each other: the same secret is the same placeholder in all of them, such as
 * `[secret: github token 1]`. Numbers go by first sight. Shown the full window of a request first, and for each request a new one,
 * they depend on that window alone, and not on what else a run asks.
 */
export class Secrets {
  /** Placeholders, by kind and secret. */
  readonly #placeholders = new Map<string, string>()
  readonly #replaced = new Map<string, number>()
  readonly #known: readonly string[]

  /** @param known secrets whatever they look like */
  constructor(known: readonly string[] = []) {
    // One may begin with another.
    this.#known = [...known].sort((one, other) => other.length - one.length)
  }

  /** How many of each kind were replaced; one that stands in many places is one. */
  get replaced(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#replaced)
  }

  /**
   * @param value plain data
   * @returns the very same where it has no secret; else a copy in which what has none is the same as before
   */
  replaceIn<Value>(value: Value): Value {
    try {
      return this.#inValue(value) as Value
    } catch (error) {
      // It nests deeper than the stack is.
      if (!(error instanceof RangeError)) throw error
      const text = jsonText(value)
      const replaced = this.#inText(text)
      return replaced === text ? value : (JSON.parse(replaced) as Value)
    }
  }

  #inValue(value: unknown): unknown {
    if (typeof value === 'string') return this.#inText(value)
    if (typeof value !== 'object' || value === null) return value
    return Array.isArray(value) ? this.#inList(value) : this.#inObject(value as JsonObject)
  }

  #inList(list: readonly unknown[]): readonly unknown[] {
    const values = list.map((one) => this.#inValue(one))
    return values.every((one, at) => one === list[at]) ? list : values
  }

  #inObject(object: JsonObject): JsonObject {
    const before = Object.entries(object)
    const after = before.map(([key, value]): [string, unknown] => [this.#inText(key), this.#inValue(value)])
    const isSame = after.every(([key, value], at) => key === before[at]![0] && value === before[at]![1])
    return isSame ? object : Object.fromEntries(after)
  }

  #inText(text: string): string {
    if (text.length < shortest) return text
    const known = this.#known.reduce((all, one) => all.replaceAll(one, () => this.#placeholder('key', one)), text)
    let result = findPrivateKeys(known, (secret) => this.#placeholder('private key', secret))
    for (const { kind, pattern, isOne } of kinds) {
      result = result.replace(pattern, (all: string, before: string, secret: string) =>
        isOne === undefined || isOne(secret, before) ? before + this.#placeholder(kind, secret) : all,
      )
    }
    return result
  }

  #placeholder(kind: string, secret: string): string {
    const key = `${kind} ${secret}`
    const known = this.#placeholders.get(key)
    if (known !== undefined) return known
    const number = (this.#replaced.get(kind) ?? 0) + 1
    const placeholder = `[secret: ${kind} ${number}]`
    this.#replaced.set(kind, number)
    this.#placeholders.set(key, placeholder)
    return placeholder
  }
}

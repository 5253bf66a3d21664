/** Looks a plugin up by its name and says what was meant when there is none. */
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

  /** @param kind what the plugins are called in messages: "policy" */
  constructor(kind: string, all: readonly T[]) {
    this.kind = kind
    // A list that could be added to would look like a way to add a plugin for good.
    this.all = Object.freeze([...all])
  }

  get names(): string[] {
    return this.all.map((plugin) => plugin.name)
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  /** @throws CtxwinError with the closest name when there is none called `name` */
  get(name: string): T {
    const plugin = this.#find(name)
    if (!plugin) throw new CtxwinError('unknown-name', this.kind, name, closest(name, this.names))
    return plugin
  }

  /** One scheme for both places: `drop-oldest` is the name, and a config may write it as the key `dropOldest`. */
  #find(name: string): T | undefined {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return this.all.find((plugin) => plugin.name === kebab || plugin.aliases?.includes(kebab))
  }
}

/** "Did you mean x?" where a name is near enough, else the list of names. */
export function closest(word: string, names: readonly string[]): string {
  if (names.length === 0) return 'It has none.'
  // Nobody mistypes so long a name, and to measure how far off it is takes its length times theirs.
  if (word.length > 100) return `Known: ${names.join(', ')}`
  const ranked = names.map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
  const best = ranked.reduce((a, b) => (b.distance < a.distance ? b : a))
  if (best.distance <= Math.max(2, Math.floor(word.length / 3))) return `Did you mean "${best.name}"?`
  return `Known: ${names.join(', ')}`
}

/** Levenshtein's distance, by rows. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap))
    }
    row = next
  }
  return row[b.length] as number
}

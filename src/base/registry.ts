/** Looks up plugins by name and suggests the closest name if there is none. */
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
    // Frozen, so that nobody takes adding to this list for a way to register a plugin.
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

  /** A plugin is called `drop-oldest`; a config file may write the name as the key `dropOldest`. */
  #find(name: string): T | undefined {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return this.all.find((plugin) => plugin.name === kebab || plugin.aliases?.includes(kebab))
  }
}

/** "Did you mean x?" if a name is close enough, else the list of names. */
export function closest(word: string, names: readonly string[]): string {
  if (names.length === 0) return 'It has none.'
  // No typo is that long, and the distance takes time proportional to both lengths.
  if (word.length > 100) return `Known: ${names.join(', ')}`
  const ranked = names.map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
  const best = ranked.reduce((a, b) => (b.distance < a.distance ? b : a))
  if (best.distance <= Math.max(2, Math.floor(word.length / 3))) return `Did you mean "${best.name}"?`
  return `Known: ${names.join(', ')}`
}

/** The Levenshtein distance, row by row. */
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

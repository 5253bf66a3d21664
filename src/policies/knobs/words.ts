/**
 * The language of the knobs: words joined by `+`, each with its arguments behind colons, as in `last:3+tool:Read`. A
 * knob is a table of its words. The table parses them, and the help and docs/compose.md are written from it.
 */
import { type Param, parseTokens } from '../../base/param.ts'

export interface Word<Meaning> {
  readonly help: string
  /** What the word means with its arguments; undefined if they are not valid. */
  of(args: readonly string[]): Meaning | undefined
}

/** By how a word is written: `first:N`; what may be left out stands in brackets. */
export type Words<Meaning> = Readonly<Record<string, Word<Meaning>>>

export interface Knob<Meaning> extends Param<string> {
  readonly words: Readonly<Record<string, { readonly help: string }>>
  /** @param value as `parse` has let it pass */
  read(value: string): Meaning
}

interface KnobOptions<Meaning, All> {
  readonly default: string
  readonly help: string
  readonly words: Words<Meaning>
  /** The separator of alternatives; without it, there are none. */
  readonly or?: string
  /** What the words mean together; undefined if they contradict each other. */
  together(alternatives: readonly (readonly Meaning[])[]): All | undefined
}

export function knob<Meaning, All>(options: KnobOptions<Meaning, All>): Knob<All> {
  const { words, or, together } = options
  const byName = new Map(Object.entries(words).map(([written, word]) => [written.split(/[:[]/)[0] as string, word]))
  const meaningOf = (word: string): Meaning | undefined => {
    const [name = '', ...args] = word.split(':')
    return byName.get(name)?.of(args)
  }
  const read = (value: string): All | undefined => {
    const alternatives = (or === undefined ? [value] : value.split(or)).map((all) => all.split('+').map(meaningOf))
    const isKnown = (all: readonly (Meaning | undefined)[]): all is Meaning[] => !all.includes(undefined)
    return alternatives.every(isKnown) ? together(alternatives) : undefined
  }
  return {
    default: options.default,
    help: options.help,
    expected: `made of ${Object.keys(words).join(', ')}, joined by +${or === undefined ? '' : ` (and) or ${or} (or)`}`,
    words,
    parse(value) {
      const joined = Array.isArray(value) ? value.join('+') : value
      return typeof joined === 'string' && read(joined) !== undefined ? joined : undefined
    },
    read: (value) => read(value) as All,
  }
}

/** A word without arguments. */
export function plain<Meaning>(help: string, meaning: Meaning): Word<Meaning> {
  return { help, of: (args) => (args.length === 0 ? meaning : undefined) }
}

/** A word with one number that is whole and at least `min`. */
export function counted<Meaning>(help: string, min: number, of: (count: number) => Meaning): Word<Meaning> {
  return {
    help,
    of([word, ...more]) {
      const count = parseTokens(word)
      return count === undefined || count < min || more.length > 0 ? undefined : of(count)
    },
  }
}

/** The names in an argument, which are parted by slashes: `tool:Read/Grep`. */
export function namesIn(argument: string | undefined): ReadonlySet<string> | undefined {
  const names = argument?.split('/') ?? []
  return names.length === 0 || names.includes('') ? undefined : new Set(names)
}

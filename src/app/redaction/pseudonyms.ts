/**
 * Pseudonyms of words: as long as the word in characters and in bytes of UTF-8, with capitals, digits and letters of a script
 * where it has some, and never the same for two words. So what is left of a text is its shape.
 *
 * A word is taken for a number whose places have as many values as there are characters of a kind, and a Feistel network of
 * eight rounds permutes these numbers, as in NIST's FF1; SHA-256 over the key is its function. A table of what was given
 * out, the other way to keep words apart, would make the pseudonym depend on which words came before.
 */
import { hash } from 'node:crypto'

/** Characters that may stand for each other: same length in UTF-8, same kind. */
interface Alphabet {
  readonly size: number
  index(code: number): number
  code(index: number): number
}

const rounds = 8
/** Numbers of 32 bits in a hash. */
const perHash = 8

/** @param key secret: who has it can find the words again by trying them */
export function pseudonyms(key: string): (word: string) => string {
  const known = new Map<string, string>()
  return (word) => {
    let pseudonym = known.get(word)
    if (pseudonym === undefined) {
      pseudonym = permuted(word, key)
      known.set(word, pseudonym)
    }
    return pseudonym
  }
}

function permuted(word: string, key: string): string {
  const codes = Array.from(word, (character) => character.codePointAt(0) as number)
  const alphabets = codes.map(alphabetOf)
  const places = codes.map((code, at) => (alphabets[at] as Alphabet).index(code))
  const sizes = alphabets.map(({ size }) => size)
  const middle = Math.ceil(places.length / 2)
  for (let round = 0; round < rounds; round++) {
    const [from, to, otherFrom, otherTo] =
      round % 2 === 0 ? [0, middle, middle, places.length] : [middle, places.length, 0, middle]
    const other = `${key} ${round} ${sizes} ${places.slice(otherFrom, otherTo)}`
    let added = Buffer.of()
    for (let at = from; at < to; at++) {
      const nth = (at - from) % perHash
      if (nth === 0) added = hash('sha256', `${other} ${at - from}`, 'buffer')
      places[at] = ((places[at] as number) + added.readUInt32LE(4 * nth)) % (sizes[at] as number)
    }
  }
  const shown = places.map((place, at) => {
    const code = (alphabets[at] as Alphabet).code(place)
    const isCapital = (codes[at] as number) >= 65 && (codes[at] as number) <= 90
    return isCapital ? code - 32 : code
  })
  return shown.map((code) => String.fromCodePoint(code)).join('')
}

function range(first: number, last: number): Alphabet {
  return { size: last - first + 1, index: (code) => code - first, code: (index) => first + index }
}

/** A capital has the place of its small letter, so that a word is the same at the beginning of a sentence. */
const letters: Alphabet = { ...range(97, 122), index: (code) => (code < 97 ? code + 32 : code) - 97 }
const digits = range(48, 57)
const han = range(0x4e00, 0x9fff)
const hangul = range(0xac00, 0xd7a3)

function alphabetOf(code: number): Alphabet {
  if (code >= 48 && code <= 57) return digits
  if (code < 128) return letters
  if (code >= 0x4e00 && code <= 0x9fff) return han
  if (code >= 0xac00 && code <= 0xd7a3) return hangul
  return neighboursOf(code)
}

const kinds = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lt}|\p{Lm}|\p{Lo}/u, /\p{M}/u, /\p{Nd}/u, /\p{N}/u]
const neighbours = new Map<string, Alphabet>()

/** Those of the same kind among the 64 characters that have all but the last byte in common. */
function neighboursOf(code: number): Alphabet {
  const kindOf = (one: number) => kinds.findIndex((kind) => kind.test(String.fromCodePoint(one)))
  const kind = kindOf(code)
  const block = code - (code % 64)
  const name = `${block} ${kind}`
  let alphabet = neighbours.get(name)
  if (alphabet === undefined) {
    const codes = Array.from({ length: 64 }, (_, at) => block + at).filter((one) => kindOf(one) === kind)
    alphabet = { size: codes.length, index: (one) => codes.indexOf(one), code: (index) => codes[index] as number }
    neighbours.set(name, alphabet)
  }
  return alphabet
}

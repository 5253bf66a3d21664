/**
 * What the records of a format must hold, declared by their reader. A program may rename a key or change its type in any
 * release; a reader that only looks for the keys it knows would then lose content without a word. So a reader declares the
 * keys of its records, and a record that has not got one, or has it with another type, is a finding that names the key.
 *
 * Only keys that carry what ctxwin counts are declared: text, calls, results, usage, and what decides which of them stay.
 * What ctxwin itself wrote is held whole, each value in its range, by `base/plain-shape.ts`.
 */

import type { LeftOut, Shape } from '../reader.ts'
import { isLike, isSentence, isText } from './words.ts'

const types = { string: 1, number: 2, boolean: 4, object: 8, list: 16, null: 32 } as const

type TypeName = keyof typeof types

/**
 * One type, or several: `string|list`. A question mark allows the key to be absent or null: `string?`. `text?` is a string that
 * says something, `amount?` a number of tokens or a price, and `arguments?` an object of any keys: where such a key is absent,
 * none that is not declared holds the like.
 */
export type TypeWord =
  | TypeName
  | `${TypeName}?`
  | `${TypeName}|${string}`
  | 'any'
  | 'any?'
  | 'any|null'
  | 'text?'
  | 'amount?'
  | 'arguments?'

export type Expected = TypeWord | Shape | OptionalShape

/** A shape that is checked only where the key is present. */
interface OptionalShape {
  readonly optional: Shape
}

/**
 * For a key that may be absent or null: what it holds, if it is there, has this shape. If it is not, no key that is not declared
 * holds such a value: a newer version may have renamed it.
 */
export function optional(shape: Shape): OptionalShape {
  return { optional: shape }
}

/** What to report of a value that does not have this shape; null if it has it. */
export function oddIn(shape: Shape, value: unknown): LeftOut | null {
  const key = shape(value)
  return key === null ? null : { code: 'bad-shape', key }
}

/** How a value shows that it can be nothing else than what stands under a key, whatever key it stands under. */
interface Signs {
  /** Values of other types need no look. */
  readonly types: number
  readonly tell: (value: unknown, key: string) => boolean
}

/** @param declared the keys that are declared of the value, by this shape or another that it has to have */
type Check = (value: unknown, declared: ReadonlySet<string>) => string | null

/** A shape that was made here: it knows more than whether a value has it. */
interface Made extends Shape {
  readonly check?: Check
  readonly signs?: Signs
  /** The keys that it declares. */
  readonly names?: readonly string[]
}

function made(check: Check, signs: Signs, names: readonly string[] = []): Shape {
  const declared = new Set(names)
  return Object.assign((value: unknown) => check(value, declared), { check, signs, names })
}

const checkIn = (shape: Shape): Check => (shape as Made).check ?? shape

/** Nearly everything has a shape in which all is optional: only what a shape asks for shows it. */
function signsOf(shape: Shape): Signs {
  const ofObject = (value: unknown) => shape(value) === null && shape({}) !== null
  return (shape as Made).signs ?? { types: types.object, tell: ofObject }
}

const tells = ({ types, tell }: Signs, value: unknown, key: string): boolean =>
  (typeOf(value) & types) !== 0 && tell(value, key)

const namesOf = (shape: Shape): readonly string[] => (shape as Made).names ?? []

/** An object with these keys; others may stand beside them. */
export function keys(expected: Readonly<Record<string, Expected>>): Shape {
  return objectShape(expected, false)
}

/** An object with at least one of these keys, which hold what is expected. One without any lacks the first of them. */
export function someOf(expected: Readonly<Record<string, TypeWord | Shape>>): Shape {
  const entries = Object.entries(expected).map(([name, one]) => [name, typeof one === 'function' ? optional(one) : one])
  return objectShape(Object.fromEntries(entries), true)
}

/** @param needsOne the keys may all be absent or null, but for one of them */
function objectShape(expected: Readonly<Record<string, Expected>>, needsOne: boolean): Shape {
  const declared = Object.keys(expected)
  // Of a key that may hold anything there is nothing to ask.
  const names = declared.filter((name) => expected[name] !== 'any?')
  const checks = names.map((name) => checkOf(expected[name] as Expected))
  const signs = names.map((name) => signsUnder(name, expected[name] as Expected))
  const check: Check = (value, declared) => {
    if (typeOf(value) !== types.object) return ''
    const object = value as Readonly<Record<string, unknown>>
    let isNone = needsOne
    let missed = 0
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      const held = object[name]
      if (held === undefined || held === null) {
        missed |= signs[index]?.types ?? 0
        if (needsOne) continue
      } else isNone = false
      const found = (checks[index] as Shape)(held)
      if (found !== null) return under(name, found)
    }
    const renamed = missed === 0 ? null : renamedIn(object, declared, missed)
    return renamed ?? (isNone ? (names[0] as string) : null)
  }

  /** Of one of the declared keys that are missing: what it held, under a key that is not declared. */
  function renamedIn(object: Readonly<Record<string, unknown>>, declared: ReadonlySet<string>, missed: number) {
    for (const key in object) {
      const value = object[key]
      if ((typeOf(value) & missed) === 0 || declared.has(key)) continue
      const name = names.find((name, at) => isMissing(object[name]) && signs[at] && tells(signs[at], value, key))
      // What stands there twice is not lost.
      if (name !== undefined && ![...declared].some((other) => object[other] === value)) return name
    }
    return null
  }

  const isNeeded = checks.map((check) => needsOne || check(undefined) !== null)
  const shape: Shape = made(check, { types: types.object, tell }, declared)

  function tell(value: unknown): boolean {
    if (shape(value) !== null) return false
    const object = value as Readonly<Record<string, unknown>>
    return names.some((name, at) => {
      const held = object[name]
      return !isMissing(held) && (isNeeded[at] || (signs[at] !== undefined && tells(signs[at], held, name)))
    })
  }
  return shape
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

/** Undefined where nothing tells what the key held. */
function signsUnder(name: string, expected: Expected): Signs | undefined {
  if (typeof expected === 'object') return signsOf(expected.optional)
  if (expected === 'text?')
    return { types: types.string, tell: (value, key) => isText(value as string) && isLike(key, name) }
  if (expected === 'arguments?')
    return { types: types.object, tell: (value) => Object.keys(value as object).length > 0 }
  if (expected !== 'amount?') return undefined
  return { types: types.number, tell: (value, key) => (value as number) > 0 && isLike(key, name) }
}

/** An object that has one of several kinds, named by its key `kind`. A kind that is not among them has any shape. */
export function kinds(kind: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(Object.entries(shapes).map(([name, shape]) => [name, checkIn(shape)]))
  const isKnown = (value: unknown) => known.has((value as Readonly<Record<string, unknown>>)[kind] as string)
  const shape: Shape = made(check, { types: types.object, tell: (value) => isKnown(value) && shape(value) === null }, [
    kind,
    ...Object.values(shapes).flatMap(namesOf),
  ])
  return shape

  function check(value: unknown, declared: ReadonlySet<string>): string | null {
    if (typeOf(value) !== types.object) return ''
    const name = (value as Readonly<Record<string, unknown>>)[kind]
    if (typeof name !== 'string') return kind
    return known.get(name)?.(value, declared) ?? null
  }
}

/** One of several shapes, by what the value is. */
export function which(choose: (value: unknown) => Shape, of: readonly Shape[]): Shape {
  const signs = { types: anything, tell: (value: unknown, key: string) => tells(signsOf(choose(value)), value, key) }
  return made((value, declared) => checkIn(choose(value))(value, declared), signs, of.flatMap(namesOf))
}

/** A shape that is checked only on objects that meet a condition. */
export function where(condition: (object: Readonly<Record<string, unknown>>) => boolean, shape: Shape): Shape {
  const isMet = (value: unknown) =>
    typeOf(value) !== types.object || condition(value as Readonly<Record<string, unknown>>)
  const [check, signs] = [checkIn(shape), signsOf(shape)]
  return made(
    (value, declared) => (isMet(value) ? check(value, declared) : null),
    { types: signs.types, tell: (value, key) => isMet(value) && signs.tell(value, key) },
    namesOf(shape),
  )
}

/** A list whose items have this shape. */
export function listOf(shape: Shape): Shape {
  const list: Shape = (value) => {
    if (!Array.isArray(value)) return ''
    for (const item of value) {
      const found = shape(item)
      if (found !== null) return under('[]', found)
    }
    return null
  }
  return made(list, signsOfList(shape))
}

/** A list, whatever is in it: its items are asked one by one, and the list is told by their shape. */
export function listLike(shape: Shape): Shape {
  return made((value) => (Array.isArray(value) ? null : ''), signsOfList(shape))
}

function signsOfList(shape: Shape): Signs {
  const signs = signsOf(shape)
  return { types: types.list, tell: (value, key) => (value as unknown[]).some((item) => tells(signs, item, key)) }
}

/** An object of any keys, whose values have this shape. */
export function mapOf(shape: Shape): Shape {
  const list = listOf(shape)
  const signs = signsOf(list)
  return made(
    (value) => {
      const found = typeOf(value) === types.object ? list(Object.values(value as object)) : ''
      return found === null || found === '' ? found : found.replace('[]', '*')
    },
    { types: types.object, tell: (value, key) => signs.tell(Object.values(value as object), key) },
  )
}

/** A text that people or models wrote. */
export const prose: Shape = made((value) => (typeof value === 'string' ? null : ''), {
  types: types.string,
  tell: (value) => isSentence(value as string),
})

/** The first shape for a value that is an object or a list, the type for any other: `orText(listOf(part))`. */
export function orText(shape: Shape): Shape {
  return made((value) => (typeof value === 'string' ? null : shape(value)), signsOf(shape))
}

/** The same for a key that may be absent, where no other text stands beside it: it is told by its words, too. */
export function spoken(shape: Shape): Shape {
  return which((value) => (typeof value === 'string' ? prose : shape), [shape])
}

/** The shape for a value that is not null: for a key that must be there. */
export function orNull(shape: Shape): Shape {
  return made((value) => (value === null ? null : shape(value)), signsOf(shape))
}

/** The shape for each item of a list, or for the value itself if it is none. */
export function oneOrList(shape: Shape): Shape {
  const list = listOf(shape)
  return which((value) => (Array.isArray(value) ? list : shape), [shape])
}

/** What has all of these shapes. */
export function both(...shapes: readonly Shape[]): Shape {
  const [checks, signs] = [shapes.map(checkIn), shapes.map(signsOf)]
  const tell = (value: unknown, key: string) => shape(value) === null && signs.some((one) => tells(one, value, key))
  const shape: Shape = made(check, { types: types.object, tell }, shapes.flatMap(namesOf))
  return shape

  function check(value: unknown, declared: ReadonlySet<string>): string | null {
    for (const one of checks) {
      const found = one(value, declared)
      if (found !== null) return found
    }
    return null
  }
}

function checkOf(expected: Expected): Shape {
  if (typeof expected === 'function') return expected
  if (typeof expected === 'object') {
    const { optional: shape } = expected
    return (value) => (value === undefined || value === null ? null : shape(value))
  }
  const allowed = maskOf(expected)
  return (value) => ((typeOf(value) & allowed) === 0 ? '' : null)
}

const anything = types.string | types.number | types.boolean | types.object | types.list

/** A value that is absent has no type, and is allowed only where `absent` is. */
const absent = 64

const typesOf: Readonly<Record<string, number>> = {
  ...types,
  any: anything,
  text: types.string,
  amount: types.number,
  arguments: types.object,
}

function maskOf(word: TypeWord): number {
  const mask = word
    .replace('?', '')
    .split('|')
    .reduce((sum, name) => sum | (typesOf[name] as number), 0)
  return word.endsWith('?') ? mask | absent | types.null : mask
}

function typeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return types.string
    case 'number':
      return types.number
    case 'boolean':
      return types.boolean
    case 'undefined':
      return absent
    default:
      return value === null ? types.null : Array.isArray(value) ? types.list : types.object
  }
}

/** A path of keys: `content[].text`. An empty one is the value itself. */
export function under(name: string, rest: string): string {
  return rest === '' || rest.startsWith('[') ? `${name}${rest}` : `${name}.${rest}`
}

/**
 * What the records of a format must hold, declared by their reader. A program may rename a key or change its type in any
 * release; a reader that only looks for the keys it knows would then lose content without a word. So a reader declares the
 * keys of its records, and a record that has not got one, or has it with another type, is a finding that names the key.
 *
 * Only keys that carry what ctxwin counts are declared: text, calls, results, usage, and what decides which of them stay.
 * What ctxwin itself wrote is held whole, each value in its range, by `base/plain-shape.ts`.
 */

import type { LeftOut, Shape } from '../reader.ts'

const types = { string: 1, number: 2, boolean: 4, object: 8, list: 16, null: 32 } as const

type TypeName = keyof typeof types

/** One type, or several: `string|list`. A question mark allows the key to be absent or null: `string?`. */
export type TypeWord = TypeName | `${TypeName}?` | `${TypeName}|${string}` | 'any' | 'any|null'

export type Expected = TypeWord | Shape | OptionalShape

/** A shape that is checked only where the key is present. */
interface OptionalShape {
  readonly optional: Shape
}

/** For a key that may be absent or null: what it holds, if it is there, has this shape. */
export function optional(shape: Shape): OptionalShape {
  return { optional: shape }
}

/** What to report of a value that does not have this shape; null if it has it. */
export function oddIn(shape: Shape, value: unknown): LeftOut | null {
  const key = shape(value)
  return key === null ? null : { code: 'bad-shape', key }
}

/** An object with these keys; others may stand beside them. */
export function keys(expected: Readonly<Record<string, Expected>>): Shape {
  const names = Object.keys(expected)
  const checks = Object.values(expected).map(checkOf)
  return (value) => {
    if (typeOf(value) !== types.object) return ''
    const object = value as Readonly<Record<string, unknown>>
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      const found = (checks[index] as Shape)(object[name])
      if (found !== null) return under(name, found)
    }
    return null
  }
}

/** An object with at least one of these keys, which hold what is expected. One without any lacks the first of them. */
export function someOf(expected: Readonly<Record<string, TypeWord | Shape>>): Shape {
  const names = Object.keys(expected)
  const checks = Object.values(expected).map(checkOf)
  return (value) => {
    if (typeOf(value) !== types.object) return ''
    const object = value as Readonly<Record<string, unknown>>
    let has = false
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      const held = object[name]
      if (held === undefined || held === null) continue
      has = true
      const found = (checks[index] as Shape)(held)
      if (found !== null) return under(name, found)
    }
    return has ? null : (names[0] as string)
  }
}

/** An object that has one of several kinds, named by its key `kind`. A kind that is not among them has any shape. */
export function kinds(kind: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(Object.entries(shapes))
  return (value) => {
    if (typeOf(value) !== types.object) return ''
    const name = (value as Readonly<Record<string, unknown>>)[kind]
    if (typeof name !== 'string') return kind
    return known.get(name)?.(value) ?? null
  }
}

/** A shape that is checked only on objects that meet a condition. */
export function where(condition: (object: Readonly<Record<string, unknown>>) => boolean, shape: Shape): Shape {
  return (value) => {
    const isOther = typeOf(value) === types.object && !condition(value as Readonly<Record<string, unknown>>)
    return isOther ? null : shape(value)
  }
}

/**
 * An object with a key that may be absent, but then no other key holds what should stand there: a newer version may have
 * renamed it.
 * @param isSuch whether a value, or an item of a list, is what stands under the key
 */
export function notRenamed(name: string, isSuch: (value: Readonly<Record<string, unknown>>) => boolean): Shape {
  const isOne = (value: unknown) => typeOf(value) === types.object && isSuch(value as Readonly<Record<string, unknown>>)
  return (value) => {
    const object = value as Readonly<Record<string, unknown>>
    if (object[name] !== undefined && object[name] !== null) return null
    return Object.values(object).some((held) => (Array.isArray(held) ? held.some(isOne) : isOne(held))) ? name : null
  }
}

/** A list whose items have this shape. */
export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return ''
    for (const item of value) {
      const found = shape(item)
      if (found !== null) return under('[]', found)
    }
    return null
  }
}

/** The first shape for a value that is an object or a list, the type for any other: `orText(listOf(part))`. */
export function orText(shape: Shape): Shape {
  return (value) => (typeof value === 'string' ? null : shape(value))
}

/** The shape for a value that is not null: for a key that must be there. */
export function orNull(shape: Shape): Shape {
  return (value) => (value === null ? null : shape(value))
}

/** The shape for each item of a list, or for the value itself if it is none. */
export function oneOrList(shape: Shape): Shape {
  const list = listOf(shape)
  return (value) => (Array.isArray(value) ? list : shape)(value)
}

/** What has all of these shapes. */
export function both(...shapes: readonly Shape[]): Shape {
  return (value) => {
    for (const shape of shapes) {
      const found = shape(value)
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

function maskOf(word: TypeWord): number {
  const names = word.replace('?', '').split('|') as (TypeName | 'any')[]
  const mask = names.reduce((sum, name) => sum | (name === 'any' ? anything : types[name]), 0)
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

/**
 * Shapes of plain data that comes from elsewhere, so that each of its values is of the type and in the range that the code
 * counts on. The compiler holds a shape against its type: a member that is added to the type has to be added here. What other
 * programs write, of which a reader knows only some keys, has shapes of its own (`readers/wire/shape.ts`).
 */

/** @returns where the first value stands that is none: a path such as `cost.input`, '' for the whole; null if all are sound */
export type Shape<T> = ((value: unknown) => string | null) & {
  /** Never there: it ties the shape to its type. */
  readonly of?: T
}

/** A member that may be absent. */
export interface Optional<T> {
  readonly optional: Shape<T>
}

/** By the keys of `T`: its members, and those that may be absent as such. */
export type Members<T> = {
  readonly [Key in keyof T]-?: object extends Pick<T, Key> ? Optional<Exclude<T[Key], undefined>> : Shape<T[Key]>
}

const most = Number.MAX_SAFE_INTEGER
const is =
  <T>(test: (value: unknown) => boolean): Shape<T> =>
  (value) =>
    test(value) ? null : ''
const isNumber = (value: unknown): value is number => typeof value === 'number'

export const string: Shape<string> = is((value) => typeof value === 'string')
export const truth: Shape<boolean> = is((value) => typeof value === 'boolean')
/** A whole number that JSON and JavaScript have exactly. */
export const whole: Shape<number> = is(Number.isSafeInteger)
/** A whole number, not below zero. */
export const count: Shape<number> = is((value) => Number.isSafeInteger(value) && (value as number) >= 0)
/** An index; -1 for nothing in front of the first. */
export const index: Shape<number> = is((value) => Number.isSafeInteger(value) && (value as number) >= -1)
export const number: Shape<number> = is((value) => isNumber(value) && Math.abs(value) <= most)
/** A number, not below zero. */
export const amount: Shape<number> = is((value) => isNumber(value) && value >= 0 && value <= most)
/** Milliseconds since the epoch; no number, or none that is finite, where no time is known. */
export const time: Shape<number> = is(isNumber)
export const method: Shape<(...given: never[]) => unknown> = is((value) => typeof value === 'function')
export const nothing: Shape<null> = is((value) => value === null)

/** Whatever JSON can say in so many levels: what reads it on needs no deeper stack. What JSON leaves out may be in it. */
export function plain(levels: number): Shape<unknown> {
  return is((value) => {
    try {
      return isPlain(value, levels)
    } catch {
      // To read it throws.
      return false
    }
  })
}

function isPlain(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (levels === 0 || ArrayBuffer.isView(value)) return levels > 0
  if (Array.isArray(value)) return value.every((one) => isPlain(one, levels - 1))
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], levels - 1)) return false
  return true
}

export function oneOf<const T>(words: readonly T[]): Shape<T> {
  return is((value) => words.includes(value as T))
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value))
}

/** The first of the shapes that fits; where none does, the fault that the last one finds. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return (value) => (one(value) === null ? null : other(value))
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape }
}

/** @param length how many it has, where that is known */
export function list<T>(shape: Shape<T>, length?: number): Shape<T[]> {
  return (value) => {
    if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return ''
    for (let at = 0; at < value.length; at++) {
      const fault = shape(value[at])
      if (fault !== null) return joined(String(at), fault)
    }
    return null
  }
}

export function pair<A, B>(first: Shape<A>, second: Shape<B>): Shape<[A, B]> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== 2) return ''
    const fault = first(value[0])
    return fault === null ? under('1', second(value[1])) : joined('0', fault)
  }
}

export function setOf<T>(shape: Shape<T>): Shape<Set<T>> {
  return (value) => (value instanceof Set ? list(shape)([...value]) : '')
}

/** An object with these methods, of its own or of its class: code, and no plain data. */
export function having(methods: readonly string[]): Shape<never> {
  return (value) => {
    if (!isObject(value)) return ''
    return methods.find((name) => typeof (value as Record<string, unknown>)[name] !== 'function') ?? null
  }
}

/** An object with these members. Others may be there, too: nobody reads what the type does not name. */
export function object<T extends object>(members: Members<T>): Shape<T> {
  const entries = Object.entries<Shape<unknown> | Optional<unknown>>(members)
  return (value) => {
    if (!isObject(value)) return ''
    for (const [key, member] of entries) {
      const isRequired = typeof member === 'function'
      if (!Object.hasOwn(value, key)) {
        if (isRequired) return key
        continue
      }
      const fault = (isRequired ? member : member.optional)((value as Record<string, unknown>)[key])
      if (fault !== null) return joined(key, fault)
    }
    return null
  }
}

/** Members that are all alike. */
export function each<Key extends string, T>(keys: readonly Key[], shape: Shape<T>): Record<Key, Shape<T>> {
  return Object.fromEntries(keys.map((key) => [key, shape])) as Record<Key, Shape<T>>
}

/** An object whose keys are anybody's. */
export function record<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return ''
    for (const [key, inner] of Object.entries(value)) {
      const fault = shape(inner)
      if (fault !== null) return joined(key, fault)
    }
    return null
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set)
}

/** A place in a value: `cost.input`. */
export const joined = (key: string, fault: string): string => (fault === '' ? key : `${key}.${fault}`)
const under = (key: string, fault: string | null): string | null => (fault === null ? null : joined(key, fault))

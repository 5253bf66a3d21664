/**
 * What code of others gives is held to shapes where it comes in, so that whatever reads it behind the door need not ask. What is
 * not as it has to be is one line that names the option, and never its value, which may be of a transcript.
 */
import { closest } from './closest.ts'
import { CtxwinError } from './errors.ts'
import { isObject, joined, type Members, type Optional, type Shape } from './plain-shape.ts'

/** Of each option its shape, and the same in words: `a path`. */
export type Options<T> = { readonly [Key in keyof Members<T>]: readonly [Members<T>[Key], string] }

export type AnyOptions = Readonly<Record<string, readonly [Shape<unknown> | Optional<unknown>, string]>>

/**
 * Options, and no others: null is as good as nothing.
 * @param where whose they are: `live`
 * @returns throws a CtxwinError naming the first that there is not, or that is not as it has to be
 */
export function door(where: string, options: AnyOptions): <T>(given: T) => T {
  const names = Object.keys(options)
  const enter = openDoor(where, options)
  return <T>(given: T) => {
    if (isObject(given)) {
      for (const key in given) {
        if (!names.includes(key)) throw new CtxwinError('unknown-name', `option of ${where}`, key, closest(key, names))
      }
    }
    return enter(given) as T
  }
}

/** The same for an object that may have other members, which are not returned. */
export function openDoor(where: string, options: AnyOptions): (given: unknown) => object {
  const entries = Object.entries(options)
  return (given) => {
    if (!isObject(given))
      throw new CtxwinError('usage', `${where}: give an object with ${Object.keys(options).join(', ')}`)
    const sound: Record<string, unknown> = {}
    for (const [name, [member, words]] of entries) {
      const isNeeded = typeof member === 'function'
      let fault: string | null = ''
      try {
        const value = (given as Readonly<Record<string, unknown>>)[name] ?? undefined
        if (value === undefined && !isNeeded) continue
        sound[name] = value
        fault = (isNeeded ? member : member.optional)(value)
      } catch {
        // To read it throws.
      }
      if (fault !== null) throw new CtxwinError('usage', `${where}: \`${joined(name, fault)}\` has to be ${words}`)
    }
    return sound
  }
}

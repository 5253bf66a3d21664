/** A plugin's params. Each is declared once; its type, parsing, help text and documentation come from that declaration. */

import { closest } from './closest.ts'
import { CtxwinError } from './errors.ts'

export interface Param<T> {
  readonly default: T
  readonly help: string
  /** What a value may be, in words: "a whole number of at least 1". */
  readonly expected: string
  /** Parses a word from the command line or a value from a config file; undefined if it is not valid. */
  readonly parse: (value: unknown) => T | undefined
}

export type Params = Readonly<Record<string, Param<unknown>>>
export type Values<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never }

/** The range of a number. A bound that is left out does not apply. */
export interface Bounds {
  readonly help: string
  readonly min?: number
  readonly max?: number
}

export function integer(options: Bounds & { readonly default: number }): Param<number> {
  return bounded(options, 'a whole number', Number.isSafeInteger)
}

export function number(options: Bounds & { readonly default: number }): Param<number> {
  return bounded(options, 'a number', Number.isFinite)
}

export function choice<const T extends string>(options: {
  readonly default: NoInfer<T>
  readonly of: readonly T[]
  readonly help: string
}): Param<T> {
  return {
    default: options.default,
    help: options.help,
    expected: `one of ${options.of.join(', ')}`,
    parse: (value) => options.of.find((word) => word === value),
  }
}

export function flag(options: { readonly default: boolean; readonly help: string }): Param<boolean> {
  return {
    ...options,
    expected: 'true or false',
    parse: (value) =>
      value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined,
  }
}

export function text(options: { readonly default: string; readonly help: string }): Param<string> {
  return { ...options, expected: 'a text', parse: (value) => (typeof value === 'string' ? value : undefined) }
}

/**
 * Words joined by `+`, as commas part params: `human+tool`; in a config file a list, too. `none`, the default, is no word.
 * @param of the words there are; without it, any
 */
export function words(options: { readonly of?: readonly string[]; readonly help: string }): Param<string> {
  const { of, help } = options
  return {
    default: 'none',
    help,
    expected: of ? `none, or ${of.join(', ')}, joined by +` : 'none, or words joined by +',
    parse(value) {
      const joined = Array.isArray(value) ? value.join('+') || 'none' : value
      if (typeof joined !== 'string' || joined === '') return undefined
      return wordsOf(joined).every((word) => word !== '' && (of === undefined || of.includes(word)))
        ? joined
        : undefined
    },
  }
}

/** The words of a value of `words`. */
export function wordsOf(value: string): string[] {
  return value === 'none' ? [] : value.split('+')
}

/** Reads a count of tokens as people write them: 100000, 100k, 0.2M. Undefined when it is none. */
export function parseTokens(value: unknown): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(String(value).trim().replaceAll('_', ''))
  if (!match) return undefined
  const scale = { '': 1, k: 1e3, m: 1e6 }[(match[2] as string).toLowerCase()] as number
  // 0.29M is 290000 despite binary fractions; a fraction of a token is refused.
  const tokens = Number((Number(match[1]) * scale).toFixed(6))
  return Number.isSafeInteger(tokens) ? tokens : undefined
}

function bounded(
  { default: fallback, help, min, max }: Bounds & { readonly default: number },
  kind: string,
  accepts: (value: number) => boolean,
): Param<number> {
  const range = min === undefined ? '' : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`
  return {
    default: fallback,
    help,
    expected: kind + range,
    parse(value) {
      const word = typeof value === 'string' ? value.trim() || 'none' : 'none'
      const parsed = typeof value === 'number' ? value : (parseTokens(word) ?? Number(word))
      return accepts(parsed) && parsed >= (min ?? -Infinity) && parsed <= (max ?? Infinity) ? parsed : undefined
    },
  }
}

/**
 * The values of a plugin's params: the given ones, checked, and defaults for the rest.
 * @throws CtxwinError naming the param that is unknown or has an invalid value
 */
export function resolveParams<P extends Params>(
  plugin: string,
  params: P,
  given: Readonly<Record<string, unknown>>,
): Values<P> {
  const values: Record<string, unknown> = {}
  for (const [key, param] of Object.entries(params)) values[key] = param.default
  for (const [key, value] of Object.entries(given)) {
    const param = Object.hasOwn(params, key) ? params[key] : undefined
    if (!param) throw new CtxwinError('unknown-name', `param of ${plugin}`, key, closest(key, Object.keys(params)))
    const parsed = param.parse(value)
    if (parsed === undefined) throw new CtxwinError('bad-value', `${plugin}:${key}`, value, param.expected)
    values[key] = parsed
  }
  return values as Values<P>
}

/**
 * `key=value,key=value` -> the values of a plugin's params, as they were given.
 * @throws CtxwinError for what is no such pair
 */
export function givenIn(name: string, pairs: string): Record<string, string> {
  const given: Record<string, string> = {}
  for (const pair of pairs.split(',')) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw new CtxwinError('bad-value', name, pair, 'a param (key=value)')
    given[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim()
  }
  return given
}

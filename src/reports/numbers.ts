/** Formats numbers for people, always in English notation, so that the output is the same on every machine. */
import { fewestForPercent } from '../model/run.ts'

const units = ['', 'k', 'M', 'B', 'T']

/** "12,345"; fractions with two decimals. */
export function grouped(value: number): string {
  // Creating an Intl.NumberFormat takes longer than many simulations, and whole numbers do not need it.
  if (Number.isSafeInteger(value)) return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
  english ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 2, signDisplay: 'negative' })
  return english.format(value)
}

/** The number by which people know what data counts from 0: index 83 is request 84. "-" before the first one. */
export const ordinal = (index: number): string => (index < 0 ? '-' : grouped(index + 1))

/**
 * The index of what people know by this number, as `ordinal` prints it or without commas; null if it is no such number.
 */
export const indexOf = (word: string): number | null =>
  /^[1-9](\d*|\d{0,2}(,\d{3})+)$/.test(word) ? Number(word.replaceAll(',', '')) - 1 : null

let english: Intl.NumberFormat | undefined

/** A budget in a transcript, or the most of several; see `Run`. */
export interface NamedBudget {
  readonly budget: number
  readonly budgetAsked?: string
  /** A policy's own is less in other transcripts. */
  readonly isMost?: boolean
}

/** Tokens, or the share of the window that was asked for; a policy's own are tokens. */
export const askedBudget = ({ budget, budgetAsked = 'own' }: NamedBudget): number | string =>
  budgetAsked === 'own' ? budget : budgetAsked

/** A budget for people: "100,000", "50%". */
export function budgetWords(named: NamedBudget): string {
  const asked = askedBudget(named)
  return typeof asked === 'number' ? grouped(asked) : asked
}

/** 812, 4.2k, 82k, 1.2M: one decimal below ten, none above. */
export function compact(value: number): string {
  let scaled = Math.abs(value)
  let unit = 0
  // The limit is not 1000, because 999.6k would be rounded to 1000k.
  while (scaled >= (unit === 0 ? 1000 : 999.5) && unit < units.length - 1) {
    scaled /= 1000
    unit++
  }
  const digits = unit === 0 || scaled >= 9.95 ? grouped(Math.round(scaled)) : scaled.toFixed(1)
  return `${value < 0 && digits !== '0' ? '-' : ''}${digits}${units[unit]}`
}

/**
 * "1 request", "3 requests", "1,203 requests";
 * @param things the plural, where it does not end in `s` alone: "policies"
 */
export const several = (count: number, thing: string, things = `${thing}s`): string =>
  `${grouped(count)} ${count === 1 ? thing : things}`

/** An amount of money: 0.0042, 1.93, 1,204. At least two significant digits. */
export function money(value: number): string {
  if (Math.abs(value) >= 1000) return grouped(Math.round(value))
  return Math.abs(value) >= 0.0995 || value === 0 ? value.toFixed(2) : String(Number(value.toPrecision(2)))
}

/** The decimals of a column of money: cents, or of amounts below a dime two digits of the largest. */
export function moneyDecimals(values: readonly number[]): number {
  const most = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return most === 0 || most >= 0.0995 ? 2 : decimalsOf(Number(most.toPrecision(2)), 12)
}

/** "1,290.36", "0.08"; an amount that these decimals would show as nothing: "<0.01" */
export function moneyCell(value: number, decimals: number): string {
  const least = 10 ** -decimals
  if (value === 0 || Math.abs(value) >= least / 2) return fixed(value, decimals)
  return `${value < 0 ? '>-' : '<'}${least.toFixed(decimals)}`
}

/** "1,204.50" */
export function fixed(value: number, decimals: number): string {
  const [whole = '', rest] = decimal(value, decimals).split('.')
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${rest === undefined ? '' : `.${rest}`}`
}

/** "1204.50": the same without commas. What rounds to nothing has no sign: "0.0", never "-0.0". */
export const decimal = (value: number, decimals: number): string => value.toFixed(decimals).replace(/^-(?=[0.]+$)/, '')

/** How many decimals a number has, `most` at most. */
export function decimalsOf(value: number, most: number): number {
  return (
    value
      .toFixed(most)
      .replace(/\.?0+$/, '')
      .split('.')[1]?.length ?? 0
  )
}

/** "$836", "$1.93": no cents from a hundred dollars on. */
export const dollars = (amount: number): string => `$${amount >= 100 ? grouped(Math.round(amount)) : money(amount)}`

/** "73.2 %", "9.36 %", "0.034 %": a share that may be small, with three digits at most, below one with two. */
export function percentWords(percent: number): string {
  if (percent !== 0 && Math.abs(percent) < 0.001) return '<0.001 %'
  return `${Number(percent.toPrecision(Math.abs(percent) < 1 ? 2 : 3))} %`
}

/**
 * The same in a sentence: "100k", "12,345", "50%", "its own budget of 128k"; of a policy's own that is not known it is
 * 1.
 */
export function shortBudget(named: NamedBudget): string {
  const { budget, budgetAsked, isMost } = named
  if (budgetAsked === 'own' && budget === 1) return 'its own budget'
  if (budgetAsked === 'own') return `its own budget of ${isMost ? 'up to ' : ''}${shortBudget({ budget })}`
  return budgetAsked === undefined && budget >= 1000 && budget % 1000 === 0
    ? `${grouped(budget / 1000)}k`
    : budgetWords(named)
}

/** "-4.1", "+118", "0.0": one decimal below ten, none above. */
export function signed(value: number): string {
  const words = sized(Math.abs(value))
  return `${words === '0.0' ? '' : value > 0 ? '+' : '-'}${words}`
}

/** The same of what is not below zero: "4.1", "118". */
export const sized = (value: number): string => value.toFixed(value < 9.95 ? 1 : 0)

/**
 * What may be saved, between two ends of which one may be below zero, as a change of the cost: "9 to 24 less", "between
 * 173 more and 169 less", "3 to 10 more".
 *
 * @param say an amount above zero, with its unit
 */
export function moreOrLess(low: number, high: number, say: (amount: number) => string): string {
  if (low < 0 && high > 0) return `between ${say(-low)} more and ${say(high)} less`
  return low < 0 ? `${say(-high)} to ${say(-low)} more` : `${say(low)} to ${say(high)} less`
}

/** "-20.7", "+5.2", "0.0" */
export function signedTenths(value: number): string {
  const words = decimal(value, 1)
  return `${value > 0 && words !== '0.0' ? '+' : ''}${words}`
}

/** "-20.7 %", "+5.2 %", "0.0 %" */
export const changeWords = (percent: number): string => `${signedTenths(percent)} %`

/** "364/6,024" */
export const countWords = (part: number, whole: number): string => `${grouped(part)}/${grouped(whole)}`

/** A part of a whole: "364/6,024 6.04 %"; for few things without the percentage: "2/11". */
export function shareWords(part: number, whole: number, digits = 2): string {
  const counts = `${grouped(part)}/${grouped(whole)}`
  return whole < fewestForPercent ? counts : `${counts} ${((100 * part) / whole).toFixed(digits)} %`
}

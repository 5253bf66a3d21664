/**
 * Sheets for people who have a plan and pay no price by the token: shares of what was sent, as prices weigh it, stand
 * in the place of dollars. The data of programs has both.
 */
import type { Column } from './column.ts'
import type { Sheet } from './report.ts'

export const withoutMoney = <T>(columns: readonly Column<T>[]): Column<T>[] =>
  columns.filter(({ unit }) => unit !== 'money')

/** @param answers in the place of those that name dollars */
export function inShares<T>(sheet: Sheet<T>, answers: readonly string[]): Sheet<T> {
  const { shown = sheet.columns } = sheet
  return { ...sheet, answers, columns: withoutMoney(sheet.columns), shown: withoutMoney(shown) }
}

/** Without what a program itself made of the money. */
export const withoutCosts = <T extends { readonly recordedCosts: readonly unknown[] }>(spending: T): T => ({
  ...spending,
  recordedCosts: [],
})

/** What such shares are of. */
export const shareWords = 'shares are of all that was sent and answered, weighted as API list prices weigh it'

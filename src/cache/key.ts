/**
 * The names of what is kept in a directory, by which it is known again: nothing is removed that has another. That of an entry follows
 * from the values that what is kept depends on: where one of them differs, it is another.
 */
import { fingerprint } from '../base/fingerprint.ts'

/** @param values plain data */
export function keyOf(values: readonly unknown[]): string {
  return fingerprint([JSON.stringify(values)])
    .toString(16)
    .padStart(14, '0')
}

export const isKey = (name: string): boolean => /^[0-9a-f]{14}$/.test(name)

/** Of an entry that is being written: nobody else uses it. */
export const draftName = (): string => `.ctxwin-${Math.random().toString(36).slice(2)}.draft`

export const isDraft = (name: string): boolean => /^\.ctxwin-[0-9a-z]*\.draft$/.test(name)

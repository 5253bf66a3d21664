/** The name of an entry, which follows from the values that what is kept depends on: where one of them differs, it is another. */
import { fingerprint } from '../base/fingerprint.ts'

/** @param values plain data */
export function keyOf(values: readonly unknown[]): string {
  return fingerprint([JSON.stringify(values)])
    .toString(16)
    .padStart(14, '0')
}

export const isKey = (name: string): boolean => /^[0-9a-f]{14}$/.test(name)

/** Keys of values: equal for equal values, whatever objects hold them and in whatever order, and others for other values. */
import { fingerprint } from './fingerprint.ts'

/** @param value plain data; functions in it, and fields that are undefined, are left out. By a rare chance two values share a key. */
export function keyOf(value: unknown): string {
  return fingerprint([canonical(value)]).toString(36)
}

/** The value as JSON with the fields of objects in the order of their names; numbers that JSON lacks are written as they are. */
function canonical(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== 'function')
  fields.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`
}

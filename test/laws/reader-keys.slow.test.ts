/** Law of every reader: a known key that is missing, or of another type, is a named problem wherever content is lost by it. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { silentFaults } from '../readers/key-faults.ts'
import { fixture } from '../readers/reading.ts'
import { optionalKeys } from './optional-keys.ts'

it.each(Object.entries(optionalKeys))('%s names each key that it misses', async (format, optional) => {
  const silent: Record<string, string> = {}
  const met = new Set<string>()
  for (const file of readdirSync(fixture(format))) {
    for (const [path, names] of await silentFaults(readFileSync(fixture(format, file), 'utf8'), format)) {
      const rule = Object.keys(optional).find((rule) => isOf(path, rule))
      const allowed = rule === undefined ? [] : (optional[rule] as readonly string[])
      if (rule !== undefined) met.add(rule)
      const rest = names.filter((name) => !allowed.includes(name) && !allowed.includes('any'))
      if (rest.length > 0) silent[path] = rest.join(', ')
    }
  }
  expect(silent).toEqual({})
  // A rule that nothing needs would hide the next fault.
  expect(Object.keys(optional).filter((rule) => !met.has(rule))).toEqual([])
})

/** `input.**` is all that stands below the key, and `*` a key that is the name of what it holds. */
function isOf(path: string, rule: string): boolean {
  const names = path.split('.')
  const parts = rule.split('.')
  if (parts.at(-1) === '**') {
    parts.pop()
    if (names.length <= parts.length) return false
  } else if (names.length !== parts.length) return false
  return parts.every((part, index) => part === '*' || part === names[index])
}

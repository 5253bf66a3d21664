/** Law of every reader: a known key that is missing, renamed, or of another type, is a named problem wherever content is lost by it. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { silentFaults } from '../readers/key-faults.ts'
import { fixture } from '../readers/reading.ts'
import { optionalKeys } from './optional-keys.ts'

const formats = readers.all.map(({ name }) => name)

it('every reader is held: it has its keys in test/laws/optional-keys.ts, or {}', () => {
  expect(Object.keys(optionalKeys)).toEqual(formats.toSorted())
})

it.each(formats)('%s names each key that it misses', async (format) => {
  const optional = optionalKeys[format] ?? {}
  const silent: Record<string, string> = {}
  const met = new Set<string>()
  const tries = new Map<string, number>()
  const texts = readdirSync(fixture(format)).map((file) => readFileSync(fixture(format, file), 'utf8'))
  // The short ones first: what they hold need not be tried in the long ones.
  for (const text of texts.toSorted((a, b) => a.length - b.length)) {
    for (const [path, names] of await silentFaults(text, format, tries)) {
      const rules = Object.entries(optional).filter(([rule]) => isOf(path, rule))
      const rest = names.filter((name) => {
        const allowing = rules.filter(([, values]) => values.includes(name) || values.includes('any'))
        for (const [rule] of allowing) met.add(rule)
        return allowing.length === 0
      })
      if (rest.length > 0) silent[path] = rest.join(', ')
    }
  }
  expect(silent).toEqual({})
  // A rule that nothing needs would hide the next fault.
  expect(Object.keys(optional).filter((rule) => !met.has(rule))).toEqual([])
})

/** `*` stands for a key that is the name of what it holds, and `**` for any path: `input.**` is all that stands below the key. */
function isOf(path: string, rule: string): boolean {
  const pattern = rule.replaceAll(/[$.[\]]/g, '\\$&').replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^.]+' : '.*'))
  return new RegExp(`^${pattern}$`).test(path)
}

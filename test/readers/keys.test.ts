/** Every key that a record has says something: another value changes a figure, a text or a problem, or it is listed as one that does not. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { keysIn, readRecords, recordsIn } from './key-faults.ts'
import { fixture } from './reading.ts'
import { unreadKeys } from './unread-keys.ts'

/** A key is tried where something first depends on it, or in so many places where nothing does. */
const mostTries = 3

/** Everything that is read, and every problem; or why nothing is. */
function allOf(records: readonly unknown[], format: string): string {
  try {
    const { traces, report } = readRecords(records, format)
    const all = traces.map((trace) => [trace.plain(), trace.messages])
    return JSON.stringify([all, report], plainly)
  } catch (error) {
    return String(error)
  }
}

function plainly(_: string, value: unknown): unknown {
  if (value instanceof Map) return [...value]
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value
}

/** Another value of the same type and form; undefined of what holds others, or nothing. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return undefined
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return `${Number(value.slice(0, 4)) + 1}${value.slice(4)}`
  return /^\d+$/.test(value) ? String(Number(value) + 1) : `${value} lamp`
}

/** Of each key of a format, whether another value changes anything. */
async function keysOf(format: string): Promise<ReadonlyMap<string, boolean>> {
  const texts = readdirSync(fixture(format)).map((file) => readFileSync(fixture(format, file), 'utf8'))
  const matters = new Map<string, boolean>()
  const tries = new Map<string, number>()
  for (const text of texts.toSorted((a, b) => a.length - b.length)) {
    const records = await recordsIn(text)
    const before = allOf(records, format)
    for (const [place, record] of records.entries()) {
      for (const { object, key, at: path, putKey } of keysIn(record, format)) {
        // The names of its nodes are what the export happened to call them.
        const at = format === 'chatgpt-export' ? path.replace(/(?<=mapping\.)[^.]+/, '*') : path
        const tried = tries.get(at) ?? 0
        const other = another(object[key])
        if (matters.get(at) || tried >= mostTries || other === undefined) continue
        tries.set(at, tried + 1)
        matters.set(at, allOf(records.with(place, putKey(other)), format) !== before)
      }
    }
  }
  return matters
}

function isOf(rule: string): (path: string) => boolean {
  const pattern = rule
    .replaceAll(/[$()+.[\]^|]/g, '\\$&')
    .replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^.]+' : '.*'))
    // The key may stand in the record itself.
    .replace(/^\.\*\\\./, '(?:.*\\.)?')
  const whole = new RegExp(`^${pattern}$`)
  return (path) => whole.test(path)
}

it.each(readers.all.map(({ name }) => name))('%s', async (format) => {
  const keys = [...(await keysOf(format))]
  const rules = Object.values(unreadKeys[format] ?? {}).flat()
  const unread = new Set<string>()
  const needless: string[] = []
  const wrong: string[] = []
  for (const rule of rules) {
    const met = keys.filter(([path]) => isOf(rule)(path))
    if (met.length === 0) needless.push(rule)
    for (const [path, matters] of met) matters ? wrong.push(path) : unread.add(path)
  }
  const untold = keys.filter(([path, matters]) => !matters && !unread.has(path)).map(([path]) => path)
  expect({ untold, wrong, needless }).toEqual({ untold: [], wrong: [], needless: [] })
})

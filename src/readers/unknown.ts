/**
 * What to say of a file that no reader recognises: what was seen of it, which format is nearest, and how it can be read. It
 * tells keys and never values, and of the keys only those that look like names: others may be somebody's text.
 */

import { type JsonObject, objectOf } from '../base/json.ts'
import type { Reader } from './reader.ts'
import { isName, isSentence } from './wire/words.ts'

/** How many keys of a format or of a record are looked at. */
const mostKeys = 500
const shownKeys = 12
/** Elements of a list whose keys are looked at. */
const looked = 5

/** @returns lines for people, the last of which says what to do */
export function describeUnknown(sample: readonly unknown[], readers: readonly Reader[]): string[] {
  const records = sample.map(objectOf).filter((record) => record !== undefined)
  if (records.length === 0) return [`its records are no objects: ${advice}`]
  const keys = keysIn(records)
  const told = [...keys].filter((key) => !key.includes('.') && isName(key))
  const outer = [...keys].filter((key) => !key.includes('.')).length
  const hidden =
    outer > Math.min(told.length, shownKeys) ? `, and ${outer - Math.min(told.length, shownKeys)} more` : ''
  const of = records.length === 1 ? 'its first record' : `its first ${records.length} records`
  const lines = [`keys in ${of}: ${told.slice(0, shownKeys).join(', ') || 'none that looks like a name'}${hidden}`]
  const near = nearest(keys, readers)
  if (near !== null) {
    const { name, missing } = near
    lines.push(`nearest: ${name}${missing.length > 0 ? `, which also has ${missing.join(', ')}` : ''}`)
  }
  const piece = readers.find((reader) => records.some((record) => reader.recognise(record) > 0))
  if (piece) {
    const { name } = piece
    return [...lines, `too little of it is like a transcript to tell: if it is ${name}, say so with --format`]
  }
  const spoken = spokenIn(records) ?? spokenInside(records)
  const wordy = spoken === null ? wordiest(records) : undefined
  if (wordy !== undefined) lines.push(`most of its words stand in "${wordy}"`)
  if (spoken !== null) {
    lines.push(
      `"${spoken.role}" looks like who speaks and "${spoken.text}" like what is said: as {"role": …, "content": …}, a message per line, it would be read as openai-chat`,
    )
  }
  return [...lines, advice]
}

const advice = 'a module of your own can read it: --format ./mine.js (see docs/own-format.md)'

export interface Nearest {
  readonly name: string
  /** Keys of the format that the file has not. */
  readonly missing: readonly string[]
}

/**
 * The format that has most of its keys among `keys`, counting a missing key against it; null if no format has half of its
 * keys there.
 */
export function nearest(keys: ReadonlySet<string>, readers: readonly Reader[]): Nearest | null {
  let best: Nearest | null = null
  let most = 0
  for (const { name, shapes = [] } of readers) {
    for (const shape of shapes) {
      const missing = shape.filter((key) => !keys.has(key))
      const score = shape.length - 2 * missing.length
      // Of two formats whose keys are all there, the one with more of them is nearer.
      if (score <= most) continue
      most = score
      best = { name, missing }
    }
  }
  return best
}

/** The keys of records and, behind a dot, those of the objects directly inside. */
export function keysIn(records: readonly JsonObject[]): Set<string> {
  const keys = new Set<string>()
  for (const record of records) {
    for (const [key, value] of Object.entries(record).slice(0, mostKeys)) {
      keys.add(key)
      for (const inner of Array.isArray(value) ? value.slice(0, looked) : [value]) {
        for (const name of Object.keys(objectOf(inner) ?? {}).slice(0, mostKeys)) keys.add(`${key}.${name}`)
      }
    }
  }
  return keys
}

/** Words for who speaks, in any format. */
const speakers: ReadonlySet<unknown> = new Set(
  'user human customer client assistant ai bot agent model gpt chatgpt claude system developer tool function'.split(
    ' ',
  ),
)

interface Spoken {
  readonly role: string
  readonly text: string
}

function namesIn(records: readonly JsonObject[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record).slice(0, mostKeys)))].filter(isName)
}

/** The key that holds who speaks and the one that holds what is said, if each record is a message. */
function spokenIn(records: readonly JsonObject[]): Spoken | null {
  const names = namesIn(records)
  const isSpeaker = (value: unknown) => typeof value === 'string' && speakers.has(value.toLowerCase())
  const role = names.find((key) => records.every((record) => isSpeaker(record[key])))
  if (role === undefined) return null
  const others = names.filter((key) => key !== role)
  // Versions and ids are often longer than what is said, but no sentences. A text inside a list or an object may be a copy.
  const text =
    longest(others, (key) => lengthOf(records, key, isSentence)) ??
    longest(others, (key) => lengthInside(records, key)) ??
    longest(others, (key) => lengthOf(records, key, () => true))
  return text === undefined ? null : { role, text }
}

/** The same where a message stands under a key of each record, or several in a list there. */
function spokenInside(records: readonly JsonObject[]): Spoken | null {
  for (const key of namesIn(records)) {
    const values = records.map((record) => record[key])
    const isList = values.every(Array.isArray)
    const inner = (isList ? values.flat() : values).map(objectOf)
    const messages = inner.filter((message) => message !== undefined)
    if (messages.length === 0 || messages.length < inner.length) continue
    const found = spokenIn(messages)
    const path = isList ? `${key}[]` : key
    if (found) return { role: `${path}.${found.role}`, text: `${path}.${found.text}` }
  }
  return null
}

/** The key under which most of the sentences stand; undefined if there are none. */
function wordiest(records: readonly JsonObject[]): string | undefined {
  const names = namesIn(records)
  return (
    longest(names, (key) => lengthOf(records, key, isSentence)) ?? longest(names, (key) => lengthInside(records, key))
  )
}

/** The name with the most; undefined if none has any. */
function longest(names: readonly string[], length: (name: string) => number): string | undefined {
  const measured = names.map((name) => ({ name, length: length(name) }))
  const [most] = measured.toSorted((a, b) => b.length - a.length)
  return most && most.length > 0 ? most.name : undefined
}

/** Nobody says the same in each message: a text that stands in all of several records has no length. */
function lengthOf(records: readonly JsonObject[], key: string, counts: (text: string) => boolean): number {
  if (records.length > 1 && new Set(records.map((record) => record[key])).size === 1) return 0
  return records.reduce((sum, { [key]: value }) => {
    return typeof value === 'string' && counts(value) ? sum + value.length : sum
  }, 0)
}

/** The same of the texts in the parts of a list, or in an object. */
function lengthInside(records: readonly JsonObject[], key: string): number {
  return records.reduce((sum, { [key]: value }) => {
    const parts = (Array.isArray(value) ? value.slice(0, looked) : [value]).map((part) => objectOf(part) ?? {})
    const names = [...new Set(parts.flatMap((part) => Object.keys(part).slice(0, mostKeys)))]
    return sum + names.reduce((inside, name) => inside + lengthOf(parts, name, isSentence), 0)
  }, 0)
}

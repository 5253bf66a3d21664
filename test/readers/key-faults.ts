/**
 * What a reader loses where one key of a transcript is missing, renamed or of another type, found by trying: each key of
 * each kind of record is taken away, put under another name, or given a value of each other type, and what is read then is
 * held against what was read before.
 */
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { FileReading, type FileReport } from '../../src/readers/read.ts'
import { jsonLinesOf } from './json-lines.ts'

interface Read {
  readonly traces: readonly Trace[]
  readonly report: FileReport
}

/** The keys that name the kind of what they stand in: each kind has keys of its own. */
const usualKinds = ['type', 'kind', 'event', 'role', 'subtype', 'status', 'part_kind', 'object']

/** Further ones of some formats. */
const ownKinds: Readonly<Record<string, readonly string[]>> = {
  atif: ['source'],
  'chatgpt-export': ['content_type'],
  'claude-ai-export': ['sender'],
  openhands: ['source', 'action', 'observation'],
  sharegpt: ['from'],
}

/** Values of each type, with a word that shows in what was read if it was kept. */
const others: Readonly<Record<string, unknown>> = {
  null: null,
  number: 71234567,
  string: 'telepathic lamp',
  // What only looks like an object of JavaScript, with functions.
  object: { telepathic: 'lamp', toString: 1, valueOf: 1, hasOwnProperty: 1 },
  list: ['telepathic lamp'],
  boolean: true,
}

/** The first tells whether anything depends on the key. */
const faults = ['absent', 'renamed', ...Object.keys(others)]

/** A key is tried where something first depends on it, or in so many places where nothing does. */
const mostTries = 5

const kindKeysOf = (format: string): readonly string[] => [...usualKinds, ...(ownKinds[format] ?? [])]

/** The lines of a transcript that are records, or the document that it is. */
export async function recordsIn(text: string): Promise<unknown[]> {
  const document = documentOf(text)
  return document === null ? linesOf(await jsonLinesOf(text)) : [document]
}

/** A key somewhere in a record. */
export interface KeyPlace {
  readonly object: Readonly<Record<string, unknown>>
  readonly key: string
  /** The keys down to it, each object with its kind: `message.content[]<text>.text`. */
  readonly at: string
  /** The record anew, with something else in the place of the object. */
  put(other: unknown): unknown
  /** The same with another value of the key, in the order the keys had: some readers look at the first of several. */
  putKey(other: unknown): unknown
}

export function* keysIn(record: unknown, format: string): Generator<KeyPlace> {
  const kindKeys = kindKeysOf(format)
  yield* below(record, '', (other) => other)

  function* below(value: unknown, path: string, put: (other: unknown) => unknown): Generator<KeyPlace> {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        yield* below(item, `${path}[]`, (other) => put(value.with(index, other)))
      return
    }
    const object = value as Record<string, unknown>
    const kinds = kindKeys.map((key) => object[key]).filter((kind) => typeof kind === 'string' && kind.length < 40)
    const kind = `${path}${kinds.map((kind) => `<${kind}>`).join('')}`
    for (const key of Object.keys(object)) {
      const at = kind === '' ? key : `${kind}.${key}`
      const putKey = (other: unknown) => put({ ...object, [key]: other })
      yield { object, key, at, put, putKey }
      yield* below(object[key], at, putKey)
    }
  }
}

/**
 * @param text a transcript of the format
 * @param tries how often each key was tried, in other transcripts; those of this one are added
 */
export async function silentFaults(
  text: string,
  format: string,
  tries: Map<string, number>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const kindKeys = kindKeysOf(format)
  const records = await recordsIn(text)
  const texts = records.map((record) => JSON.stringify(record))
  /** The number of the record that is looked at. */
  let place = 0
  const before = readRecords(records, format)
  const held = contentOf(before)
  const known = new Set(problemsOf(before))
  const silent = new Map<string, string[]>()

  /** @param isNew the key was not tried: all types are tried, even where nothing depends on it */
  function silencesAt(
    object: Record<string, unknown>,
    key: string,
    changed: (name: string) => unknown,
    isNew: boolean,
  ) {
    const names: string[] = []
    let isNeeded = false
    for (const name of faults) {
      if (typeOf(object[key]) === name || (name !== 'absent' && !isNeeded && !isNew)) continue
      const effect = effectOf(changed(name), kindKeys.includes(key) ? wordsIn(object, key) : null)
      if (effect === 'silent') names.push(name)
      if (name === 'absent' && effect !== 'none') isNeeded = true
    }
    return { names, isNeeded }
  }

  /** @param words of an object whose kind is changed: one of an unknown kind may be kept as it is, as JSON */
  function effectOf(record: unknown, words: readonly string[] | null): 'none' | 'silent' | 'named' {
    let now: Read
    try {
      now = readRecords(records.with(place, record), format)
    } catch {
      // A file that is refused as a whole is not silent.
      return 'named'
    }
    if (problemsOf(now).some((problem) => !known.has(problem))) return 'named'
    const left = contentOf(now)
    if (![...held].some(([item, count]) => (left.get(item) ?? 0) < count)) return 'none'
    const gained = [...left].filter(([item, count]) => (held.get(item) ?? 0) < count).map(([item]) => item)
    const isKept = words?.every((word) => gained.some((item) => item.includes(word)))
    return isKept ? 'none' : 'silent'
  }

  for (place = 0; place < records.length; place++) {
    for (const { object, key, at, put, putKey } of keysIn(records[place], format)) {
      const tried = tries.get(at) ?? 0
      if (tried >= mostTries) continue
      const changed = (name: string) => (name in others ? putKey(others[name]) : put(without(object, key, name)))
      const { names, isNeeded } = silencesAt(object, key, changed, tried === 0)
      tries.set(at, isNeeded ? mostTries : tried + 1)
      if (names.length > 0) silent.set(at, names)
    }
  }
  if (records.some((record, index) => JSON.stringify(record) !== texts[index]))
    throw new Error('a reader changes records')
  return silent
}

/**
 * Reads records as if they stood on lines. To write and parse all lines for each key of one took a third of the time, so
 * readings share the values, which no reader may change.
 */
export function readRecords(records: readonly unknown[], format: string): Read {
  const traces: Trace[] = []
  const options = { format, sizersFor: () => [], keepMessages: true }
  const file = new FileReading({ name: 'text', chunks: [] }, options, (trace) => traces.push(trace))
  for (const [index, record] of records.entries()) {
    if (record !== null && typeof record === 'object') file.record(record, index + 1)
  }
  return { traces, report: file.finish() }
}

/** Everything that was read and is counted, with how often it is there. */
function contentOf({ traces }: Read): Map<string, number> {
  const items = new Map<string, number>()
  const put = (item: string) => items.set(item, (items.get(item) ?? 0) + 1)
  const putMessage = (place: string) => (message: Message) => {
    put(`${place} ${message.role} ${message.origin ?? ''}`)
    for (const block of message.blocks) {
      if (block.type === 'text' || block.type === 'thinking') put(`${block.type} ${block.text}`)
      else if (block.type === 'call') put(`call ${block.name} ${JSON.stringify(block.input)}`)
      else put(`${block.type} ${block.bytes}`)
    }
    if (message.usage) put(`usage ${JSON.stringify(message.usage)}`)
  }
  for (const trace of traces) {
    put('transcript')
    const messages = trace.messages ?? []
    messages.forEach(putMessage('message'))
    messages.forEach((_, index) => {
      if (trace.isReset(index)) put('reset')
      if (trace.call(index) >= 0) put('answered call')
    })
    trace.preamble.system.forEach(putMessage('preamble'))
    put(`tools ${JSON.stringify(trace.preamble.tools)}`)
    for (const { kind, usage } of trace.sideCalls) put(`${kind} ${JSON.stringify(usage)}`)
    for (const compaction of trace.compactions) {
      put('compaction')
      compaction.summary.forEach(putMessage('summary'))
    }
  }
  return items
}

/** Each with how often it was there before: a line may have the same problem twice. */
function problemsOf({ report }: Read): string[] {
  const seen = new Map<string, number>()
  return report.problems.map(({ code, line, detail = '', count = 1 }) => {
    const problem = `${code} ${line} ${detail} ${count}`
    const before = seen.get(problem) ?? 0
    seen.set(problem, before + 1)
    return `${problem} ${before}`
  })
}

/** The object without the key, or with its value under another in the same place. */
function without(object: Record<string, unknown>, key: string, name: string): object {
  const renamed = name === 'renamed' ? [[`${key}Anew`, object[key]]] : []
  return Object.fromEntries(Object.entries(object).flatMap((entry) => (entry[0] === key ? renamed : [entry])))
}

/** The texts of an object, as they stand in its JSON. */
function wordsIn(object: object, besides: string): string[] {
  const words: string[] = []
  const look = (value: unknown): void => {
    if (typeof value === 'string') words.push(JSON.stringify(value).slice(1, -1))
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(look)
  }
  for (const [key, value] of Object.entries(object)) if (key !== besides) look(value)
  return words
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}

function documentOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function linesOf(text: string): unknown[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
}

/**
 * The frames in which most readers are made. A frame checks what every reader would check: whether a record is an object,
 * which kind it is, and whether that kind is known. A reader says what each kind must hold, and what it does.
 */

import { type JsonObject, objectOf } from '../base/json.ts'
import {
  bad,
  defineReader,
  type LeftOut,
  type Outcome,
  type Reader,
  type ReaderContext,
  type Shape,
  tell,
  unknown,
} from './reader.ts'
import { timeOf } from './wire/bodies.ts'
import type { Mark } from './wire/session.ts'
import { type Expected, keys, kinds, oddIn } from './wire/shape.ts'

/** What happened to a record; without an outcome of its own it was used. */
// biome-ignore lint/suspicious/noConfusingVoidType: most kinds of records have one outcome, and need not return it.
type Result = Outcome | void

type Read<File, Rest extends unknown[] = []> = (record: JsonObject, at: Mark, file: File, ...rest: Rest) => Result

export interface Kind<File> {
  readonly shape: Shape | null
  readonly read: Read<File>
}

/** @param expected what such a record must hold; null if there is nothing to ask */
export function kind<File>(expected: Readonly<Record<string, Expected>> | Shape | null, read: Read<File>): Kind<File> {
  return { shape: expected === null || typeof expected === 'function' ? expected : keys(expected), read }
}

/** The kinds of records of a format, by name. */
export interface Kinds<File> {
  readonly shape: Shape
  /** Whether records of this kind are known. */
  has(name: unknown): boolean
  /** Whether this kind holds nothing for a model. */
  isUnseen(name: unknown): boolean
  read(record: JsonObject, at: Mark, file: File): Outcome
}

/**
 * @param key names the kind of a record
 * @param unseen the kinds that hold nothing for a model; null for none
 */
export function kindsBy<File>(
  key: string,
  table: Readonly<Record<string, Kind<File>>>,
  unseen: ReadonlySet<unknown> | RegExp | null = null,
): Kinds<File> {
  const known = new Map<unknown, Kind<File>>(Object.entries(table))
  const isUnseen = (name: unknown): boolean =>
    unseen instanceof RegExp ? typeof name === 'string' && unseen.test(name) : unseen?.has(name) === true
  const shapes = Object.entries(table).flatMap(([name, { shape }]) => (shape ? [[name, shape] as const] : []))
  return {
    shape: kinds(key, Object.fromEntries(shapes)),
    has: (name) => known.has(name) || isUnseen(name),
    isUnseen,
    read(record, at, file) {
      const found = known.get(record[key])
      if (found) return found.read(record, at, file) ?? 'used'
      return isUnseen(record[key]) ? 'no-context' : unknown(record[key])
    },
  }
}

interface Framed<File> extends Omit<Reader, 'recognise' | 'read'> {
  /** As in `Reader`, asked of objects alone; true is 1, and false 0. */
  recognise(record: JsonObject): number | boolean
  /** Whether the session is read from another file beside this one, which records more of it. */
  isElsewhere?(context: ReaderContext): boolean
  /**
   * The state of a session while it is read.
   * @param head the record that begins it; empty at the start of a file
   */
  begin(context: ReaderContext, head: JsonObject): File
  /** Whether a record begins another session, so that what was read so far is complete. */
  begins?(record: JsonObject, file: File): boolean
  /** The key of a record's time; default `timestamp`. */
  readonly time?: string
  /** Reads a record; or the kinds of records, whose shape becomes the reader's if it declares none. */
  readonly record: Read<File, [ReaderContext]> | Kinds<File>
  /** No more records of the session will come. */
  end?(file: File, context: ReaderContext): void
}

/** A reader of records, most of which mean something together. */
export function recordReader<File>(framed: Framed<File>): Reader {
  const { recognise, isElsewhere, begin, begins, time = 'timestamp', record: reads, end, ...rest } = framed
  const read = typeof reads === 'function' ? reads : reads.read
  return defineReader({
    ...(typeof reads === 'object' && { shape: reads.shape }),
    ...rest,
    recognise(record) {
      const object = objectOf(record)
      return object ? Number(recognise(object)) : 0
    },
    read(context) {
      if (isElsewhere?.(context)) return { record: () => 'no-context', end: () => {} }
      let file = begin(context, {})
      return {
        record(value, line) {
          const record = objectOf(value)
          if (!record) return bad
          if (begins?.(record, file)) {
            end?.(file, context)
            file = begin(context, record)
          }
          return read(record, { line, time: timeOf(record[time]) }, file, context) ?? 'used'
        },
        end: () => end?.(file, context),
      }
    },
  })
}

/** The state of a session while it is read: its context, and the record that begins it. */
export class Underway {
  readonly context: ReaderContext
  readonly head: JsonObject

  constructor(context: ReaderContext, head: JsonObject = {}) {
    this.context = context
    this.head = head
  }
}

/** A reader of records that mean something each by itself, as documents do. */
export function documentReader(framed: Omit<Framed<ReaderContext>, 'begin' | 'begins' | 'end'>): Reader {
  return recordReader({ ...framed, begin: (context) => context })
}

/**
 * Reads the items of a document. Each item's number, from 1, is its line; what is wrong with one becomes a finding.
 * @param shape what an item must hold; null if the document's shape asks that
 * @param read says why an item is left out, if it is
 */
export function readItems(
  context: ReaderContext,
  items: readonly unknown[],
  shape: Shape | null,
  read: (item: JsonObject, line: number) => LeftOut | Outcome | null,
): void {
  for (const [index, value] of items.entries()) {
    const item = objectOf(value)
    const outcome = item ? read(item, index + 1) : bad
    const found = typeof outcome === 'object' && outcome ? outcome : shape && oddIn(shape, value)
    tell(context, found, index + 1)
  }
}

/**
 * The report contract. A report is pure: it turns data into chunks of text and writes nothing. It formats simulations
 * and any list of things with columns, so every command can use every format.
 */

import type { Named } from '../base/registry.ts'
import type { By, Simulation } from '../model/run.ts'
import type { Column } from './column.ts'
import type { SimulationColumns } from './columns/rows.ts'

/** `saved` is against the baseline. */
export type Sort = 'cost' | 'tokens' | 'lost' | 'saved' | 'name'

export interface ReportOptions {
  /** Columns of the terminal. Formats for programs use only `by` of these options. */
  readonly width: number
  readonly color: boolean
  /** Which cuts the notes list: all, the first of each run, none. */
  readonly cuts: 'all' | 'first' | 'none'
  /** Which transcripts of several come first, and how many are shown: for tables only, and never of finer rows. */
  readonly sort?: Sort
  readonly top?: number
  /** What a row is. Finer rows are in `run.rows`, lost references in `run.lost`. */
  readonly by: By
}

export interface Note {
  readonly title: string
  /** Of its title. */
  readonly tone?: 'bad' | 'warning'
  readonly items: readonly NoteItem[]
}

export interface NoteItem {
  /** What it is about; empty if the note's title says it. Names may be hostile: the report makes them harmless. */
  readonly name: string
  readonly sentences: readonly string[]
  /** Behind them, to be copied: it is never broken. */
  readonly verbatim?: string
}

/**
 * A line above or below a table. What is there to be copied (`verbatim`) stands by itself, and is never broken. What
 * stands `beside` an answer explains it, and is not dressed as one.
 */
export type Line = string | { readonly verbatim: string } | { readonly beside: string }

/** The table of a command, with captions and notes. */
export interface Sheet<T> {
  /** The first lines: what people want to know. */
  readonly answers?: readonly Line[]
  /** Lines above the table. */
  readonly captions: readonly Line[]
  /** What the table has, where several stand one below the other. */
  readonly title?: string
  readonly columns: readonly Column<T>[]
  /** The columns of a table, where they are others than those of the data. */
  readonly shown?: readonly Column<T>[]
  /** The rows; in NDJSON a line each. */
  readonly items: readonly T[]
  /** Whether the item's value in the column is marked, with or without colour. Default: none is. */
  readonly marked?: (item: T, key: string) => boolean
  /** Below the table. */
  readonly notes: readonly Note[]
  /** The whole result, for JSON. */
  readonly data: unknown
}

export interface Report extends Named {
  /** It is for people, not programs: it may have more than rows. */
  readonly forPeople?: true
  /** @param columns the columns of a run and of a row; by default all */
  render(simulation: Simulation, options: ReportOptions, columns?: SimulationColumns): Iterable<string>
  sheet<T>(sheet: Sheet<T>, options: ReportOptions): Iterable<string>
  rows<T>(columns: readonly Column<T>[], items: readonly T[], options: ReportOptions): Iterable<string>
}

export const defineReport = (report: Report): Report => report

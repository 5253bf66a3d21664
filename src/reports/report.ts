/**
 * The report contract. A report is pure: it turns data into chunks of text and writes nothing. It prints a simulation,
 * and any list of things with columns, so that every command speaks every format.
 */

import type { Named } from '../base/registry.ts'
import type { By, Simulation } from '../model/run.ts'
import type { Column } from './column.ts'
import type { SimulationColumns } from './columns.ts'

export interface ReportOptions {
  /** Columns of the terminal. Formats for machines ignore it, and everything below but `by`. */
  readonly width: number
  readonly color: boolean
  /** Which cuts are told: all, the first of each run, none. */
  readonly cuts: 'all' | 'first' | 'none'
  /** What a row is. Finer rows are in `run.rows`, lost references in `run.lost`. */
  readonly by: By
}

export interface Note {
  readonly title: string
  readonly tone?: 'bad'
  readonly items: readonly NoteItem[]
}

export interface NoteItem {
  /** What it is about; empty where the note says it. Names may be hostile: the report makes them harmless. */
  readonly name: string
  readonly sentences: readonly string[]
}

/** A table of a command of its own, and what is said around it. */
export interface Sheet<T> {
  /** Above the table, a line each. */
  readonly captions: readonly string[]
  readonly columns: readonly Column<T>[]
  /** As they are in the data, a line each in NDJSON. */
  readonly items: readonly T[]
  /** Whether the item's value in the column stands out from those above and below it, with or without colour. */
  readonly marked: (item: T, key: string) => boolean
  /** Below it. */
  readonly notes: readonly Note[]
  /** All of it, for programs. */
  readonly data: unknown
}

export interface Report extends Named {
  /** People read it and no program: it can say more than the rows. */
  readonly forPeople?: true
  /** @param columns what there is to print of a run and of a row; left out: all that is known */
  render(simulation: Simulation, options: ReportOptions, columns?: SimulationColumns): Iterable<string>
  sheet<T>(sheet: Sheet<T>, options: ReportOptions): Iterable<string>
  rows<T>(columns: readonly Column<T>[], items: readonly T[], options: ReportOptions): Iterable<string>
}

export function defineReport(report: Report): Report {
  return report
}

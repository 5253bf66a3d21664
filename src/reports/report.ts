/**
 * The report contract. A report is pure: it turns data into chunks of text and writes nothing. It prints a simulation,
 * and any list of things with columns, so that every command speaks every format.
 */
import type { Simulation } from '../model/run.ts'
import type { Named } from '../registry.ts'
import type { Column } from './columns.ts'

export interface ReportOptions {
  /** Columns of the terminal. Formats for machines ignore it, and everything below but `by`. */
  readonly width: number
  readonly color: boolean
  /** Which cuts are told: all, the first of each run, none. */
  readonly cuts: 'all' | 'first' | 'none'
  /** What a row is. Finer rows are in `run.rows`. */
  readonly by: 'transcript' | 'exchange' | 'request'
}

export interface Report extends Named {
  render(simulation: Simulation, options: ReportOptions): Iterable<string>
  rows<T>(columns: readonly Column<T>[], items: readonly T[], options: ReportOptions): Iterable<string>
}

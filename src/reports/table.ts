/** `table`: for people at a terminal. No line is wider than the terminal. */
import { Chalk } from 'chalk'
import CliTable from 'cli-table3'
import type { Simulation } from '../model/run.ts'
import type { Column, Unit } from './column.ts'
import { type Grid, gridOf, simulationGrid } from './grid.ts'
import { notesOf } from './notes.ts'
import { compact, grouped, money, ordinal, several } from './numbers.ts'
import { paramWords } from './overview.ts'
import type { Note, Report, ReportOptions } from './report.ts'
import { RunNames } from './run-names.ts'
import { safe } from './safe.ts'
import { clip, clipMiddle, widthOf, wrap } from './text.ts'

export interface Ink {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
}

export function inkFor(color: boolean): Ink {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  // Wrapped, because chalk prints all its arguments, also the index that `map` passes.
  return {
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
  }
}

const table: Report = {
  name: 'table',
  summary: 'for people at a terminal',
  forPeople: true,

  *render(simulation: Simulation, options, columns) {
    const width = usable(options)
    const ink = inkFor(options.color)
    const names = new RunNames(simulation.runs)
    if (simulation.runs.length === 0) yield 'No transcripts.\n'
    else {
      const grid = simulationGrid(simulation, names, options.by, columns)
      yield* drawCaptions(grid.captions, width, ink)
      // Finer rows were requested to be read; a table of ten thousand transcripts was not.
      const hidden = options.by === 'transcript' ? grid.rows.length - most : 0
      yield* draw(hidden > 0 ? { ...grid, rows: grid.rows.slice(0, most) } : grid, width, ink)
      if (hidden > 0) yield lines(wrap(`… ${several(hidden, 'more row')}: --output csv has them all`, width, 0, 2))
    }
    for (const note of notesOf(simulation, names, options.cuts)) yield* drawNote(note, width, ink)
  },

  *sheet({ captions, columns, items, marked, notes }, options) {
    const width = usable(options)
    const ink = inkFor(options.color)
    yield* drawCaptions(captions, width, ink)
    yield* draw(gridOf(columns, items, marked), width, ink)
    for (const note of notes) yield* drawNote(note, width, ink)
  },

  *rows(columns, items, options) {
    yield* draw(gridOf(columns, items), usable(options), inkFor(options.color))
  },
}

export default table

/** The most rows of a table. Totals are of all rows. */
const most = 200

/** The width to use, at least 24 columns. */
function usable({ width }: ReportOptions): number {
  return Math.max(24, Math.floor(width) || 80)
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}

function* drawCaptions(captions: readonly string[], width: number, ink: Ink): Iterable<string> {
  for (const caption of captions) yield lines(wrap(safe(caption), width, 0, 2).map(ink.dim))
  if (captions.length > 0) yield '\n'
}

// --- the table itself ---

function* draw(grid: Grid, width: number, ink: Ink): Iterable<string> {
  const layout = layOut(grid, width)
  const { columns, widths, texts, marked } = layout
  const { top, rule, bottom, row } = frame(widths)
  const line = (values: readonly unknown[], index = -1): string => {
    const cells = texts(values, index).map((text, at) => {
      const column = columns[at] as Column<never>
      const tone = marked(index, at) ? 'good' : toneOf(column, text)
      return place(text, widths[at] as number, column, tone, ink)
    })
    const height = cells.reduce((most, { length }) => Math.max(most, length), 1)
    return lines(
      Array.from({ length: height }, (_, at) =>
        row(cells.map((cell, column) => cell[at] ?? ' '.repeat(widths[column] as number))),
      ),
    )
  }
  const header = columns.map((column, at) =>
    pad(clip(column.header, widths[at] as number), widths[at] as number, column),
  )

  yield lines([top, row(header.map((text) => ink.bold(text))), ...(grid.rows.length > 0 ? [rule] : [])])
  for (const [index, values] of grid.rows.entries()) yield line(values, index)
  if (grid.totals.length > 0) yield lines([rule]) + grid.totals.map((values) => line(values)).join('')
  yield lines([bottom])
}

interface Layout {
  readonly columns: readonly Column<never>[]
  readonly widths: readonly number[]
  /** The cells of a row of the grid, for the chosen columns. Index -1 is a total. */
  readonly texts: (row: readonly unknown[], index: number) => string[]
  readonly marked: (index: number, column: number) => boolean
}

/** Columns up to this rank matter more than exact numbers. */
const core = 5

/** Chooses columns and their widths. Numbers are exact unless rounding them makes room for a column of a core rank. */
function layOut(grid: Grid, width: number): Layout {
  const exact = choose(grid, width, grouped)
  const rounded = exact.hasCore ? exact : choose(grid, width, compact)
  const { picked, widths } = rounded.picked.length > exact.picked.length ? rounded : exact
  const number = picked === exact.picked ? grouped : compact
  const columns = picked.map((at) => grid.columns[at] as Column<never>)
  return {
    columns,
    widths,
    texts: (row, index) => picked.map((at) => cellText(grid, row, index, at, number)),
    marked: (index, column) => grid.marks[picked[column] as number]?.[index] === true,
  }
}

interface Choice {
  readonly picked: readonly number[]
  readonly widths: readonly number[]
  readonly hasCore: boolean
}

function choose(grid: Grid, width: number, number: (value: number) => string): Choice {
  const natural = naturalWidths(grid, number)
  const isText = (at: number): boolean => alignOf(grid.columns[at]?.unit ?? 'text') === 'left'
  const rankOf = (at: number): number => grid.columns[at]?.rank ?? 0
  // The first text that always stays is the name of the row.
  const name = natural.findIndex((_, at) => isText(at) && rankOf(at) === 0)
  const enough = (at: number): number => Math.floor(width * (at === name ? 0.3 : 0.2))
  const widths = natural.map((cells, at) => (isText(at) ? Math.min(cells, enough(at)) : cells))
  const order = natural.map((_, at) => at).sort((a, b) => rankOf(a) - rankOf(b) || a - b)
  const picked: number[] = []
  let room = width - 1

  const widen = (most: number): void => {
    for (const at of picked.filter(isText)) {
      const more = Math.max(0, Math.min(room, Math.min(most, natural[at] as number) - (widths[at] as number)))
      widths[at] = (widths[at] as number) + more
      room -= more
    }
  }
  const pick = (from: number, to: number): void => {
    for (const at of order.filter((column) => rankOf(column) >= from && rankOf(column) <= to)) {
      const taken = (widths[at] as number) + 3
      // Never leave out a column and keep one that matters less.
      if (from > 0 && taken > room) return
      picked.push(at)
      room -= taken
    }
  }
  pick(0, 0)
  pick(1, core)
  const hasCore = order.every((at) => rankOf(at) > core || picked.includes(at))
  widen(width / 2)
  if (hasCore) pick(core + 1, Infinity)
  picked.sort((a, b) => a - b)
  squeeze(picked, widths, isText, -room)
  widen(Infinity)
  return { picked, widths: picked.map((at) => widths[at] as number), hasCore }
}

function naturalWidths(grid: Grid, number: (value: number) => string): number[] {
  const widths = grid.columns.map(({ header }) => widthOf(header))
  for (const [index, row] of [...grid.rows, ...grid.totals].entries()) {
    for (const at of grid.columns.keys()) {
      widths[at] = Math.max(widths[at] as number, widthOf(cellText(grid, row, index, at, number)))
    }
  }
  return widths
}

/** In columns with marks each cell has room for the mark, so that the figures stay aligned. */
function cellText(
  { columns, marks }: Grid,
  row: readonly unknown[],
  index: number,
  at: number,
  number: (value: number) => string,
): string {
  const text = format(row[at], (columns[at] as Column<never>).unit, number)
  const column = marks[at]
  return column ? `${text}${column[index] ? '*' : ' '}` : text
}

/** For a width too small even for the columns that must stay: shrinks texts, then drops columns from the right. */
function squeeze(picked: number[], widths: number[], isText: (at: number) => boolean, excess: number): void {
  const width = (at: number): number => widths[at] as number
  let left = excess
  while (left > 0) {
    const texts = picked.filter(isText).sort((a, b) => width(b) - width(a))
    const widest = texts[0]
    if (widest !== undefined && width(widest) > 4) {
      widths[widest] = width(widest) - 1
      left--
    } else if (picked.length > 1) {
      left -= width(picked.pop() as number) + 3
    } else {
      widths[picked[0] as number] = Math.max(1, width(picked[0] as number) - left)
      left = 0
    }
  }
}

interface Frame {
  readonly top: string
  readonly rule: string
  readonly bottom: string
  /** The line of a row, from cells that are exactly as wide as their columns. */
  readonly row: (cells: readonly string[]) => string
}

/**
 * Lets cli-table3 draw the frame once, around placeholders that the cells then replace. It does not draw the cells, because
 * it measures with string-width 4, which is wrong about much of Unicode, and takes half a minute for 100,000 rows.
 */
function frame(widths: readonly number[]): Frame {
  const standIns = widths.map((width) => standIn.repeat(width))
  const drawn = new CliTable({ head: standIns, style: { head: [], border: [] } })
  drawn.push(standIns)
  const [top = '', row = '', rule = '', , bottom = ''] = drawn.toString().split('\n')
  const between = row.split(new RegExp(`${standIn}+`))
  return {
    top,
    rule,
    bottom,
    row: (cells) => between.map((text, at) => text + (cells[at] ?? '')).join(''),
  }
}

const standIn = '\ue000'

/** The lines of a cell: shortened or wrapped to the width, coloured, and padded. */
function place(text: string, width: number, column: Column<never>, tone: Column<never>['tone'], ink: Ink): string[] {
  const cut = column.wraps ? wrap(text, width, 0, 0) : [column.path ? clipMiddle(text, width) : clip(text, width)]
  const paint = tone === undefined ? (same: string) => same : ink[tone]
  return cut.map((line) => pad(line, width, column).replace(line, () => paint(line)))
}

function pad(text: string, width: number, { unit }: Column<never>): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  return alignOf(unit) === 'left' ? text + blanks : blanks + text
}

function toneOf({ tone }: Column<never>, text: string): Column<never>['tone'] {
  return /^(0(\.0+|\/.*)?|-.*|)$/.test(text) ? undefined : tone
}

function alignOf(unit: Unit): 'left' | 'right' {
  return unit === 'text' || unit === 'flag' || unit === 'record' ? 'left' : 'right'
}

/** A value for people. */
function format(value: unknown, unit: Unit, number: (value: number) => string): string {
  if (value === null || value === undefined || value === '') return ''
  if (typeof value === 'number') return formatNumber(value, unit, number)
  if (unit === 'list') return grouped((value as { readonly length: number }).length)
  if (unit === 'record') return safe(paramWords(value, ', '))
  if (unit === 'flag') return value ? 'yes' : ''
  return safe(String(value))
}

function formatNumber(value: number, unit: Unit, number: (value: number) => string): string {
  if (unit === 'ordinal') return ordinal(value)
  if (unit === 'percent') return value.toFixed(2)
  if (unit === 'money') return money(value)
  if (unit === 'price') return String(value)
  return unit === 'tokens' ? number(value) : grouped(value)
}

// --- notes below the table ---

function* drawNote({ title, tone, items }: Note, width: number, ink: Ink): Iterable<string> {
  yield `\n${ink.bold(title)}\n`
  const paint = tone === undefined ? (text: string) => text : ink[tone]
  for (const { name, sentences } of items) {
    const indent = name === '' ? 2 : 4
    if (name !== '') yield lines([`  ${clipMiddle(safe(name), width - 2)}`])
    for (const sentence of sentences) yield lines(wrap(safe(sentence), width, indent, indent + 2).map(paint))
  }
}

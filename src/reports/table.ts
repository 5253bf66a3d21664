/** `table`: for people at a terminal. No line is wider than the terminal. */
import CliTable from 'cli-table3'
import { safe } from '../base/quoting.ts'
import type { Simulation } from '../model/run.ts'
import type { Column, Unit } from './column.ts'
import { type Grid, gridOf, isShare, simulationGrid } from './grid.ts'
import { dressAnswer, type Ink, inkFor } from './ink.ts'
import { broken } from './lines.ts'
import { notesOf } from './notes.ts'
import {
  changeWords,
  compact,
  countWords,
  decimal,
  decimalsOf,
  fixed,
  grouped,
  moneyCell,
  moneyDecimals,
  ordinal,
  shareWords,
} from './numbers.ts'
import { paramWords } from './params.ts'
import type { Line, Note, Report, ReportOptions } from './report.ts'
import { RunNames } from './run-names.ts'
import { clip, clipMiddle, clipPath, widthOf, wrap } from './text.ts'

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
      const grid = simulationGrid(simulation, names, options, columns)
      yield* drawAbove(grid, width, ink)
      yield* draw(grid, width, ink)
      for (const sentence of grid.more) yield lines(wrap(sentence, width, 0, 2).map(ink.aside))
    }
    for (const note of notesOf(simulation, names, options.cuts)) yield* drawNote(note, width, ink)
  },

  *sheet({ answers = [], captions, title, columns, shown = columns, items, marked, notes }, options) {
    const width = usable(options)
    const ink = inkFor(options.color)
    const grid = gridOf(shown, items, marked)
    const hasTable = grid.columns.length > 0
    yield* drawAbove({ answers, captions }, width, ink, hasTable)
    if (title !== undefined) yield `${lines(wrap(safe(title), width, 0, 2).map(ink.heading))}${hasTable ? '\n' : ''}`
    if (hasTable) yield* draw(grid, width, ink)
    for (const note of notes) yield* drawNote(note, width, ink)
  },

  *rows(columns, items, options) {
    yield* draw(gridOf(columns, items), usable(options), inkFor(options.color))
  },
}

export default table

/** The width to use, at least 24 columns. */
const usable = ({ width }: ReportOptions): number => Math.max(24, Math.floor(width) || 80)

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

const plainly = (text: string): string => text

/** The answers first, then what is the same in every row. @param apart a blank line follows, and then the table */
function* drawAbove(
  { answers, captions }: { readonly answers: readonly Line[]; readonly captions: readonly Line[] },
  width: number,
  ink: Ink,
  apart = true,
): Iterable<string> {
  for (const answer of answers) {
    const told = broken(answer, width)
    yield lines(typeof answer === 'string' ? dressAnswer(told, ink) : told)
  }
  for (const caption of captions)
    yield lines(broken(caption, width).map(typeof caption === 'string' ? ink.aside : plainly))
  if (apart && answers.length + captions.length > 0) yield '\n'
}

// --- the table itself ---

function* draw(grid: Grid, width: number, ink: Ink): Iterable<string> {
  const layout = layOut(grid, width)
  const { columns, widths, texts, marked, leftOut } = layout
  const { rule, row } = ruling(widths)
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

  yield lines([row(header), ...(grid.rows.length > 0 ? [ink.aside(rule)] : [])])
  for (const [index, values] of grid.rows.entries()) yield line(values, index)
  if (grid.totals.length > 0) yield lines([ink.aside(rule)]) + grid.totals.map((values) => line(values)).join('')
  if (leftOut.length > 0)
    yield lines(wrap(`A wider terminal also shows: ${leftOut.join(', ')}`, width, 0, 2).map(ink.aside))
}

/**
 * A grid with the decimals of each column: all figures of a column have as many, so that their points stand in line.
 */
interface Measured extends Grid {
  readonly decimals: readonly number[]
}

function measured(grid: Grid): Measured {
  const rows = [...grid.rows, ...grid.totals]
  const decimals = grid.columns.map(({ unit }, at) => {
    const values = rows.map((row) => row[at]).filter((value) => typeof value === 'number')
    if (unit === 'money') return moneyDecimals(values)
    // Of a price nothing is rounded away.
    return values.reduce((most, value) => Math.max(most, decimalsOf(value, unit === 'price' ? 12 : 2)), 0)
  })
  return { ...grid, decimals }
}

interface Layout {
  readonly columns: readonly Column<never>[]
  /** The headers of the columns for which there is no room. */
  readonly leftOut: readonly string[]
  readonly widths: readonly number[]
  /** The cells of a row of the grid, for the chosen columns. Index -1 is a total. */
  readonly texts: (row: readonly unknown[], index: number) => string[]
  readonly marked: (index: number, column: number) => boolean
}

/** Columns up to this rank matter more than exact numbers. */
const core = 5

/** How much of a figure is written out. `count` has as many decimals as its column. */
interface Detail {
  readonly number: (value: number) => string
  readonly count: (value: number, decimals: number) => string
  readonly share: (part: number, whole: number) => string
}

/** From the most to the least. */
const details: readonly Detail[] = [
  { number: grouped, count: fixed, share: shareWords },
  { number: grouped, count: fixed, share: countWords },
  {
    number: compact,
    count: (value, decimals) => (value < 100_000 ? fixed(value, decimals) : compact(value)),
    share: countWords,
  },
]

/**
 * Chooses columns and their widths. Figures are written out unless less of them makes room for a column of a core rank.
 */
function layOut(unmeasured: Grid, width: number): Layout {
  const grid = measured(unmeasured)
  let best = choose(grid, width, details[0] as Detail)
  for (const detail of details) {
    if (best.hasCore) break
    const choice = choose(grid, width, detail)
    if (choice.picked.length > best.picked.length) best = choice
  }
  const { picked, widths, detail } = best
  const columns = picked.map((at) => grid.columns[at] as Column<never>)
  return {
    columns,
    leftOut: grid.columns.flatMap(({ header }, at) => (picked.includes(at) ? [] : [header])),
    widths,
    texts: (row, index) => picked.map((at) => cellText(grid, row, index, at, detail)),
    marked: (index, column) => grid.marks[picked[column] as number]?.[index] === true,
  }
}

interface Choice {
  readonly picked: readonly number[]
  readonly widths: readonly number[]
  readonly hasCore: boolean
  readonly detail: Detail
}

function choose(grid: Measured, width: number, detail: Detail): Choice {
  const natural = naturalWidths(grid, detail)
  const isText = (at: number): boolean => alignOf(grid.columns[at]?.unit ?? 'text') === 'left'
  const rankOf = (at: number): number => grid.columns[at]?.rank ?? 0
  // The first text column that is never left out is the name of the row.
  const name = natural.findIndex((_, at) => isText(at) && rankOf(at) === 0)
  const enough = (at: number): number => Math.floor(width * (at === name ? 0.3 : 0.2))
  const widths = natural.map((cells, at) =>
    isText(at) && !grid.columns[at]?.uncut
      ? Math.min(cells, Math.max(enough(at), longestWord(grid, at, detail)))
      : cells,
  )
  const order = natural.map((_, at) => at).sort((a, b) => rankOf(a) - rankOf(b) || a - b)
  const picked: number[] = []
  let room = width + gap

  const widen = (most: number): void => {
    for (const at of picked.filter(isText)) {
      const more = Math.max(0, Math.min(room, Math.min(most, natural[at] as number) - (widths[at] as number)))
      widths[at] = (widths[at] as number) + more
      room -= more
    }
  }
  const pick = (from: number, to: number): void => {
    for (const at of order.filter((column) => rankOf(column) >= from && rankOf(column) <= to)) {
      const taken = (widths[at] as number) + gap
      // No column is left out while one that matters less stays.
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
  return { picked, widths: picked.map((at) => widths[at] as number), hasCore, detail }
}

function naturalWidths(grid: Measured, detail: Detail): number[] {
  const widths = grid.columns.map(({ header }) => widthOf(header))
  for (const [index, row] of [...grid.rows, ...grid.totals].entries()) {
    for (const at of grid.columns.keys()) {
      widths[at] = Math.max(widths[at] as number, widthOf(cellText(grid, row, index, at, detail)))
    }
  }
  return widths
}

/** The width below which a column that is wrapped would break inside a word or a name; 0 for one that is shortened. */
function longestWord(grid: Measured, at: number, detail: Detail): number {
  if (grid.columns[at]?.wraps !== true) return 0
  const words = grid.rows.flatMap((row, index) =>
    cellText(grid, row, index, at, detail).split(/(?<=[:,/])|(?<=[a-z]-)(?=[a-z])| /),
  )
  return words.reduce((most, word) => Math.max(most, widthOf(word)), 0)
}

/** In columns with marks each cell has room for the mark, so that the figures stay aligned. */
function cellText(
  { columns, marks, decimals }: Measured,
  row: readonly unknown[],
  index: number,
  at: number,
  detail: Detail,
): string {
  const text = format(row[at], (columns[at] as Column<never>).unit, detail, decimals[at] as number)
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
      left -= width(picked.pop() as number) + gap
    } else {
      widths[picked[0] as number] = Math.max(1, width(picked[0] as number) - left)
      left = 0
    }
  }
}

interface Ruling {
  readonly rule: string
  /** The line of a row, from cells that are exactly as wide as their columns. */
  readonly row: (cells: readonly string[]) => string
}

/**
 * Blanks alone separate columns, and a rule stands below the header. Lines around each cell would take the room of a
 * column.
 */
const chars = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', right: '', 'right-mid': '' },
  ...{ mid: '─', 'mid-mid': '  ', middle: '  ' },
}
const gap = chars.middle.length

/**
 * Lets cli-table3 draw the ruling once, around placeholders that the cells then replace. It does not draw the cells,
 * because it measures with string-width 4, which is wrong about much of Unicode, and takes half a minute for 100,000
 * rows.
 */
function ruling(widths: readonly number[]): Ruling {
  const standIns = widths.map((width) => standIn.repeat(width))
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const drawn = new CliTable({ head: standIns, style, chars })
  drawn.push(standIns)
  const [row = '', rule = ''] = drawn.toString().split('\n')
  const between = row.split(new RegExp(`${standIn}+`))
  return {
    rule,
    row: (cells) =>
      between
        .map((text, at) => text + (cells[at] ?? ''))
        .join('')
        .trimEnd(),
  }
}

const standIn = '\ue000'

/** The lines of a cell: shortened or wrapped to the width, coloured, and padded. */
function place(text: string, width: number, column: Column<never>, tone: Column<never>['tone'], ink: Ink): string[] {
  // The blanks that keep room for a mark belong to the name, so they are not wrapped as a word.
  const cut = column.wraps
    ? wrap(text.trimEnd(), width, 0, 0)
    : [column.path ? clipPath(text, width) : clip(text, width)]
  const paint = tone === undefined ? (same: string) => same : ink[tone]
  return cut.map((line) => pad(line, width, column).replace(line, () => paint(line)))
}

function pad(text: string, width: number, { unit }: Column<never>): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  return alignOf(unit) === 'left' ? text + blanks : blanks + text
}

function toneOf({ tone, unit }: Column<never>, text: string): Column<never>['tone'] {
  if (unit === 'change') return text.startsWith('-') ? 'good' : text.startsWith('+') ? 'bad' : undefined
  return /^(0(\.0+|\/.*)?|-.*|)$/.test(text) ? undefined : tone
}

const alignOf = (unit: Unit): 'left' | 'right' =>
  unit === 'text' || unit === 'flag' || unit === 'record' ? 'left' : 'right'

/** A value for people. */
function format(value: unknown, unit: Unit, { share, ...detail }: Detail, decimals: number): string {
  if (value === null || value === undefined || value === '') return ''
  if (isShare(value)) return value.whole === 0 ? '-' : share(value.part, value.whole)
  if (typeof value === 'number') return formatNumber(value, unit, detail, decimals)
  if (unit === 'list') return grouped((value as { readonly length: number }).length)
  if (unit === 'record') return safe(paramWords(value, ', '))
  if (unit === 'flag') return value ? 'yes' : ''
  return safe(String(value))
}

function formatNumber(value: number, unit: Unit, { number, count }: Omit<Detail, 'share'>, decimals: number): string {
  if (unit === 'ordinal') return ordinal(value)
  if (unit === 'percent') return decimal(value, 2)
  if (unit === 'change') return changeWords(value)
  if (unit === 'money') return moneyCell(value, decimals)
  if (unit === 'price') return fixed(value, decimals)
  return unit === 'tokens' ? number(value) : count(value, decimals)
}

// --- notes below the table ---

function* drawNote({ title, tone, items }: Note, width: number, ink: Ink): Iterable<string> {
  const dress = tone === undefined ? ink.heading : (text: string) => ink.heading(ink[tone](text))
  yield `\n${lines(wrap(title, width, 0, 0).map(dress))}`
  for (const { name, sentences, verbatim } of items) {
    const indent = name === '' ? 2 : 4
    if (name !== '') yield lines([`  ${clipMiddle(safe(name), width - 2)}`])
    for (const sentence of sentences) yield lines(wrap(safe(sentence), width, indent, indent + 2))
    if (verbatim !== undefined) yield lines([`${' '.repeat(indent)}${safe(verbatim)}`])
  }
}

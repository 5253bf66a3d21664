/** `markdown`: a table in GitHub's flavour, for a pull request or issue, with notes below it. */
import { markdownCode, markdownRow, markdownText } from '../base/quoting.ts'
import type { Unit } from './column.ts'
import { type Grid, gridOf, isShare, simulationGrid } from './grid.ts'
import { notesOf } from './notes.ts'
import { changeWords, decimal, grouped, money, ordinal, shareWords } from './numbers.ts'
import { paramWords } from './params.ts'
import type { Line, Note, Report } from './report.ts'
import { RunNames } from './run-names.ts'

const markdown: Report = {
  name: 'markdown',
  summary: 'a table for a pull request',
  forPeople: true,

  *render(simulation, options, columns) {
    const names = new RunNames(simulation.runs)
    if (simulation.runs.length > 0) {
      const grid = simulationGrid(simulation, names, options, columns)
      for (const line of [...grid.answers, ...grid.captions]) yield `${markdownText(line)}\n\n`
      yield* draw(grid)
      for (const line of grid.more) yield `\n${markdownText(line)}\n`
    }
    yield* drawNotes(notesOf(simulation, names, options.cuts))
  },

  *sheet({ answers = [], captions, title, columns, shown = columns, items, marked, notes }) {
    const above = title === undefined ? captions : [...captions, title]
    for (const line of [...answers, ...above]) yield `${paragraph(line)}\n\n`
    const grid = gridOf(shown, items, marked)
    if (grid.columns.length > 0) yield* draw(grid)
    yield* drawNotes(notes)
  },

  *rows(columns, items) {
    yield* draw(gridOf(columns, items))
  },
}

export default markdown

function paragraph(line: Line): string {
  if (typeof line === 'string') return markdownText(line)
  return 'verbatim' in line ? markdownCode(line.verbatim) : markdownText(line.beside)
}

function* drawNotes(notes: readonly Note[]): Iterable<string> {
  for (const { title, items } of notes) {
    yield `\n**${title}**\n\n`
    for (const { name, sentences, verbatim } of items) {
      if (name !== '') yield `- ${markdownText(name)}\n`
      for (const sentence of sentences) yield `${name === '' ? '' : '  '}- ${markdownText(sentence)}\n`
      if (verbatim !== undefined) yield `${name === '' ? '' : '  '}- ${markdownCode(verbatim)}\n`
    }
  }
}

function* draw({ columns, rows, marks, totals }: Grid): Iterable<string> {
  yield markdownRow(columns.map(({ header }) => header))
  yield markdownRow(columns.map(({ unit }) => (unit === 'text' || unit === 'record' ? '---' : '---:')))
  for (const [index, row] of rows.entries()) {
    const texts = columns.map(({ unit }, at) => format(row[at], unit))
    yield markdownRow(texts.map((text, at) => (marks[at]?.[index] ? `**${text}**` : text)))
  }
  for (const row of totals) {
    yield markdownRow(
      columns.map(({ unit }, at) => format(row[at], unit)).map((text) => (text === '' ? '' : `**${text}**`)),
    )
  }
}

function format(value: unknown, unit: Unit): string {
  if (value === null || value === undefined || value === '') return ''
  if (isShare(value)) return value.whole === 0 ? '-' : shareWords(value.part, value.whole)
  if (unit === 'list') return grouped((value as { readonly length: number }).length)
  if (unit === 'record') return markdownText(paramWords(value))
  if (unit === 'flag') return value ? 'yes' : ''
  if (typeof value !== 'number') return markdownText(String(value))
  if (unit === 'ordinal') return ordinal(value)
  if (unit === 'money') return money(value)
  if (unit === 'price') return String(value)
  if (unit === 'change') return changeWords(value)
  return unit === 'percent' ? decimal(value, 2) : grouped(value)
}

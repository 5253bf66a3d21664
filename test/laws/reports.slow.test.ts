/** Laws that hold for every report. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safe } from '../../src/base/quoting.ts'
import type { Run, Simulation, Total } from '../../src/model/run.ts'
import { arrange } from '../../src/reports/arrange.ts'
import { runColumns } from '../../src/reports/columns/run.ts'
import { reports } from '../../src/reports/index.ts'
import { compact, grouped } from '../../src/reports/numbers.ts'
import type { ReportOptions } from '../../src/reports/report.ts'
import { RunNames } from '../../src/reports/run-names.ts'
import { widthOf } from '../../src/reports/text.ts'
import { simulation } from '../reports/arbitrary.ts'
import { options, sampleRun, simulationOf } from '../reports/samples.ts'

/** The parts of a run that are for people only, and not in the JSON. */
const totalData = ({
  against: _,
  requests: __,
  peakTokens: ___,
  overWindowRequests: ____,
  cuts: _____,
  thinkingLostTokens: ______,
  references: _______,
  validity: { lostLatestUser },
  cost: { cacheHitPercent: ________, ...cost },
  ...data
}: Total) => ({ ...data, lostLatestUser, cost })
const runData = ({
  exact: _,
  estimatorAsked: __,
  firstFaults: ___,
  against: ____,
  session: _____,
  unpriced: ______,
  terms: _______,
  ...data
}: Run) => data

const views = fc.record<ReportOptions>({
  width: fc.constantFrom(24, 40, 80, 120, 200),
  color: fc.boolean(),
  cuts: fc.constantFrom('all', 'first', 'none'),
  by: fc.constantFrom('transcript', 'exchange', 'request'),
})

const print = (name: string, data: Simulation, change: Partial<ReportOptions> = {}): string =>
  [...reports.get(name).render(data, { ...options, ...change })].join('')

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const child of Object.values(Object.freeze(value))) freeze(child)
  return value
}

describe.each(reports.all)('$name', (report) => {
  it('is deterministic and pure, never throws, and lets nothing through that a terminal obeys', () => {
    fc.assert(
      fc.property(simulation, views, (data, view) => {
        const once = [...report.render(freeze(data), view)].join('')
        expect([...report.render(data, view)].join('')).toBe(once)
        if (once !== '') expect(once.endsWith('\n')).toBe(true)
        const plain = view.color ? [...report.render(data, { ...view, color: false })].join('') : once
        expect(plain.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/u)
      }),
      { numRuns: 20 },
    )
  })

  it('prints any list of things with columns', () => {
    const columns = [
      { key: 'name', header: 'name', unit: 'text', rank: 0, value: (item: Run) => item.transcript },
      { key: 'full', header: 'full', unit: 'tokens', rank: 1, value: (item: Run) => item.fullTokens },
    ] as const
    const text = [...report.rows(columns, [sampleRun(), sampleRun({ transcript: 'b', fullTokens: 7 })], options)].join(
      '',
    )
    expect(text.replaceAll(',', '')).toContain('8123')
    expect(text).toMatch(/\bb\b/)
    expect(() => [...report.rows(columns, [], options)]).not.toThrow()
  })
})

it('every file of the folder that has a default export is registered, under its name', () => {
  const folder = new URL('../../src/reports/', import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  const plugins = files.filter((file) => /^export default/m.test(readFileSync(new URL(file, folder), 'utf8')))
  expect(plugins.sort()).toEqual(reports.names.map((name) => `${name}.ts`).sort())
})

// --- the same numbers in every format ---

/** The keys of the columns that come from inside a block. */
const innerOf = (block: string) =>
  runColumns.filter(({ key }) => key.startsWith(`${block}.`)).map(({ key }) => key.slice(block.length + 1))

/** The scalar values of a run, as flat formats have them. */
function leaves(run: Run): Record<string, unknown> {
  const flat: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(runData(run))) {
    if (Array.isArray(value)) continue
    // A block that is null stands for all its values.
    const block = value === null ? innerOf(key) : []
    const nested = block.length > 0 ? Object.fromEntries(block.map((inner) => [inner, null])) : value
    if (typeof nested !== 'object' || nested === null) flat[key] = nested
    else for (const [inner, leaf] of Object.entries(nested)) flat[`${key}.${inner}`] = leaf
  }
  return flat
}

/** Parses CSV by RFC 4180, independent of the package that wrote it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const pattern = /("(?:[^"]|"")*"|[^,"\n]*)(,|\n)/gy
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const cell = match[1] as string
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (match[2] === '\n') rows.push([])
  }
  return rows.slice(0, -1)
}

const csvText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  return safe(value).replaceAll(/(^|;)(?=[=+\-@\t\r＝＋－＠])/g, "$1'")
}

describe('the same numbers in every format', () => {
  it('json is the simulation', () => {
    fc.assert(
      fc.property(simulation, (data) => {
        const parsed = JSON.parse(print('json', data))
        expect(Object.keys(parsed)).toEqual(['schemaVersion', 'runs', 'totals', 'diagnostics'])
        expect(parsed).toEqual(
          JSON.parse(JSON.stringify({ ...data, runs: data.runs.map(runData), totals: data.totals.map(totalData) })),
        )
      }),
      { numRuns: 20 },
    )
  })

  it('ndjson is its runs', () => {
    fc.assert(
      fc.property(simulation, (data) => {
        const lines = print('ndjson', data).split('\n').slice(0, -1)
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(print('json', data)).runs)
      }),
      { numRuns: 20 },
    )
  })

  it('csv has every scalar of every run, under the key of the json', () => {
    fc.assert(
      fc.property(simulation, (data) => {
        const [header = [], ...rows] = parseCsv(print('csv', data))
        expect(rows).toHaveLength(data.runs.length)
        data.runs.forEach((run, index) => {
          const expected = leaves(run)
          const cells = new Map(header.map((key, at) => [key, rows[index]?.[at]]))
          const keys = Object.keys(expected)
          expect(keys.map((key) => cells.get(safe(key)))).toEqual(keys.map((key) => csvText(expected[key])))
        })
      }),
      { numRuns: 20 },
    )
  })

  it('markdown has one row a run, with the numbers written out', () => {
    fc.assert(
      fc.property(simulation, (data) => {
        const [header, , ...rows] = tableOf(print('markdown', data, { top: Infinity }))
        expect(rows).toHaveLength(data.runs.length === 0 ? 0 : data.runs.length + totalsOf(data))
        inOrder(data.runs).forEach((run, index) => {
          const cells = Object.fromEntries((header ?? []).map((key, at) => [key, rows[index]?.[at]]))
          expect(cells).toMatchObject({
            full: grouped(run.fullTokens),
            sent: grouped(run.sentTokens),
            over: grouped(run.overBudgetRequests),
            cuts: String(run.cuts.length),
          })
        })
      }),
      { numRuns: 20 },
    )
  })

  it('the table has one row a run, with its numbers, however they are written, and no line is too wide', () => {
    fc.assert(
      fc.property(simulation, views, (data, view) => {
        const text = print('table', data, { ...view, color: false, top: Infinity })
        expect(text.split('\n').filter((line) => widthOf(line) > view.width)).toEqual([])
        // Colour changes only the colour.
        expect(print('table', data, { ...view, color: true, top: Infinity }).replaceAll(/\u001b\[\d+m/g, '')).toBe(text)
        if (view.by !== 'transcript' || data.runs.length === 0) return
        const [header = [], ...rows] = cellsOf(text)
        expect(rows).toHaveLength(data.runs.length + totalsOf(data))
        inOrder(data.runs).forEach((run, index) => {
          const cells = new Map(header.map((key, at) => [key, rows[index]?.[at]]))
          expect([undefined, grouped(run.overBudgetRequests), compact(run.overBudgetRequests)]).toContain(
            cells.get('over'),
          )
          expect([undefined, grouped(run.sentTokens), compact(run.sentTokens)]).toContain(cells.get('sent'))
          expect([undefined, grouped(run.fullTokens), compact(run.fullTokens)]).toContain(cells.get('full'))
          if (view.width >= 120) expect(header).toEqual(expect.arrayContaining(['cost', 'vs today', 'over']))
        })
      }),
      { numRuns: 25 },
    )
  })

  it('every scalar of the json has a column', () => {
    const keys = new Set(runColumns.map(({ key }) => key))
    const fixed = Object.keys(leaves(sampleRun({ believedTokens: 1 }))).filter((key) => !key.startsWith('params.'))
    expect(fixed.filter((key) => !keys.has(key))).toEqual([])
  })
})

const totalsOf = ({ totals }: Simulation): number => totals.filter(({ transcripts }) => transcripts > 1).length

/** The runs as a table has them. */
const inOrder = (runs: readonly Run[]) => arrange(runs, new RunNames(runs), { top: Infinity }).runs

/** The cells of the first table of a terminal, each as wide as its part of the rule below the header. */
function cellsOf(text: string): string[][] {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^─+( {2}─+)*$/.test(line))
  const widths = (lines[at] as string).split('  ').map((part) => part.length)
  const end = lines.findIndex((line, index) => index > at && /^(A wider terminal.*)?$/.test(line))
  const rows = lines.slice(at - 1, end < 0 ? undefined : end).filter((line) => !/^(─|… )/.test(line))
  return rows.map((line) => {
    const parts = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)].map(({ segment }) => segment)
    return widths.map((width) => {
      let cell = ''
      for (let left = width; left > 0 && parts.length > 0; ) {
        const part = parts.shift() as string
        left -= widthOf(part)
        cell += part
      }
      // Marks of no width belong to the cell before; then the gap.
      while (parts.length > 0 && widthOf(parts[0] as string) === 0) cell += parts.shift()
      parts.splice(0, 2)
      return cell.trim()
    })
  })
}

/** The cells of the first Markdown table, split as GitHub does. */
function tableOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  )
}

it('two runs of one file are told apart by their conversation', () => {
  const runs = ['a', 'b'].map((conversation) => sampleRun({ conversation }))
  expect(print('table', simulationOf(runs))).toMatch(/tools\.jsonl#a[\s\S]*tools\.jsonl#b/)
})

/** Where the price of a model is not known, no output says that what was sent cost nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../cli/run.ts'
import { fixtureText } from '../readers/reading.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-price-'))
afterAll(() => rmSync(directory, { recursive: true }))

function write(model: string): string {
  const cwd = mkdtempSync(join(directory, 'of-'))
  for (const name of ['moorings.jsonl', 'compaction.jsonl']) {
    const text = fixtureText('claude-code', name).replaceAll(/"model":"claude[^"]*"/g, `"model":"${model}"`)
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

const unknown = write('lamp-1')
const known = write('claude-opus-5')

const commands = [
  '.',
  'sessions .',
  'spend .',
  'spend . --by session',
  'spend . --by part',
  'spend . --by cause',
  'spend . --by definition',
  'spend . --by compaction',
  'simulate . --budget 16k --policy drop-oldest',
  'simulate moorings.jsonl --budget 16k --policy drop-oldest --by request',
  'recommend . --budget 16k --policy drop-oldest,summarise-oldest:tokens=300 --full',
  'history moorings.jsonl',
  'history moorings.jsonl --costs',
  'history moorings.jsonl --compactions',
]
const outputs = ['table', 'json', 'csv', 'markdown', 'ndjson']

const isMoney = (name: string): boolean => /usd|dollar|^sum$|costBilled|costRecorded/i.test(name)

type Cell = readonly [name: string, value: unknown]

/** All that stands under a name, in an output of rows or of objects. */
function cellsOf(output: string, text: string): Cell[] {
  if (output === 'json') return membersOf(JSON.parse(text))
  const lines = text.split('\n')
  if (output === 'ndjson') return lines.filter(Boolean).flatMap((line) => membersOf(JSON.parse(line)))
  if (output === 'csv') return rowsOf(lines.map((line) => line.match(/("([^"]|"")*"|[^,"]+)(?=,|$)|(?<=,|^)(?=,|$)/g)))
  if (output === 'markdown') return rowsOf(lines.map((line) => (line.startsWith('|') ? line.split('|') : null)))
  const tables = text.split('\n\n').map((block) => block.split('\n'))
  return tables.flatMap((block) => {
    const rule = block.find((line) => /^─[─ ]*$/.test(line)) ?? ''
    const places = [...rule.matchAll(/─+/g)].map(({ 0: { length }, index }) => [index, index + length] as const)
    const rows = block.slice(block.indexOf(rule) - 1).filter((line) => line !== rule)
    return rule === '' ? [] : rowsOf(rows.map((line) => places.map(([from, to]) => line.slice(from, to))))
  })
}

function membersOf(value: unknown): Cell[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, held]) => [[name, held] as const, ...membersOf(held)])
}

/** The first row of each block has the names. */
function rowsOf(rows: readonly (readonly string[] | null)[]): Cell[] {
  let names: readonly string[] | null = null
  return rows.flatMap((row) => {
    if (row === null) return []
    const isHead = names?.length !== row.length || row.some((cell) => isMoney(cell.trim()))
    if (isHead) names = row.map((cell) => cell.trim())
    return isHead ? [] : row.map((cell, at) => [names?.[at] ?? '', cell.trim()] as const)
  })
}

async function printed(cwd: string, command: string, output: string) {
  const argv = [...command.split(' '), '--no-cache', '--output', output]
  const { code, stdout, stderr } = await runCli(argv, { cwd, now: Date.parse('2026-06-01') })
  return code === 2 && / is not one of /.test(stderr) ? null : { code, text: stdout, all: stdout + stderr }
}

describe.each(commands)('%s', (command) => {
  it.each(outputs)('as %s tells no cost of a model without a price', async (output) => {
    const ran = await printed(unknown, command, output)
    if (ran === null) return
    expect(ran.code).toBe(0)
    expect(ran.all).not.toMatch(/\$\d|\bNaN\b(?!`)|\bundefined\b/)
    const costs = cellsOf(output, ran.text).filter(([name]) => isMoney(name))
    expect(costs.filter(([, value]) => /^[-+$]*\d[\d.,]*$/.test(String(value)))).toEqual([])
  })
})

it.each(outputs)('looks where costs stand: as %s', async (output) => {
  const ran = await printed(known, 'spend .', output)
  const costs = cellsOf(output, ran?.text ?? '').filter(([name, value]) => isMoney(name) && Number(value) > 0)
  expect(costs).not.toEqual([])
})

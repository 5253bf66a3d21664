/**
 * What a terminal is shown, by every command and in terminals of four widths: no line is wider than the terminal, but for those
 * that are there to be pasted; no figure stands on another line than its unit; and each colour is one of the table in ink.ts.
 */
import { readFileSync } from 'node:fs'
import { Chalk } from 'chalk'
import { describe, expect, it } from 'vitest'
import { namedCommands } from '../../src/cli/inputs/commands.ts'
import { colours } from '../../src/reports/ink.ts'
import { widthOf } from '../../src/reports/text.ts'
import { runCli } from '../cli/run.ts'
import { sampled } from '../whole.ts'

const many = [
  ...['refactor', 'compaction', 'started-agents'].map((name) => `fixtures/claude-code/${name}.jsonl`),
  ...['fixtures/pi', 'fixtures/openai-chat/tools.jsonl', 'fixtures/opencode'],
]
const one = 'fixtures/claude-code/moorings.jsonl'

/** Command lines of what people read. What prints for programs alone, or lines of code, has no width. */
const lines: readonly (readonly string[])[] = [
  [...many],
  ['fixtures/claude-code/refactor.jsonl', '--plan'],
  ['sessions', ...many],
  ['sessions', ...many, '--changed', '2026-03-03'],
  ['spend', ...many],
  ...['session', 'tool', 'definition', 'compaction', 'agent', 'miss'].map((by) => ['spend', ...many, '--by', by]),
  ['quality', ...many],
  ['simulate', ...many, '--budget', '8k'],
  ['simulate', one, '--budget', '8k,50%', '--policy', 'ikigai,forge', '--cuts', 'all'],
  ['simulate', one, '--budget', '8k', '--by', 'reference'],
  ['recommend', ...many, '--budget', 'all'],
  ['recommend', one, '--policy', 'ikigai,forge,drop-oldest', '--budget', '8k,16k,0', '--full'],
  ['recommend', one, '--policy', 'all', '--budget', '16k', '--baseline', 'unpruned'],
  ['recommend', ...many],
  ['tune', ...many, '--seconds', '1'],
  ['history', '--exchanges', one],
  ['history', one],
  ['history', one, '--costs'],
  ['history', one, '--compactions'],
  ['history', one, '--budget', '12k', '--lost'],
  ['history', one, '--budget', '12k', '--full'],
  ['advise', one, '--now', '2026-05-19T13:30:00Z'],
  ['check', one, '--assert', 'maxPeakTokens=10k', '--assert', 'maxCuts=2', '--budget', '8k'],
  ['calibrate', ...many],
  ['list', 'policies'],
  ['list', 'policies', 'claude-code-auto', 'knobs'],
  ['list', 'estimators'],
  ['list', 'formats'],
  ['list', 'models', 'claude-sonnet-4-5', 'gpt-5.1'],
  ['help'],
  ...namedCommands.map(({ name }) => [name, '--help']),
]

const widths = [60, 80, 120, 200]

const colour = /\u001b\[\d+m/g
const plain = (text: string): string => text.replaceAll(colour, '')

/** A command line, a setting, or a line of an example: it is there to be pasted. */
const pasted = /^ +(?:ctxwin|node|npm|npx|"|export |[A-Z_]+=)/

const figure = /(?:^|[ (])[-+$]*\d[\d.,]*[kM]?$/
const unit = /^(?:%|USD|tokens?|requests?|sessions?|transcripts?|exchanges?|messages?|calls?|times?|min|s|h|d)(?![\w-])/

/** Sentences: rows of tables have several blanks between their cells. */
const isSentence = (line: string): boolean => !/\S {2,}\S/.test(line)

/** What reads many sessions takes long: it is tried in a narrow terminal and in a wide one. */
const isLong = (line: readonly string[]): boolean => line.includes(many[1] as string)
const long = lines.filter(isLong)

describe.each(widths)('in %i columns', (width) => {
  const turn = widths.indexOf(width)
  const shown = [...lines.filter((line) => !isLong(line)), ...sampled(long, 2, turn)]
  it.each(shown.map((line) => [line.join(' '), line] as const))('ctxwin %s', async (_, line) => {
    const { stdout } = await runCli([...line], { env: { COLUMNS: String(width), FORCE_COLOR: '1' } })
    const shown = plain(stdout).split('\n')
    expect(stdout).not.toBe('')
    const tooWide = shown.filter((text) => widthOf(text) > width && !pasted.test(text))
    expect(tooWide).toEqual([])
    const split = shown.filter((text, at) => {
      const next = (shown[at + 1] ?? '').trimStart()
      return isSentence(text) && figure.test(text) && unit.test(next)
    })
    expect(split).toEqual([])
    const known = new Set<string>()
    const chalk = new Chalk({ level: 1 })
    for (const { style } of Object.values(colours))
      for (const code of chalk[style]('x').match(colour) ?? []) known.add(code)
    expect((stdout.match(colour) ?? []).filter((code) => !known.has(code))).toEqual([])
  })
})

it('the table of colours is that of docs/cli.md', () => {
  const page = readFileSync('docs/cli.md', 'utf8')
  for (const { style, meaning } of Object.values(colours)) expect(page).toContain(`| ${style} | ${meaning} |`)
})

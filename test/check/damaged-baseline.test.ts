/** Baselines that were edited, merged or cut off: each change is told, or changes nothing. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { choose } from '../../src/base/chosen.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import { parseBaseline, whyIncomparable } from '../../src/check/baseline.ts'
import { compareWithBaseline } from '../../src/check/compare-baseline.ts'
import { baselineData, makeBaseline } from '../../src/check/make-baseline.ts'
import type { Outcome } from '../../src/check/outcome.ts'
import { reporterNames } from '../../src/cli/inputs/settings.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Simulation } from '../../src/model/run.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { printJson } from '../../src/reports/json.ts'
import { changedLines, changedValue } from '../mutations.ts'
import { billedSession, conversation, useRepository } from './repository.ts'

const madeWith = {
  estimators: [{ name: 'bytes', version: 1 }],
  policies: ['ikigai'],
  budgets: [2000, 3000],
  preamble: 'auto',
  model: null,
  provider: null,
  measure: 'run',
  format: 'auto',
} as const

describe('any one change to a baseline', () => {
  const files = ['fixtures/codex/compaction.jsonl', 'fixtures/claude-code/two-sessions.jsonl']
  let simulation: Simulation
  let text = ''
  let whole: readonly string[] = []
  beforeAll(async () => {
    const plan = { policies: [choose(ikigai)], estimators: [choose(bytes)], budgets: madeWith.budgets }
    const settings = { by: 'request', apart: true, witness: true } as const
    simulation = await simulateSources(files.map(openFile), { ...plan, references: false }, settings)
    text = printJson(baselineData(makeBaseline(simulation.runs, madeWith, [])))
    whole = said(compared(text))
  })

  const compared = (baseline: string): string | { readonly outcomes: readonly Outcome[]; readonly notes: unknown } => {
    try {
      const read = parseBaseline(baseline, 'b.json')
      const other = whyIncomparable(read, madeWith, 'b.json', true)
      if (other) return other.message
      return compareWithBaseline(simulation, read, {
        name: 'b.json',
        tolerance: 0,
        limited: [],
        excused: new Set(),
        exists: () => false,
        commandFor: () => null,
      })
    } catch (error) {
      if (error instanceof CtxwinError) return error.message
      throw error
    }
  }

  /** All that is reported, in whatever order. */
  const said = (result: ReturnType<typeof compared>): string[] =>
    typeof result === 'string' ? [result] : [...result.outcomes, result.notes].map((one) => JSON.stringify(one)).sort()

  function isToldOrNothing(changed: string): void {
    const result = compared(changed)
    if (typeof result === 'string') {
      expect(result).toMatch(/^b\.json(:\d+)?:? .+/)
      return
    }
    const told = result.outcomes.some(({ status }) => status === 'fail')
    if (!told) expect(said(result)).toEqual(whole)
  }

  it('holds as it is', () => {
    const result = compared(text)
    expect(result).toMatchObject({ notes: [] })
    expect(typeof result === 'string' || result.outcomes.every(({ status }) => status === 'pass')).toBe(true)
  })

  it('of a value or a key is told, or changes nothing that is reported', () => {
    fc.assert(
      fc.property(changedValue(JSON.parse(text)), (value) => isToldOrNothing(JSON.stringify(value, null, 2))),
      { numRuns: 500 },
    )
  })

  it('of a line is told, or changes nothing that is reported', () => {
    fc.assert(fc.property(changedLines(text), isToldOrNothing), { numRuns: 500 })
  })

  it('of the order of keys changes nothing', () => {
    const turned = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, turned(inner)]),
          )
        : Array.isArray(value)
          ? value.map(turned)
          : value
    expect(said(compared(JSON.stringify(turned(JSON.parse(text)))))).toEqual(whole)
  })
})

const repository = useRepository()
const { write, read } = repository
const check = (...words: string[]) => repository.ctxwin('check', ...words)
const file = 'ctxwin-baseline.json'

async function agreed(): Promise<string> {
  write('t/a.json', billedSession(3))
  write('t/b.jsonl', conversation(2))
  write('ctxwin.config.json', JSON.stringify({ budget: 200, assert: { maxCostInput: 99_999 } }))
  expect(await check('t', '--update-baseline')).toMatchObject({ code: 0, stderr: '' })
  return read(file)
}

/** The line, from 1, in which a text stands. */
const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length
const remake = ': make it anew with --update-baseline'

describe('an entry of a baseline', () => {
  it.each([
    [
      'no cost, as the',
      /\n *"cost\.input": [\d.]+,/,
      '',
      'does not agree with its own sum: a figure was changed, added',
    ],
    ['no', /\n *"sentTokens": \d+,/, '', 'lacks sentTokens'],
    ['another', /"sentTokens": \d+/, '"sentTokens": 99999', 'does not agree with its own sum'],
    ['a negative', /"sentTokens": \d+/, '"sentTokens": -1', 'has no such values.sentTokens as any run could have'],
    ['a null', /"sentTokens": \d+/, '"sentTokens": null', 'has no such values.sentTokens as any run could have'],
    ['a text', /"sentTokens": (\d+)/, '"sentTokens": "$1"', 'has no such values.sentTokens as any run could have'],
    ['a boundless', /"sentTokens": \d+/, '"sentTokens": 1e999', 'has no such values.sentTokens as any run could have'],
    [
      'an inexact',
      /"sentTokens": \d+/,
      '"sentTokens": 9007199254740993',
      'has no such values.sentTokens as any run could have',
    ],
    ['a halved', /"sentTokens": \d+/, '"sentTokens": 0.5', 'has no such values.sentTokens as any run could have'],
    ['a renamed', /"sentTokens"/, '"sentToken"', 'lacks sentTokens'],
    ['a foreign', /"sentTokens"/, '"__proto__": 1, "sentTokens"', 'has "__proto__", and no figure has that name'],
    ['a fit of its own', /"factor": [\d.]+/, '"factor": 9', 'does not agree with its own sum'],
    ['no fit', /"usage": \{[^}]+\}/, '"usage": null', 'does not agree with its own sum'],
    ['half a fit', /\n *"factor": [\d.]+,/, '', 'has no such usage.factor as any run could have'],
    ['no sum', /,\s*"sum": "\w+"/, '', 'has no such sum as any run could have'],
  ])('with %s figure is a finding at its line', async (_, old, changed, words) => {
    const text = await agreed()
    write(file, text.replace(old, changed))
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    expect(stdout.match(/^error .*/gm)).toEqual([`error ${file}:${lineOf(text, '"t/a.json": [') + 1} baseline/damaged`])
    expect(stdout).toContain(`      the entry of t/a.json ${words}`)
    expect(stdout).toContain(`${remake}\n`)
    for (const reporter of reporterNames) {
      expect((await check('t', '--reporter', reporter)).stdout, reporter).toContain('the entry of t/a.json ')
    }
    expect((await check('t', '--update-baseline')).code).toBe(0)
    expect(read(file)).toBe(text)
  })

  it('that stands there twice, or has a figure twice, is a finding at the second', async () => {
    const text = await agreed()
    write(file, text.replace(/"sentTokens": (\d+),/, '"sentTokens": $1,\n"sentTokens": 99999,'))
    const figure = lineOf(read(file), '"sentTokens": 99999')
    expect((await check('t')).stdout).toContain(
      `error ${file}:${figure} baseline/damaged\n      t/a.json: "sentTokens" stands here a second time${remake}\n`,
    )
    const entry = text.match(/ *"t\/a\.json": \[[^\]]+\],\n/)?.[0] as string
    write(file, text.replace(entry, entry + entry.replaceAll(/\d+/g, '99999')))
    const { code, stdout } = await check('t')
    const again = lineOf(text.replace(entry, entry + entry), '"t/b.jsonl"') - entry.split('\n').length + 1
    expect({ code, line: stdout.match(/^error .*/gm) }).toEqual({
      code: 1,
      line: [`error ${file}:${again} baseline/damaged`],
    })
    expect(stdout).toContain(`      t/a.json stands here a second time${remake}\n`)
  })

  it('may be renamed by hand, and stand in another layout', async () => {
    const text = await agreed()
    write('t/c.jsonl', conversation(2))
    repository.remove('t/b.jsonl')
    write(file, JSON.stringify(JSON.parse(text.replace('t/b.jsonl', 't/c.jsonl'))))
    expect((await check('t')).stdout).toMatch(/^ok: 2 transcripts, /)
  })

  it('hides no other: what is sound is still compared', async () => {
    const text = await agreed()
    write(file, text.replace(/"sentTokens": \d+/, '"sentTokens": null'))
    write('t/b.jsonl', conversation(3))
    expect((await check('t')).stdout).toMatch(/^error t\/b\.jsonl:\d+ baseline\/sentTokens$/m)
  })

  it('is kept by no update that leaves its file out', async () => {
    const text = await agreed()
    write(file, text.replace(/"sentTokens": \d+/, '"sentTokens": null'))
    const damaged = read(file)
    expect(await check('t/b.jsonl', '--update-baseline')).toMatchObject({
      code: 2,
      stderr: `ctxwin: ${file} was not written: it was made in another way or is damaged, and has 1 file (t/a.json) besides: check them too, or remove ${file} first\n`,
    })
    expect(read(file)).toBe(damaged)
  })
})

describe('a baseline in which nothing can be held to', () => {
  it.each([
    [
      'that a merge left',
      (text: string) => text.replace(/\n( *"sentTokens".*)/, '\n<<<<<<< HEAD\n$1\n=======\n$1\n>>>>>>> theirs'),
      '<<<<<<< HEAD',
      'a merge conflict is not settled here: take one of its sides, and make it anew with --update-baseline',
    ],
    [
      'cut off',
      (text: string) => text.slice(0, text.indexOf('"sentTokens"') + 8),
      '"sentTokens"',
      'it is not JSON from here on: remove it, or name another file with --baseline',
    ],
    [
      'with NaN',
      (text: string) => text.replace(/"sentTokens": \d+/, '"sentTokens": NaN'),
      '"sentTokens"',
      'it is not JSON from here on: remove it, or name another file with --baseline',
    ],
    [
      'with all its files twice',
      (text: string) => text.replace(/"files": \{/, '"files": {},\n"files": {'),
      '"files": {',
      '"files" stands here a second time: make it anew with --update-baseline',
      1,
    ],
    [
      'with a setting twice',
      (text: string) => text.replace(/"measure":/, '"measure": "native",\n"measure":'),
      '"measure": "native"',
      '"madeWith.measure" stands here a second time: make it anew with --update-baseline',
      1,
    ],
  ])('%s ends the check with exit 2 and its line', async (_, change, part, words, further = 0) => {
    const text = change(await agreed())
    write(file, text)
    expect(await check('t')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${file}:${lineOf(text, part) + further}: ${words}\n`,
    })
  })

  it('as it is empty ends it, too', async () => {
    const { madeWith } = JSON.parse(await agreed())
    write(file, JSON.stringify({ schemaVersion: 2, madeWith, files: {} }))
    expect(await check('t')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${file}: there is no entry in it${remake}\n`,
    })
    write(file, JSON.stringify({ schemaVersion: 2, madeWith, files: { 't/a.json': [], 't/b.jsonl': {} } }))
    expect((await check('t')).stdout.match(/^ {6}.*/gm)).toEqual([
      `      t/a.json has no list of entries${remake}`,
      `      t/b.jsonl has no list of entries${remake}`,
    ])
  })
})

it.each(['__proto__', 'constructor', 'toString'])('a transcript may be called %s', async (name) => {
  write(name, conversation(2))
  write('other.jsonl', conversation(2))
  expect((await check(name, 'other.jsonl', '--update-baseline')).code).toBe(0)
  expect((await check(name, 'other.jsonl')).stdout).toMatch(/^ok: 2 transcripts, /)
  expect((await check('other.jsonl', '--update-baseline')).code).toBe(0)
  write(name, conversation(3))
  expect((await check(name, 'other.jsonl')).code).toBe(1)
})

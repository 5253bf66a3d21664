/** What was promised before a setting changed and what came, in words. */
import { describe, expect, it } from 'vitest'
import {
  type Changed,
  type ChangedFigure,
  type ChangedProgram,
  changedFigures,
  changedVerdicts,
} from '../../src/model/changed.ts'
import { changedSheet, moveLines } from '../../src/reports/changed.ts'
import { decisionWords } from '../../src/reports/decision.ts'
import { gridOf } from '../../src/reports/grid.ts'
import { decision } from './decisions.ts'

const figure = (more: Partial<ChangedFigure> = {}): ChangedFigure => ({
  ...{
    figure: 'inputUsd',
    before: 4,
    after: 1,
    sessionsBefore: 1234,
    sessionsAfter: 21,
    percent: -75,
    low: -80.4,
    high: -10,
  },
  ...more,
})
const program = (more: Partial<ChangedProgram> = {}): ChangedProgram => ({
  ...{ program: 'pi', verdict: 'cheaper', sessionsBefore: 30, sessionsAfter: 20, told: null, figures: [figure()] },
  ...more,
})
const of = (programs: ChangedProgram[], more: Partial<Changed> = {}): Changed => ({
  ...{ schemaVersion: 1, changed: '2026-03-01T00:00:00.000Z', transcripts: 60, straddling: 0, undated: 0 },
  ...{ programs, diagnostics: [] },
  ...more,
})
type Sheeted = Partial<Changed> & { readonly forPeople?: boolean; readonly inShares?: boolean }
const sheet = (programs: ChangedProgram[], { forPeople = true, inShares = false, ...more }: Sheeted = {}) =>
  changedSheet(of(programs, more), forPeople, inShares)
const answers = (more: Partial<ChangedProgram>, inShares = false) =>
  (sheet([program(more)], { inShares }).answers ?? []).map(String)

describe('the answer', () => {
  const cost = 'Input cost $4.00 a session before (1,234 sessions) and $1.00 since (21): -75 % (-80 to -10).'
  it.each<[Partial<ChangedProgram>, string]>([
    [{ verdict: 'as-promised' }, 'Surely cheaper, and in line with what was promised.'],
    [{ verdict: 'more' }, 'Surely cheaper, and by more than was promised.'],
    [{ verdict: 'less' }, 'Surely cheaper, but by less than was promised.'],
    [{ verdict: 'cheaper' }, 'Surely cheaper.'],
    [{ verdict: 'dearer' }, 'Surely dearer.'],
    [{ verdict: 'untold' }, 'Too few sessions to say whether it is cheaper: the difference may be chance.'],
  ])('of %j', (more, words) => {
    expect(answers(more)).toEqual([`pi: ${words} ${cost}`])
  })

  it.each<[Partial<ChangedFigure>, string]>([
    [{ low: -5, high: 0 }, 'Surely less of a saving than was promised, if it is one.'],
    [{ low: 0, high: 5 }, 'Surely less of a saving than was promised, if it is one.'],
    [{ low: 1, high: 5 }, 'Surely dearer, although a saving was promised.'],
    [{ low: null, high: null }, 'Surely less of a saving than was promised, if it is one.'],
  ])('of less than was promised, between %j', (more, words) => {
    expect(answers({ verdict: 'less', figures: [figure(more)] })[0]).toContain(`pi: ${words} Input`)
  })

  it('has as much of the money as is known', () => {
    const said = (more: Partial<ChangedFigure>, inShares = false) =>
      answers({ figures: [figure(more)] }, inShares)[0]?.replace('pi: Surely cheaper. Input cost ', '')
    expect(said({ before: null, percent: null })).toBe('no change.')
    expect(said({ after: null, low: null })).toBe('-75 %.')
    expect(said({}, true)).toBe('-75 % (-80 to -10).')
    expect(said({ sessionsBefore: 1, high: null, percent: 12 })).toBe(
      '$4.00 a session before (1 session) and $1.00 since (21): +12 %.',
    )
  })

  it('says what was promised, and where too few sessions tell', () => {
    const told = decision({})
    expect(answers({ told, program: null })[1]).toBe(
      `your own agent, promised from the sessions before: ${decisionWords(told).words}`,
    )
    expect(answers({ told }, true)[1]).toBe(`pi, promised from the sessions before: ${decisionWords(told, true).words}`)
    expect(answers({ told, verdict: 'untold' })[0]).toContain(
      'pi: Too few sessions to say: the difference may be chance, and what was promised may still be right. Input',
    )
    expect(answers({ told, verdict: 'too-few' })).toEqual([
      'pi: too few sessions with a price to compare (1,234 before, 21 since; 10 are needed on each side)',
    ])
  })
})

describe('the table', () => {
  it('has each figure in its own words, with the change and its interval', () => {
    const values = [1.5, 0.25, 3, 9.94, 0.5, 12_345, 167_000]
    const figures = changedFigures.map((name, at) =>
      figure({
        figure: name,
        before: values[at] as number,
        after: (values[at] as number) * 2,
        percent: at - 3,
        low: at % 2 ? null : -1,
        sessionsAfter: at,
      }),
    )
    const {
      columns,
      shown = columns,
      items,
    } = sheet([program({ figures }), program({ program: null, figures: figures.slice(0, 1) })])
    expect(gridOf(shown, items).rows).toEqual([
      ['pi', 'input, a session', '$1.50', '$3.00', -3, '-1.0 to -10', '1,234 | 0'],
      ['pi', 'input, a request', '$0.25', '$0.50', -2, null, '1,234 | 1'],
      ['pi', 'in all, a session', '$3.00', '$6.00', -1, '-1.0 to -10', '1,234 | 2'],
      ['pi', 'requests, a session', '9.9', '20', 0, null, '1,234 | 3'],
      ['pi', 'compactions, a session', '0.50', '1.00', 1, '-1.0 to -10', '1,234 | 4'],
      ['pi', 'read again, a session', '12k', '25k', 2, null, '1,234 | 5'],
      ['pi', 'compacts at, median', '167k', '334k', 3, '-1.0 to -10', '1,234 | 6'],
      ['your own agent', 'input, a session', '$1.50', '$3.00', -3, '-1.0 to -10', '1,234 | 0'],
    ])
    const shares = sheet([program({ figures: [...figures.slice(0, 4), figure({ before: 0 })] })], { inShares: true })
    const cells = gridOf(shares.shown ?? [], shares.items).rows.map(([, before, after]) => [before, after])
    // Of one program, its name is left out.
    expect(cells).toEqual([
      ['100 %', '200 %'],
      ['100 %', '200 %'],
      ['100 %', '200 %'],
      ['9.9', '20'],
      [null, null],
    ])
    expect(
      gridOf(shown, items)
        .columns.map(({ rank, header }) => `${rank} ${header}`)
        .sort(),
    ).toEqual(['0 after', '0 before', '0 change', '0 what', '1 program', '1 range %', '2 sessions'])
  })

  it('has for people only what there is on both sides', () => {
    const figures = [figure(), figure({ before: null }), figure({ after: null })]
    expect([true, false].map((forPeople) => sheet([program({ figures })], { forPeople }).items.length)).toEqual([1, 3])
    expect(sheet([program({ figures: figures.slice(1) })]).shown).toEqual([])
  })

  it('has above it what is compared, what is left out, and that it is no experiment', () => {
    const compared = 'compared: sessions that ended before 1 Mar 2026, and those that began since'
    const caveat = expect.stringMatching(/^Ranges are intervals of 95 %/)
    const few = program({ verdict: 'too-few' })
    expect(sheet([few]).captions).toEqual([compared])
    expect(sheet([program(), few]).captions).toEqual([compared, caveat])
    expect(sheet([few], { straddling: 1 }).captions).toEqual([
      compared,
      'left out: 1 session that began before and went on after',
    ])
    expect(sheet([few], { straddling: 2, undated: 3 }).captions[1]).toBe(
      'left out: 2 sessions that began before and went on after, 3 sessions without a date',
    )
  })
})

it('the data have every field, and of what was promised what matters', () => {
  const told = decision({})
  const one = program({ told })
  const { data } = sheet([one, program({ told: decision({ recommended: null, outcome: 'keep' }) }), program()], {
    undated: 3,
  }) as never as { data: Changed }
  const { recommended } = told
  const { percent, low, high } = recommended?.saved ?? {}
  const plain = {
    ...program(),
    told: { outcome: 'set', setting: recommended?.setting, budget: recommended?.budget, percent, low, high },
  }
  const nothing = { outcome: 'keep', setting: null, budget: null, percent: null, low: null, high: null }
  expect(data).toEqual({ ...of([]), undated: 3, programs: [plain, { ...program(), told: nothing }, program()] })
  expect(changedVerdicts).toContain(one.verdict)
})

it('a move of the threshold says from where to where, of how many sessions, and how to look whether it paid', () => {
  const move = {
    program: 'pi',
    model: 'm',
    day: '2026-03-01',
    tokensBefore: 167_000,
    tokensAfter: 80_000,
    sessionsBefore: 1234,
    sessionsAfter: 1,
  }
  expect(moveLines([move, { ...move, program: null, model: null, sessionsAfter: 2 }], (day) => `look ${day}`)).toEqual([
    'pi with m compacts at about 80k since 1 Mar 2026, at 167k before (1 session since, 1,234 before). To see whether that paid:',
    { verbatim: 'look 2026-03-01' },
    'your own agent compacts at about 80k since 1 Mar 2026, at 167k before (2 sessions since, 1,234 before). To see whether that paid:',
    { verbatim: 'look 2026-03-01' },
  ])
})

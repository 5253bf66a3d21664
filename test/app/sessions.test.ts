/** What `ctxwin` alone adds up: sessions with their sub-agents, against the runs they are made of. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { readingHere } from '../../src/app/analysis.ts'
import { settingsByProgram, usualBudgets } from '../../src/app/candidates.ts'
import { recommend } from '../../src/app/recommend.ts'
import { readSessions } from '../../src/app/sessions.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import { policies } from '../../src/policies/index.ts'
import type { Source } from '../../src/readers/lines/source.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { claudeSession } from './claude-session.ts'

const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [] }
const all = ['claude-code', 'codex', 'pi'].flatMap((format) =>
  readdirSync(`fixtures/${format}`).map((file) => `fixtures/${format}/${file}`),
)
const open = (files: readonly string[]) => files.map(openFile)

describe('readSessions', () => {
  it('adds up to the runs of the unpruned history, and to today beside them', async () => {
    const { sessions, totals } = await readSessions(readingHere(open(all), {}), plan)
    const unpruned = { ...plan, policies: [choose(policies.get('keep-all'))], budgets: [0] }
    const { runs, totals: ofRuns } = await simulateSources(open(all), unpruned)
    const [total] = ofRuns
    const counted = runs.filter(({ copyOf }) => copyOf === undefined)
    expect(totals).toMatchObject({
      transcripts: counted.length,
      requests: counted.reduce((sum, { requests }) => sum + requests, 0),
      spent: total!.spent,
      today: {
        unit: 'usd',
        sentTokens: total!.today.sentTokens,
        costInput: total!.today.costInput,
        summaries: total!.today.summaries,
        savedTokens: -total!.today.savedTokens,
        costSaved: -total!.today.costSaved,
      },
      unpruned: { sentTokens: total!.sentTokens, costInput: total!.cost.input },
    })
    const sum = (figure: (session: (typeof sessions)[number]) => number) =>
      sessions.reduce((total, session) => total + figure(session), 0)
    expect(sum(({ transcripts }) => transcripts)).toBe(totals.transcripts)
    expect(sum(({ requests }) => requests)).toBe(totals.requests)
    expect(sum(({ sentTokens }) => sentTokens)).toBe(totals.today.sentTokens)
    expect(sum(({ spent }) => spent ?? 0)).toBeCloseTo(totals.spent!.usd, 4)
  })

  it('lists the dearest first, and behind them by tokens those without a bill', async () => {
    const { sessions } = await readSessions(readingHere(open(all), {}), plan)
    const bills = sessions.map(({ spent }) => spent ?? -1)
    expect(bills).toEqual(bills.toSorted((a, b) => b - a))
    const without = sessions.filter(({ spent }) => spent === null).map(({ sentTokens }) => sentTokens)
    expect(without.length).toBeGreaterThan(1)
    expect(without).toEqual(without.toSorted((a, b) => b - a))
  })

  it('puts sub-agents to the session they work for, which gives its name and its file', async () => {
    const { sessions, totals } = await readSessions(
      readingHere(open(['fixtures/claude-code/sidechain.jsonl']), {}),
      plan,
    )
    expect(totals.transcripts).toBeGreaterThan(1)
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ transcripts: totals.transcripts, requests: totals.requests })
    expect(sessions[0]!.title).not.toBeNull()
  })

  it('tells sub-agents whose session was not read, without a title of their own', async () => {
    const { sessions } = await readSessions(readingHere(open(['fixtures/claude-code/agent-file.jsonl']), {}), plan)
    expect(sessions).toMatchObject([{ title: null, file: 'fixtures/claude-code/agent-file.jsonl' }])
    expect(sessions[0]!.session).not.toBeNull()
  })

  it('counts once what is stored twice', async () => {
    const file = 'fixtures/claude-code/refactor.jsonl'
    const once = await readSessions(readingHere(open([file]), {}), plan)
    const twice = await readSessions(
      readingHere([openFile(file), { name: 'copy.jsonl', chunks: openFile(file).chunks }], {}),
      plan,
    )
    expect(twice.totals).toEqual(once.totals)
    expect(twice.diagnostics).toHaveLength(once.diagnostics.length + 1)
  })
})

describe('what each program could be set to', () => {
  const large = [30, 22, 36, 26, 18, 34].map(
    (files, session): Source => ({ name: `${session}.jsonl`, chunks: [Buffer.from(claudeSession(session, files))] }),
  )
  const codex = all.filter((file) => file.includes('/codex/'))

  it('is what recommend says of its transcripts alone, over the settings of the program', async () => {
    const recommends = { recommends: true }
    const { recommendations, totals, sessions } = await readSessions(
      readingHere([...large, ...open(codex)], {}),
      plan,
      recommends,
    )
    expect(recommendations.map(({ format }) => format)).toEqual(['codex', 'claude-code'])
    const [, { format: _, ...claude }] = recommendations as [unknown, (typeof recommendations)[number]]
    const policies = settingsByProgram().get('claude-code') ?? []
    const tried = { ...plan, policies, budgets: usualBudgets }
    const {
      schemaVersion: __,
      diagnostics: ___,
      ...alone
    } = await recommend(readingHere(large, {}), tried, { onlyAvailable: true })
    expect(claude).toEqual(alone)
    expect(claude).toMatchObject({ of: 'headline', transcripts: 6, unit: 'usd' })
    expect(claude.candidates.length).toBeGreaterThan(2)
    expect(claude.candidates.some(({ losses }) => losses.lost > 0)).toBe(true)
    const { recommendations: none, ...rest } = await readSessions(readingHere([...large, ...open(codex)], {}), plan)
    expect(none).toEqual([])
    expect(rest).toMatchObject({ totals, sessions })
  })

  it('is not told of a program without a setting, nor of too few later uses', async () => {
    const files = ['fixtures/openai-chat/tools.jsonl', ...codex]
    const { recommendations } = await readSessions(readingHere(open(files), {}), plan, { recommends: true })
    expect(recommendations).toMatchObject([{ format: 'codex', outcome: 'too-few', recommended: null }])
  })
})

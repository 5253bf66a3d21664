/** What `ctxwin` alone adds up: sessions with their sub-agents, against the runs they are made of. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { readSessions } from '../../src/app/sessions.ts'
import { estimators } from '../../src/estimators/index.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { choose } from '../../src/simulator/simulate.ts'

const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [] }
const all = ['claude-code', 'codex', 'pi'].flatMap((format) =>
  readdirSync(`fixtures/${format}`).map((file) => `fixtures/${format}/${file}`),
)
const open = (files: readonly string[]) => files.map(openFile)

describe('readSessions', () => {
  it('adds up to the runs of the unpruned history, and to today beside them', async () => {
    const { sessions, totals } = await readSessions(open(all), plan)
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
    expect(sum(({ spent }) => spent ?? 0)).toBeCloseTo(totals.spent!.usd, 6)
  })

  it('lists the dearest first, and behind them by tokens those without a bill', async () => {
    const { sessions } = await readSessions(open(all), plan)
    const bills = sessions.map(({ spent }) => spent ?? -1)
    expect(bills).toEqual(bills.toSorted((a, b) => b - a))
    const without = sessions.filter(({ spent }) => spent === null).map(({ sentTokens }) => sentTokens)
    expect(without.length).toBeGreaterThan(1)
    expect(without).toEqual(without.toSorted((a, b) => b - a))
  })

  it('puts sub-agents to the session they work for, which gives its name and its file', async () => {
    const { sessions, totals } = await readSessions(open(['fixtures/claude-code/sidechain.jsonl']), plan)
    expect(totals.transcripts).toBeGreaterThan(1)
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ transcripts: totals.transcripts, requests: totals.requests })
    expect(sessions[0]!.title).not.toBeNull()
  })

  it('tells sub-agents whose session was not read, without a title of their own', async () => {
    const { sessions } = await readSessions(open(['fixtures/claude-code/agent-file.jsonl']), plan)
    expect(sessions).toMatchObject([{ title: null, file: 'fixtures/claude-code/agent-file.jsonl' }])
    expect(sessions[0]!.session).not.toBeNull()
  })

  it('counts once what is stored twice', async () => {
    const file = 'fixtures/claude-code/refactor.jsonl'
    const once = await readSessions(open([file]), plan)
    const twice = await readSessions([openFile(file), { name: 'copy.jsonl', chunks: openFile(file).chunks }], plan)
    expect(twice.totals).toEqual(once.totals)
    expect(twice.diagnostics).toHaveLength(once.diagnostics.length + 1)
  })
})

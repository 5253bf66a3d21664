/** What `ctxwin` alone adds up: sessions with their sub-agents, against the runs they are made of. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { readingHere } from '../../../src/app/analysis.ts'
import { compositionOf, overTargets, settingsFor } from '../../../src/app/answer/candidates.ts'
import { recommend } from '../../../src/app/answer/recommend.ts'
import { readSessions } from '../../../src/app/bill/sessions.ts'
import { choose } from '../../../src/base/chosen.ts'
import { splitPlugin } from '../../../src/cli/inputs/options.ts'
import { estimators } from '../../../src/estimators/index.ts'
import { policies } from '../../../src/policies/index.ts'
import type { Source } from '../../../src/readers/lines/source.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
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
      // The list rounds once, the other sum once a transcript.
      spent: { ...total!.spent, usd: expect.closeTo(total!.spent!.usd, 5) },
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

describe('what to set in each program', () => {
  const large = [30, 22, 36, 26, 18, 34].map(
    (files, session): Source => ({ name: `${session}.jsonl`, chunks: [Buffer.from(claudeSession(session, files))] }),
  )
  const codex = all.filter((file) => file.includes('/codex/'))

  it('is what recommend decides of the same transcripts, and of those of the program alone', async () => {
    const sources = () => [...large, ...open(codex)]
    const { decisions, totals, sessions } = await readSessions(readingHere(sources(), {}), plan, { recommends: true })
    expect(decisions.map(({ scope, program }) => [scope, program])).toEqual([
      ['program', 'claude-code'],
      ['program', 'codex'],
    ])
    expect((await recommend(readingHere(sources(), {}), plan)).decisions).toEqual(decisions)
    expect((await recommend(readingHere(large, {}), plan)).decisions).toEqual(decisions.slice(0, 1))
    const [claude] = decisions
    expect(claude).toMatchObject({ transcripts: 6, unit: 'usd' })
    expect(claude!.candidates.length).toBeGreaterThan(2)
    expect(claude!.candidates.some(({ losses }) => losses.lost > 0)).toBe(true)
    const { decisions: none, ...rest } = await readSessions(readingHere(sources(), {}), plan)
    expect(none).toEqual([])
    expect(rest).toMatchObject({ totals, sessions })
  })

  it('names only what a person can set there, and for an agent of one’s own what can be built', async () => {
    const files = ['fixtures/openai-chat/tools.jsonl', 'fixtures/openai-chat/long-agent-loop.jsonl', ...codex]
    const sources = () => [...large, ...open(files)]
    const { decisions } = await recommend(readingHere(sources(), {}), plan, { budgets: [100, 1000, 40_000, 100_000] })
    for (const { program, candidates } of decisions) {
      for (const { policy, turnOn, composition } of candidates) {
        const { availableIn } = policies.get(policy)
        if (program === null) expect(availableIn ?? ['openai']).toContain('openai')
        else if (policy !== 'keep-all') expect(availableIn).toContain(program)
        if (program !== null) expect(turnOn).not.toBeNull()
        if (composition !== null) expect(program).toBeNull()
      }
    }
    const own = decisions.find(({ scope }) => scope === 'own')
    expect(own?.candidates.some(({ composition }) => composition !== null)).toBe(true)
  })

  it('says so of a program without a setting, and of one in which nothing is cheaper', async () => {
    const cursor = readdirSync('fixtures/cursor').map((file) => `fixtures/cursor/${file}`)
    const { decisions } = await readSessions(readingHere(open([...cursor, ...codex]), {}), plan, { recommends: true })
    const found = decisions.map(({ program, outcome, recommended }) => ({ program, outcome, recommended }))
    expect(found).toEqual([
      { program: 'codex', outcome: 'keep', recommended: null },
      { program: 'cursor', outcome: 'nothing-to-set', recommended: null },
    ])
  })
})

describe('the composition of a common practice', () => {
  it('does to a transcript what the practice does', async () => {
    const practices = overTargets(settingsFor(null), [1, 0.5]).filter((one) => compositionOf(one) !== null)
    expect(practices.length).toBeGreaterThan(6)
    // Behind `/clear` the composition counts what is left of the exchange that was cleared with the next one.
    const read = all.filter((file) => !file.endsWith('/clear.jsonl'))
    const files = ['fixtures/openai-chat/tools.jsonl', 'fixtures/openai-chat/long-agent-loop.jsonl', ...read]
    const composed = practices.map((practice) => {
      const { name, given } = splitPlugin(compositionOf(practice) as string)
      return choose(policies.get(name), given)
    })
    const figures = async (policies: typeof practices | typeof composed) => {
      const { runs } = await simulateSources(open(files), { ...plan, policies, budgets: [300, 3000] })
      return runs.map(({ transcript, budget, sentTokens, cuts, exact, cost }) => ({
        ...{ transcript, budget, sentTokens, cuts: [...cuts].map(({ request }) => request), cost },
        invalid: exact.invalidRequests,
      }))
    }
    expect(await figures(composed)).toEqual(await figures(practices))
  })
})

/** What the page is made of, against what the other commands say of the same transcripts. */
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { readingHere } from '../../../src/app/analysis.ts'
import { readSessions } from '../../../src/app/bill/sessions.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { report } from '../../../src/app/page/report.ts'
import type { Plan } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import { estimators } from '../../../src/estimators/index.ts'
import type { Page, TextKept } from '../../../src/model/page.ts'
import { type Simulation, sourced } from '../../../src/model/run.ts'
import { policies } from '../../../src/policies/index.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { cellAt } from '../../../src/reports/html/choice.ts'
import { rowsOf } from '../../../src/reports/html/series.ts'
import { kindsOf } from '../../../src/reports/html/session/words.ts'

const pick = ({ paid, lost, sent }: Page['sessions'][number]['today']) => ({ paid, lost, sent })

/** @param files fixtures of Claude Code, `compaction.jsonl` and `refactor.jsonl` among them, and of other programs */
export function reportLaws(files: readonly string[]): void {
  const read = () => readingHere(files.map(openFile), {}, () => {})
  const plan: Plan = {
    policies: ['ikigai', 'drop-oldest', 'summarise-oldest', 'anthropic-clear-tool-uses'].map((name) =>
      choose(policies.get(name)),
    ),
    estimators: [choose(estimators.get('auto'))],
    budgets: [16_000, 2_000, 400_000],
    references: true,
  }
  const next = { history: () => 'ctxwin history', recommend: 'ctxwin recommend' }
  const again = (names: ReadonlySet<string>) => readingHere(files.filter((file) => names.has(file)).map(openFile), {})
  const pageOf = (text: TextKept) => report(read(), plan, { text, next, again })
  /** Made once: they take a second each. */
  let made: Promise<readonly [Page, Simulation]> | null = null
  const both = () => (made ??= Promise.all([pageOf('words'), simulateSources(files.map(openFile), plan, {}, () => {})]))
  let madeBare: Promise<Page> | null = null
  const withoutText = () => (madeBare ??= pageOf('none'))

  describe('report', () => {
    it('has the totals of simulate at every point, to the digit', async () => {
      const [page, { totals }] = await both()
      expect(page.budgets).toEqual([2_000, 16_000, 400_000])
      for (const [at, { points }] of page.policies.entries()) {
        for (const [nth, budget] of page.budgets.entries()) {
          const name = plan.policies[at]!.plugin.name
          const total = totals.find((one) => one.policy === name && one.budget === budget)!
          const { cost, today } = total
          expect(points[nth]).toEqual({
            sentTokens: total.sentTokens,
            costInput: cost.input,
            summaries: cost.summaries,
            costSaved: today.costSaved,
            costSavedPercent: today.costSavedPercent,
            lost: today.headlineLost! + today.headlineLostOver!,
            overBudgetRequests: total.overBudgetRequests,
            invalidRequests: total.invalidRequests,
            lostLatestUser: total.validity.lostLatestUser,
            front: expect.any(Boolean),
          })
          expect(page.today).toMatchObject({
            sentTokens: today.sentTokens,
            costInput: today.costInput,
            summaries: today.summaries,
            lost: today.headlineLost,
            uses: today.headlineTotal,
          })
        }
      }
    })

    it('has sessions that add up to the points', async () => {
      const [page] = await both()
      for (const [at, { points }] of page.policies.entries()) {
        for (const [nth, point] of points.entries()) {
          const cells = page.sessions.map(({ cells }) => cellAt(cells[at]!, nth))
          const sum = (key: 'paid' | 'lost' | 'sent' | 'over') => cells.reduce((all, cell) => all + cell[key], 0)
          expect(sum('paid')).toBe(Math.round(1e6 * (point.costInput + point.summaries)))
          expect(sum('lost')).toBe(point.lost)
          expect(sum('sent')).toBe(point.sentTokens)
          expect(sum('over')).toBe(point.overBudgetRequests)
        }
      }
    })

    it('has the figures of each session’s own run', async () => {
      const [page, { runs }] = await both()
      const session = page.sessions.find(({ file }) => file.endsWith('refactor.jsonl'))!
      for (const [nth, budget] of page.budgets.entries()) {
        const run = runs.find(
          (one) => one.transcript === session.file && one.policy === 'ikigai' && one.budget === budget,
        )!
        expect(cellAt(session.cells[0]!, nth)).toEqual({
          paid: Math.round(1e6 * run.cost.input),
          lost: run.references!.headline.sourceLost,
          sent: run.sentTokens,
          over: run.overBudgetRequests,
        })
        expect(session.today.uses).toBe(sourced(run.references!.headline))
      }
      expect(Math.max(...session.growth)).toBe(
        runs.find((one) => one.transcript === session.file && one.budget === 400_000)!.peakTokens,
      )
    })

    it('says what sessions and spend say', async () => {
      const [page] = await both()
      const { sessions, totals } = await readSessions(read(), plan)
      const { total, parts, results, causes, misses } = await spend(read(), plan, 10)
      expect(page.sessions.map(({ file, spent, title }) => ({ file, spent, title }))).toEqual(
        sessions.map(({ file, spent, title }) => ({ file, spent, title })),
      )
      expect(page.requests).toBe(totals.requests)
      expect(page.spending).toEqual({ total, parts, results, causes, misses })
      const behind = await spend(read(), plan, 10, 'compactions')
      // The page is read without what was copied.
      expect(page.compactions).toEqual(behind.compactionSums.map((sum) => ({ ...sum, heldCopied: null })))
    })

    it('leaves everything as it was recorded at a budget that the program does not accept', async () => {
      const settings = {
        ...plan,
        policies: [choose(policies.get('claude-code-auto')), choose(policies.get('drop-oldest'))],
        budgets: [2_000, 100_000],
      }
      const of = (onlyAvailable: boolean) => report(read(), settings, { text: 'words', next, again, onlyAvailable })
      const [usual, named] = [await of(true), await of(false)]
      expect(usual.policies.map(({ accepted }) => accepted)).toEqual([
        [false, true],
        [true, true],
      ])
      expect(usual.policies[0]!.points[0]).toMatchObject({
        sentTokens: usual.today.sentTokens,
        costInput: usual.today.costInput,
        costSaved: 0,
        lost: usual.today.lost,
        front: false,
      })
      for (const { cells, today } of usual.sessions) expect(cellAt(cells[0]!, 0)).toMatchObject(pick(today))
      for (const { of, runs } of usual.pictures) expect(runs[of[0]![0]!]!.policy).toBe('as-recorded')
      // Who names it sees what it would do if it were accepted.
      expect(named.policies[0]!.accepted).toEqual([true, true])
      expect(named.policies[0]!.points[0]!.costSaved).not.toBe(0)
    })

    it('marks where the recorded agent cut its window', async () => {
      const [{ sessions }] = await both()
      expect(sessions.find(({ file }) => file.endsWith('/compaction.jsonl'))!.cuts.length).toBeGreaterThan(0)
      expect(sessions.find(({ file }) => file.endsWith('/refactor.jsonl'))!.cuts).toEqual([])
    })

    it('has pictures of the dearest sessions, with the run of each policy and budget, and none of their words without text', async () => {
      const [{ sessions, pictures }, { runs }] = await both()
      expect(pictures.map(({ session }) => session)).toEqual([0, 1, 2, 3])
      for (const { session, picture, runs: shown, of } of pictures) {
        expect(picture.transcript).toBe(sessions[session]!.file)
        expect(picture.title).toBe(sessions[session]!.title)
        const own = runs.filter(
          ({ transcript, conversation }) => transcript === picture.transcript && conversation === picture.conversation,
        )
        const simulated = own.map(({ cost }) => cost.input + cost.summaries)
        expect(of.flat().map((index) => shown[index]!.costInput + shown[index]!.costSummaries)).toEqual(
          // Budgets are in the order of the page here, and of the plan there.
          plan.policies.flatMap((_, policy) => [1, 0, 2].map((nth) => simulated[policy * 3 + nth])),
        )
      }
      const bare = await withoutText()
      const json = JSON.stringify(bare.pictures)
      for (const { picture } of pictures) {
        expect(json).not.toContain(JSON.stringify(picture.title))
        for (const { title, tools } of picture.exchanges) {
          if (title) expect(json).not.toContain(JSON.stringify(title))
          for (const [tool] of tools) expect(json).not.toContain(JSON.stringify(tool))
        }
      }
    })

    it('has figures of every session from which its picture can be drawn, in 2,000 characters each', async () => {
      const [{ sessions, pictures }] = await both()
      const rowsIn = ({ series }: Page['sessions'][number]) =>
        rowsOf(new Uint8Array(inflateRawSync(Buffer.from(series.packed, 'base64'))))
      for (const session of sessions) {
        const { series, growth, cells } = session
        expect(series.packed.length).toBeLessThanOrEqual(2000)
        expect(series.parts.length).toBeLessThanOrEqual(7)
        const { tokens, runs } = rowsIn(session)
        const most = Math.max(0, ...growth)
        const sums = (tokens[0] ?? []).map((_, column) => tokens.reduce((sum, row) => sum + row[column]!, 0))
        // Each part is rounded, to a token and to a 250th of its largest.
        expect(Math.abs(Math.max(0, ...sums) - most)).toBeLessThanOrEqual(7 + most / 60)
        for (const [policy, of] of series.of.entries()) {
          for (const index of of) expect(index).toBeLessThan(runs.length)
          // What never leaves is as large as what was recorded, or larger.
          if (cells[policy]!.over.at(-1) === 0) expect(Math.max(0, ...runs[of.at(-1)!]!)).toBeLessThanOrEqual(400_000)
        }
      }
      // The kinds of the largest request are those of the picture that is drawn with the text.
      for (const { session, runs } of pictures) {
        const [recorded] = runs
        const column = recorded!.sent.indexOf(Math.max(...recorded!.sent))
        const told = kindsOf(recorded!.parts).map(({ name, tokens }) => [name, tokens[column]!] as const)
        const { series } = sessions[session]!
        const rows = rowsIn(sessions[session]!).tokens
        const sums = rows[0]!.map((_, at) => rows.reduce((sum, row) => sum + row[at]!, 0))
        const at = sums.indexOf(Math.max(...sums))
        const parts = series.parts.map((part, nth) => ({ ...part, tokens: [rows[nth]![at]!], share: 0 }))
        const found = new Map(kindsOf(parts).map(({ name, tokens }) => [name, tokens[0]!]))
        for (const [name, tokens] of told) {
          expect(Math.abs((found.get(name) ?? 0) - tokens)).toBeLessThanOrEqual(20 + Math.max(...recorded!.sent) / 50)
        }
      }
    })

    it('without text has no first word, tool, project or path of any transcript, and the same figures', async () => {
      const [page] = await both()
      const bare = await withoutText()
      const json = JSON.stringify(bare)
      const words = new Set(
        [
          ...page.sessions.flatMap(({ title, project, session }) => [title, project, session]),
          ...page.spending!.parts.flatMap(({ tool, server }) => [tool, server]),
        ].filter((word) => word !== null && word.length > 2),
      )
      expect(words.size).toBeGreaterThan(20)
      for (const word of words) expect(json).not.toContain(JSON.stringify(word))
      expect(json).not.toContain('fixtures/')
      expect(bare.sessions.map(({ cells }) => cells)).toEqual(page.sessions.map(({ cells }) => cells))
      expect(bare.spending!.parts.map(({ tool: _, server: __, ...part }) => part)).toEqual(
        page.spending!.parts.map(({ tool: _, server: __, ...part }) => part),
      )
    })
  })
}

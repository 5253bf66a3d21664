/**
 * What the page of `report` shows, gathered in one pass over the transcripts: sessions, what was spent, and every policy of
 * a plan at each of its budgets, session by session.
 */

import { choose } from '../../base/chosen.ts'
import { pluginWords } from '../../check/labels.ts'
import { paretoFront } from '../../measures/pareto.ts'
import type { ToolNames } from '../../measures/tool-names.ts'
import { type Budget, shareOf } from '../../model/budget.ts'
import {
  harmsOf,
  isHarmless,
  type Page,
  type PageCandidate,
  type PagePoint,
  type PagePolicy,
  type PageProgram,
  type PageSeries,
  type PageSession,
  type TextKept,
} from '../../model/page.ts'
import { type Candidate, type Decision, isFit } from '../../model/recommendation.ts'
import { type Diagnostic, type Sums, sourced, type TraceRun } from '../../model/run.ts'
import type { Sessions } from '../../model/sessions.ts'
import type { Trace } from '../../model/trace.ts'
import { newerVersion } from '../../model/turn-on.ts'
import { builtinModels } from '../../models/lookup.ts'
import type { ModelTable } from '../../models/table.ts'
import asRecorded from '../../policies/as-recorded.ts'
import { turnOnOf } from '../../policies/catalogue/card.ts'
import { policies } from '../../policies/index.ts'
import type { Policy } from '../../policies/policy.ts'
import type { ReferenceDigest } from '../../references/digest.ts'
import { budgetOf, decisionWords } from '../../reports/decision.ts'
import { diagnosticNotes } from '../../reports/notes.ts'
import { Overview } from '../../reports/overview.ts'
import { answerLines, type NextSteps } from '../../reports/sessions.ts'
import type { Case } from '../../simulator/case.ts'
import { type Figures, figuresOf } from '../../simulator/figures.ts'
import { type Cell, simulateOne } from '../../simulator/simulate.ts'
import type { ReadFiles } from '../analysis.ts'
import { allSettings, atEach, isAccepted, isFor, unpruned, usualBudgets } from '../answer/candidates.ts'
import type { Asked } from '../answer/decisions.ts'
import { Ledger, type Page as LedgerPage } from '../bill/ledger.ts'
import { type SessionPart, type SessionPiece, SessionSums } from '../bill/sessions.ts'
import { emitTurnOn } from '../emit.ts'
import { problemsOf } from '../files/read-sources.ts'
import { caseOf, keyOfTried, type Plan } from '../plan.ts'
import { judged, type QualityPiece } from '../quality/quality-sums.ts'
import { pictureWithoutText, withoutModels, withoutPath, withoutText } from '../redaction/without-text.ts'
import { CellSum } from '../sum.ts'
import { pageInShares } from './in-shares.ts'
import { type PicturedSession, pagePictures } from './pictures.ts'
import { Outline, RecordedSeries } from './series.ts'
import { Growth, type Kept, pageCellOf, sessionOf, usesOf } from './sessions.ts'

/** What is tried where nothing is named: the settings of every program, for its own transcripts, and common practice for all. */
const usualPolicies = (): Plan['policies'] => [
  ...allSettings(),
  ...(
    [
      ['drop-oldest', {}],
      ['mask-tool-results', { scope: 'all', when: 'over' }],
      ['summarise-oldest', {}],
    ] as const
  ).map(([name, values]) => choose(policies.get(name), values)),
]

/**
 * The plan of a page: of what is named, or what is usual. What is unpruned is on the page anyway, so 0 is left out, unless
 * policies need no budget.
 */
export function reportedPlan(
  plan: Plan,
  usual: { readonly usualPolicies: boolean; readonly usualBudgets: boolean },
): Plan {
  const tried = usual.usualPolicies ? usualPolicies() : plan.policies
  const needsBudget = tried.some(({ plugin }) => !plugin.budgetless)
  return {
    ...plan,
    policies: tried,
    budgets: usual.usualBudgets
      ? [20_000, ...usualBudgets]
      : plan.budgets.filter((budget) => budget !== 0 || !needsBudget),
    references: true,
  }
}

export interface ReportSettings extends Pick<Asked, 'sessions'> {
  readonly text: TextKept
  readonly next: NextSteps
  /** No dollars: who has a plan pays none. */
  readonly inShares?: boolean
  /** Leave out the policies that nobody can have in the programs that recorded the transcripts. */
  readonly onlyAvailable?: boolean
  /** Reads these files once more, for the pictures of sessions; without it there are none. */
  readonly again?: (files: ReadonlySet<string>) => ReadFiles
}

/** How many of the dearest results and misses are shown. */
const most = 10

/** @param plan the policies and budgets that can be chosen on the page; its first estimator counts */
export async function report(
  read: ReadFiles,
  plan: Plan,
  { text, next, inShares = false, onlyAvailable = false, again, ...asked }: ReportSettings,
): Promise<Page> {
  const gathered = new Gathered(plan, text, onlyAvailable, asked)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: gathered.read,
    measure: (trace) => gathered.measure(trace),
    knows: (trace) => gathered.knows(trace),
    copied: null,
    start: (): Piece[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const piece of part) gathered.add(piece)
    gathered.overview.damage(source.name, report.damagedLines)
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  const page = gathered.page(diagnostics, next, inShares)
  const pictures = again ? await pagePictures(again, gathered.shown, gathered.pictured(), { text, onlyAvailable }) : []
  const all = { ...page, pictures: text === 'none' ? pictures.map(pictureWithoutText) : pictures }
  return inShares ? pageInShares(all) : all
}

/** What a transcript adds, as plain data. */
interface Piece extends Replays {
  readonly session: SessionPiece
  readonly page: LedgerPage
}

/** What replaying a transcript has told. */
interface Replays {
  /** What happened. */
  readonly run: Recorded
  readonly today: Figures
  readonly growth: Pick<PageSession, 'growth' | 'cuts'>
  readonly series: PageSeries
  readonly whole: Figures
  /** For each policy one for each budget; null for one that is not for this transcript, which is as it was recorded. */
  readonly tried: readonly (readonly Figures[] | null)[]
}

/** A run without the lists in it. */
type Recorded = Omit<TraceRun, 'cuts' | 'firstFaults'>

class Gathered {
  /** What is read for. */
  readonly read: Plan
  readonly overview = new Overview()
  readonly plan: Plan
  readonly #text: TextKept
  readonly #sessions: SessionSums
  readonly #table: ModelTable
  readonly #ledger: Ledger
  readonly #today = new CellSum()
  readonly #unpruned = new CellSum()
  readonly #quality: QualityPiece[] = []
  /** For each policy one for each budget. */
  readonly #sums: readonly (readonly CellSum[])[]
  readonly #heedsBudget: boolean[]
  /** By policy whether it is for any transcript so far. */
  readonly #isForSome: boolean[]
  /** By policy the newest version of the programs whose transcripts it is for. */
  readonly #versions: (string | null)[]
  readonly #onlyAvailable: boolean
  readonly #kept = new Map<SessionPart, Kept>()

  constructor(plan: Plan, text: TextKept, onlyAvailable: boolean, asked: Pick<Asked, 'sessions'>) {
    this.#text = text
    this.#onlyAvailable = onlyAvailable
    const budgets = plan.budgets.toSorted(bySize)
    this.plan = { ...plan, budgets }
    this.#sessions = new SessionSums(this.plan, asked)
    this.read = { ...this.plan, policies: [...this.plan.policies, ...this.#sessions.plan.policies] }
    this.#table = plan.prices ?? builtinModels
    this.#ledger = new Ledger(this.plan, this.#table, most)
    this.#sums = plan.policies.map(() => budgets.map(() => new CellSum()))
    this.#heedsBudget = plan.policies.map(() => false)
    this.#isForSome = plan.policies.map(() => false)
    this.#versions = plan.policies.map(() => null)
  }

  measure(trace: Trace): Piece {
    return {
      session: this.#sessions.measure(trace),
      page: this.#ledger.measure(trace, toolsOf(trace)),
      ...this.#replayed(caseOf(trace, this.plan)),
    }
  }

  /** Whether that has been found out before, and takes no text. */
  knows(trace: Trace): boolean {
    return this.#sessions.knows(trace) && trace.recalls(() => this.#replayed(caseOf(trace, this.plan)))
  }

  #replayed(facts: Case): Replays {
    const recorded = { policy: choose<Policy>(asRecorded), facts, budget: 0 }
    const tried = keyOfTried(this.plan, this.#onlyAvailable)
    // The pictures first: who watches a replay makes it, and its figures are known from then on.
    const pictures = facts.trace.memo(tried && `pictures ${tried} ${facts.key}`, () => this.#drawn(recorded))
    const today = figuresOf(recorded)
    return {
      run: facts.trace.memo(`recorded ${facts.key}`, () => withoutLists(simulateOne(recorded, []))),
      ...pictures,
      today,
      whole: figuresOf({ ...recorded, policy: choose<Policy>(policies.get(unpruned)) }),
      tried: this.#tried(facts, today, figuresOf),
    }
  }

  /** How the window grew, and what the picture of the transcript is drawn from. */
  #drawn(recorded: Cell): Pick<Replays, 'growth' | 'series'> {
    const { facts } = recorded
    const { trace } = facts
    const tools = toolsOf(trace)
    const growth = new Growth(trace.requests)
    const series = new RecordedSeries(facts, (message) => tools.of(trace, message))
    const today = figuresOf(recorded, [growth, series])
    const outlines = new Map<Figures, Outline>()
    const tried = this.#tried(facts, today, (cell) => {
      const outline = new Outline(trace.requests)
      const figures = figuresOf(cell, [outline])
      outlines.set(figures, outline)
      return figures
    })
    const sent = tried.map((all) => all?.map((one) => outlines.get(one)?.sent ?? null) ?? null)
    return { growth: growth.result(), series: series.result(sent) }
  }

  /** What each policy comes to at each budget; at one that its program does not accept, what happened. */
  #tried(facts: Case, today: Figures, at: (cell: Cell) => Figures): Replays['tried'] {
    return this.plan.policies.map((policy) => {
      if (this.#onlyAvailable && !isFor(policy.plugin, facts.trace.head)) return null
      const ceilings = this.plan.budgets.map((budget) => facts.ceiling(budget, policy.plugin))
      return atEach(policy, ceilings, {
        otherwise: this.#onlyAvailable ? () => today : null,
        at: (ceiling, last) => last ?? at({ policy, facts, ...ceiling }),
        // Where no request is over the budget, none is over a larger one.
        isLast: ({ overBudgetRequests, exact }) =>
          overBudgetRequests === 0 && (exact.edits === 0 || !exact.heedsBudget),
      })
    })
  }

  add({ session, page, run, today, whole, growth, series, tried }: Piece): void {
    this.#sessions.add(session)
    this.#ledger.add(page)
    if (session.measured) this.#quality.push(session.measured.quality)
    this.overview.add(this.#text === 'none' ? withoutModels(run, this.#table) : run)
    this.#today.add({ ...today, spent: run.spent })
    this.#unpruned.add(whole)
    const ofPolicies = tried.map((all): readonly Figures[] => all ?? this.plan.budgets.map(() => today))
    for (const [at, all] of ofPolicies.entries()) {
      for (const [nth, figures] of all.entries()) this.#sums[at]?.[nth]?.add(figures)
      if (tried[at]) {
        this.#isForSome[at] = true
        this.#versions[at] = newerVersion(this.#versions[at] ?? null, session.ofSession.trace.head.version)
      }
      if (tried[at]?.some(({ exact }) => exact.edits > 0 && exact.heedsBudget)) this.#heedsBudget[at] = true
    }
    const cells = ofPolicies.map((all) => all.map(pageCellOf))
    const kept = { ...growth, series, today: pageCellOf(today), whole: pageCellOf(whole), uses: usesOf(today), cells }
    this.#kept.set(session.ofSession, kept)
  }

  /** The plan, of the policies that stand on the page. */
  get shown(): Plan {
    return { ...this.plan, policies: this.#shown(this.plan.policies) }
  }

  /** Of one thing for each policy those of the policies that stand on the page: nobody here can have the others. */
  #shown<T>(ofPolicies: readonly T[]): T[] {
    return ofPolicies.filter((_, at) => this.#isForSome[at])
  }

  /** Whether a program takes a budget. What is none in tokens each transcript knows for itself. */
  #accepts(policy: Plan['policies'][number], budget: Budget): boolean {
    return !this.#onlyAvailable || typeof budget !== 'number' || isAccepted(policy, budget)
  }

  /** Where the sessions of the page are found. */
  pictured(): PicturedSession[] {
    return this.#sessions.grouped().map(({ parts }) => {
      const { file, conversation } = (parts[0] as SessionPart).trace.head
      return { file, conversation }
    })
  }

  page(diagnostics: readonly Diagnostic[], next: NextSteps, inShares: boolean): Page {
    const plan = this.shown
    const grouped = this.#sessions.grouped()
    const sums = this.#sessions.result()
    const today = this.#today.result()
    const unpruned = this.#unpruned.result()
    const { unit, pricesAsOf, transcripts: costed } = today.cost
    const { total, parts, results, causes, misses, compactionSums } = this.#ledger.result()
    const sessions: Sessions = { schemaVersion: 1, ...sums, diagnostics }
    const versions = this.#shown(this.#versions)
    const { points, front } = pointsOf(this.#shown(this.#sums), (policy, budget) =>
      this.#accepts(plan.policies[policy] as Plan['policies'][number], plan.budgets[budget] as Budget),
    )
    const heedsBudget = this.#shown(this.#heedsBudget)
    const kept = new Map(
      Array.from(this.#kept, ([part, one]) => {
        const series = { ...one.series, of: this.#shown(one.series.of) }
        return [part, { ...one, series, cells: this.#shown(one.cells) }] as const
      }),
    )
    const page: Page = {
      schemaVersion: 1,
      text: this.#text,
      unit,
      inPercent: null,
      pricesAsOf,
      transcripts: today.transcripts,
      costed,
      requests: sums.totals.requests,
      answer: [],
      programs: sums.decisions.map((decision) => programOf(decision, inShares)),
      budgets: plan.budgets,
      policies: plan.policies.map(
        ({ plugin, values }, at): PagePolicy => ({
          setting: pluginWords(plugin, values),
          summary: plugin.summary,
          heedsBudget: heedsBudget[at] as boolean,
          points: (points[at] as readonly Point[]).map((point) => ({ ...point, front: front.has(point) })),
          turnOn: plan.budgets.map((budget) =>
            typeof budget === 'number'
              ? (turnOnOf(plugin, values, budget, { model: null, version: versions[at] ?? null }) ??
                emitTurnOn({ plugin, values }, heedsBudget[at] ? budget : null))
              : null,
          ),
          accepted: plan.budgets.map((budget) => this.#accepts({ plugin, values }, budget)),
        }),
      ),
      opensAt: opensAt(plan, sums.decisions),
      today: todayOf(today),
      unpruned: { ...pointOf(unpruned), front: false, overWindowRequests: unpruned.overWindowRequests },
      sessions: grouped.map((one) => sessionOf(one.summary, one.parts, kept, unit)),
      pictures: [],
      spending: total.requests === 0 ? null : { total, parts, results, causes, misses },
      compactions: compactionSums,
      bill: this.#today.spent,
      quality: judged(this.#quality).endpoints,
      counting: this.overview.countingNotes().flatMap(({ items }) => items.flatMap(({ sentences }) => sentences)),
      captions: this.overview.captions(),
      damagedLines: this.overview.damagedLines,
      noticed: noticedIn(this.#text === 'none' ? diagnostics.map(withoutPath) : diagnostics),
    }
    if (this.#text === 'none') return withoutText(page, sessions, this.#table, inShares)
    return { ...page, answer: answerLines(sessions, next, inShares) }
  }
}

/** What is to be set or tried in the program with most money that has it on the page; else what costs as much as what there is. */
function opensAt(plan: Plan, decisions: readonly Decision[]): Page['opensAt'] {
  for (const { recommended, candidates, baseline } of decisions) {
    const distance = ({ net }: Candidate): number => Math.abs(net - baseline.net)
    const [nearest = null] = candidates.toSorted((a, b) => distance(a) - distance(b))
    const first = recommended ?? nearest
    if (first === null) continue
    const policy = plan.policies.findIndex(({ plugin, values }) => pluginWords(plugin, values) === first.setting)
    // What does the same at every budget stands at the first.
    const budget =
      first.budget === null
        ? 0
        : plan.budgets.findIndex((one) => String(one) === (first.budgetAsked ?? String(first.budget)))
    if (policy >= 0 && budget >= 0) return { policy, budget }
  }
  return null
}

function programOf(decision: Decision, inShares: boolean): PageProgram {
  const { outcome, keepReason, unit, transcripts, costed, baseline, present, best, candidates } = decision
  const { errorPercent, keptPercent } = decision
  return {
    ...{ outcome, keepReason, unit, transcripts, costed, errorPercent, keptPercent },
    ...decisionWords(decision, inShares),
    best: best === null ? null : candidates.findIndex((one) => isSame(one, best)),
    paid: baseline.paid,
    uses: baseline.losses.total,
    presentLost: present.expected,
    recordedLost: baseline.losses.expected,
    points: candidates.map((candidate): PageCandidate => {
      const { setting, net, rereads, saved, losses } = candidate
      return {
        ...{ setting, net, rereads, lost: losses.expected, low: saved.low, high: saved.high },
        extraPercent: losses.extraPercent,
        budget: candidate.budget === null ? null : budgetOf(candidate),
        fits: isFit(candidate),
      }
    }),
  }
}

function isSame(one: Candidate, other: Candidate): boolean {
  return one.setting === other.setting && one.budget === other.budget
}

function toolsOf(trace: Trace): ToolNames {
  return (trace.digest as ReferenceDigest).agents.tools
}

function withoutLists({ cuts: _, firstFaults: __, ...run }: TraceRun): Recorded {
  return run
}

type Point = Omit<PagePoint, 'front'>

function pointOf({ cost, today, references, ...rest }: Sums): Point {
  return {
    sentTokens: rest.sentTokens,
    costInput: cost.input,
    summaries: cost.summaries,
    costSaved: today.costSaved,
    costSavedPercent: today.costSavedPercent,
    lost: references?.headline.sourceLost ?? 0,
    overBudgetRequests: rest.overBudgetRequests,
    ...harmsOf(rest),
  }
}

/** The points, and those of them that somebody can have, that no other beats in cost and losses, and that harm no request. */
function pointsOf(
  sums: readonly (readonly CellSum[])[],
  accepts: (policy: number, budget: number) => boolean,
): {
  readonly points: readonly (readonly Point[])[]
  readonly front: ReadonlySet<Point>
} {
  const points = sums.map((all) => all.map((sum) => pointOf(sum.result())))
  const had = points.flatMap((all, policy) => all.filter((_, budget) => accepts(policy, budget)))
  const harmless = had.filter(isHarmless)
  const front = paretoFront(harmless, [({ costInput, summaries }) => costInput + summaries, ({ lost }) => lost])
  return { points, front: new Set(front) }
}

function todayOf({ today, references }: Sums): Page['today'] {
  const { sentTokens, costInput, summaries, overWindowRequests } = today
  const headline = references?.headline
  return {
    sentTokens,
    costInput,
    summaries,
    overWindowRequests,
    lost: headline?.sourceLost ?? 0,
    uses: headline ? sourced(headline) : 0,
  }
}

function noticedIn(diagnostics: readonly Diagnostic[]): string[] {
  return diagnosticNotes(diagnostics).flatMap(({ items }) =>
    items.flatMap(({ name, sentences }) =>
      sentences.map((sentence) => (name === '' ? sentence : `${name}: ${sentence}`)),
    ),
  )
}

/** Tokens before shares of a window, each from the smallest. */
function bySize(a: Budget, b: Budget): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return (shareOf(a) ?? 0) - (shareOf(b) ?? 0)
}

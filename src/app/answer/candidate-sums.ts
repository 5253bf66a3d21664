/** Replays the candidates for a recommendation transcript by transcript, and adds up what each costs and loses. */

import { type Chosen, choose } from '../../base/chosen.ts'
import { Column } from '../../base/column.ts'
import { pluginWords } from '../../check/labels.ts'
import {
  addCompactions,
  type Compactions,
  type Habits,
  habitsOf,
  noCompactions,
  rereadCost,
} from '../../measures/rereads.ts'
import { BillSum } from '../../model/billed.ts'
import { type CostUnit, refusals, roundPercent, sourced, type TraceRun } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import { newerVersion, type TurnOnFor } from '../../model/turn-on.ts'
import { WithoutUsageSum } from '../../model/without-usage.ts'
import asRecorded from '../../policies/as-recorded.ts'
import { type Card, turnOnOf } from '../../policies/catalogue/card.ts'
import { policies } from '../../policies/index.ts'
import type { Policy } from '../../policies/policy.ts'
import { learned } from '../../readers/learned.ts'
import type { Case, Ceiling } from '../../simulator/case.ts'
import { type Figures, figuresOf } from '../../simulator/figures.ts'
import { recordedCompactions } from '../../simulator/recorded-compactions.ts'
import { simulateOne } from '../../simulator/simulate.ts'
import { bySession, momentsOf, type Relation } from '../bill/by-session.ts'
import { caseOf, fixedBaseline, type Plan } from '../plan.ts'
import { type QualityPiece, qualityPieceOf, risesIn } from '../quality/quality-sums.ts'
import { CellSum } from '../sum.ts'
import { atEach, compositionOf, isFor, programOf, unpruned } from './candidates.ts'
import type { Columns, Contender, Measurements } from './decide.ts'
import { presentOf } from './present.ts'

/** A policy that is tried; the baseline may have no card. */
type Tried = Chosen<Policy & Partial<Card>>

/** One transcript: the baseline, what there is now, and the parts of each candidate. */
export interface Measured {
  /** Of the unpruned history. */
  readonly run: TraceRun
  /** Of the program that recorded it; null where it does not say. */
  readonly version: string | null
  /** As of its head. */
  readonly parent: string | null
  /** When its last response was recorded, in milliseconds since 1970; null where no time is. */
  readonly last: number | null
  readonly unpruned: Figures
  readonly baseline: Figures
  /** The present setting as a candidate, and its policy; where the transcript shows none, the baseline, and null. */
  readonly present: Figures
  readonly presentPolicy: string | null
  readonly compactions: Compactions
  readonly quality: QualityPiece
  /** For each policy one for each budget. */
  readonly figures: readonly (readonly Figures[])[]
}

/** The candidates of a plan over transcripts; `decide` says which to take. */
export class CandidateSums {
  readonly #plan: Plan
  readonly #onlyAvailable: boolean
  readonly #formats = new Set<string>()
  readonly #baseline: CandidateSum
  readonly #unpruned = new CandidateSum(choose(policies.get(unpruned)), unpruned)
  readonly #present: CandidateSum
  readonly #presentPolicies = new Set<string>()
  /** By transcript: its program. */
  readonly #programs: (string | null)[] = []
  /** By program: what the recorded agent's own compactions did. */
  readonly #compactions = new Map<string | null, Compactions>()
  /** By transcript: later uses of content. */
  readonly #uses = Column.float64()
  /** By transcript: of which conversation it is. */
  readonly #relations: Relation[] = []
  /** For each policy one for each budget. */
  readonly #candidates: CandidateSum[][]
  readonly #units: CostUnit[] = []
  readonly #bill = new BillSum()
  readonly #models = new Set<string | null>()
  #version: string | null = null
  #newer: Measurements['newer'] = null
  readonly #withoutUsage = new WithoutUsageSum()
  readonly #quality: QualityPiece[] = []
  #requests = 0

  constructor(plan: Plan, onlyAvailable: boolean) {
    const baseline = fixedBaseline(plan)
    this.#onlyAvailable = onlyAvailable
    const isCandidate = ({ plugin }: Chosen<Policy>) =>
      plugin !== asRecorded && plugin.name !== unpruned && !plugin.looksAhead
    this.#plan = { ...plan, policies: plan.policies.filter(isCandidate), budgets: plan.budgets.filter(Boolean) }
    this.#baseline = new CandidateSum(baseline.policy, baseline.name)
    this.#present = new CandidateSum(baseline.policy, 'present')
    this.#candidates = this.#plan.policies.map((policy) =>
      this.#plan.budgets.map(() => new CandidateSum(policy, pluginWords(policy.plugin, policy.values))),
    )
  }

  /** How many policies and budgets are tried. */
  get policies(): number {
    return this.#plan.policies.length
  }

  get budgets(): number {
    return this.#plan.budgets.length
  }

  /** What a transcript would add: nothing of it is added yet. */
  measure(trace: Trace): Measured {
    const plan = this.#plan
    const facts = caseOf(trace, plan)
    const figures = (policy: Tried, ceiling: Ceiling): Figures => figuresOf({ policy, facts, ...ceiling })
    const { policy } = this.#baseline
    // What happened is replayed first, because every later run is compared with it.
    const baseline = figures(policy, { budget: 0 })
    const asItIs = (ceiling: Ceiling): Figures => ({
      ...baseline,
      ...ceiling,
      exact: { ...baseline.exact, edits: 0, heedsBudget: false },
    })
    // What is held against another baseline is held against its losses, too.
    const present = policy.plugin === asRecorded ? presentOf(trace) : null
    return {
      run: unprunedRun(facts),
      version: trace.head.version ?? null,
      parent: trace.head.parent,
      last: lastOf(trace),
      unpruned: figures(this.#unpruned.policy, { budget: 0 }),
      baseline,
      present: present ? figures(present.policy, { budget: present.budget }) : baseline,
      presentPolicy: present ? present.policy.plugin.name : null,
      compactions: recordedCompactions(facts),
      quality: qualityPieceOf(trace),
      figures: plan.policies.map((policy) => {
        const budgets = plan.budgets.map((budget) => facts.ceiling(budget, policy.plugin))
        if (this.#onlyAvailable && !isFor(policy.plugin, trace.head)) return budgets.map(asItIs)
        return atEach(policy, budgets, {
          otherwise: this.#onlyAvailable ? asItIs : null,
          at: (ceiling, last) => (last ? { ...last, ...ceiling } : figures(policy, ceiling)),
          // Where it never asks for the budget it does the same at all.
          isLast: ({ exact, overBudgetRequests }) => !exact.heedsBudget || exact.edits + overBudgetRequests === 0,
        })
      }),
    }
  }

  /** Whether that has been found out before, and takes no text. */
  knows(trace: Trace): boolean {
    return trace.recalls(() => this.measure(trace))
  }

  add({
    run,
    version,
    parent,
    unpruned,
    baseline,
    present,
    presentPolicy,
    compactions,
    quality,
    figures,
  }: Measured): void {
    this.#relations.push({ conversation: run.conversation, parent })
    const program = programOf(run)
    this.#programs.push(program)
    this.#compactions.set(program, addCompactions(this.#compactions.get(program) ?? noCompactions, compactions))
    this.#present.add(present, baseline)
    if (presentPolicy !== null) this.#presentPolicies.add(presentPolicy)
    this.#uses.push(sourced(baseline.references.headline))
    this.#formats.add(run.format)
    this.#models.add(run.model)
    this.#version = newerVersion(this.#version, version)
    this.#newer = countNewer(this.#newer, program, version)
    this.#withoutUsage.add(run)
    this.#quality.push(quality)
    this.#requests += run.requests
    this.#units.push(run.cost.unit)
    if (run.spent) this.#bill.add(run.spent)
    this.#baseline.add(baseline, baseline)
    this.#unpruned.add(unpruned, baseline)
    for (const [at, sums] of this.#candidates.entries()) {
      for (const [nth, sum] of sums.entries()) sum.add(figures[at]?.[nth] as Figures, baseline)
    }
  }

  result(): Measurements {
    const unit = this.#units.includes('usd') ? 'usd' : 'input-token-equivalents'
    const costed = this.#units.map((own) => own === unit)
    const candidates = this.#candidates.flatMap((sums) => {
      // A policy that does the same at every budget is one candidate; one that never did anything is the unpruned history.
      const distinct = sums.some(({ heedsBudget }) => heedsBudget) ? sums : sums.slice(0, 1)
      return distinct.filter(({ edits }) => edits > 0)
    })
    const [model = null, ...otherModels] = this.#models
    const habits = this.#habits()
    const reread = this.#present.rereads(habits)
    const among: Among = { costed, habits, reread }
    const of: TurnOnFor = { model: otherModels.length === 0 ? model : null, version: this.#version }
    const whole = this.#unpruned.contender(among, of)
    // Of the programs only Claude Code has a switch that leaves the history unpruned. An agent of one's own needs none.
    const programs = new Set([...this.#formats].map((format) => programOf({ format })))
    const hasSwitch = programs.has('claude-code')
    const isOffered = !this.#onlyAvailable || hasSwitch || programs.has(null)
    const asItGrew = isOffered ? [hasSwitch ? whole : { ...whole, turnOn: null }] : []
    return {
      tried: this.#plan.policies.length + asItGrew.length,
      ...this.#bySession(),
      transcripts: this.#units.length,
      requests: this.#requests,
      unit,
      bill: this.#bill.total,
      costed: costed.filter(Boolean).length,
      uses: this.#uses.values(),
      baseline: this.#baseline.asItWas(among, of),
      present: this.#present.contender(among, of).columns,
      presentPolicy: [...this.#presentPolicies].sort().join(', ') || null,
      keptPercent: roundPercent(100 * meanOf(habits, 'kept')),
      errorPercent: roundPercent(100 * meanOf(habits, 'error')),
      newer: this.#newer,
      withoutUsage: this.#withoutUsage.total,
      rises: risesIn(this.#quality),
      candidates: [...asItGrew, ...candidates.map((candidate) => candidate.contender(among, of))],
    }
  }

  #bySession(): Pick<Measurements, 'sessions' | 'sessionOf'> {
    const sessionOf = new Int32Array(this.#relations.length)
    const sessions = bySession([...this.#relations.entries()], ([, relation]) => relation)
    for (const [number, parts] of sessions.entries()) for (const [at] of parts) sessionOf[at] = number
    return { sessions: sessions.length, sessionOf }
  }

  /** By transcript: what to expect of cuts in its program. */
  #habits(): readonly Habits[] {
    const byProgram = new Map(
      [...this.#compactions].map(([program, own]) => [program, habitsOf(program, own)] as const),
    )
    return this.#programs.map((program) => byProgram.get(program) as Habits)
  }
}

function lastOf(trace: Trace): number | null {
  const { last } = momentsOf(trace)
  return Number.isFinite(last) ? last : null
}

/** The unpruned history, for all that a run says of its transcript. It has no cuts, and the columns of them are no plain data. */
function unprunedRun(facts: Case): TraceRun {
  const cell = { policy: choose<Policy>(policies.get(unpruned)), facts, budget: 0 }
  return facts.trace.memo(`unpruned ${facts.key}`, () => ({ ...simulateOne(cell, []), cuts: [] }))
}

/** What the figures of a candidate depend on besides itself: by transcript, whether it is in the amounts; habits; and rereads. */
interface Among {
  readonly costed: readonly boolean[]
  readonly habits: readonly Habits[]
  /** What reading again costs under the present setting: the transcripts hold that already. */
  readonly reread: Float64Array
}

/** A policy at one budget, or the baseline, over all transcripts. */
class CandidateSum {
  readonly policy: Tried
  readonly setting: string
  edits = 0
  heedsBudget = false
  #ceiling: Ceiling = { budget: 0 }
  /** By transcript. */
  readonly #paid = Column.float64()
  readonly #edited = Column.float64()
  readonly #forgotten = { tokens: Column.float64(), readCost: Column.float64(), requestCost: Column.float64() }
  readonly #usedTokens = Column.float64()
  readonly #lost = Column.float64()
  readonly #summarised = Column.float64()
  readonly #peak = Column.float64()
  readonly #sum = new CellSum()
  readonly #counts = { overWindowRequests: 0, summaries: 0, summaryTokens: 0 }

  constructor(policy: Tried, setting: string) {
    this.policy = policy
    this.setting = setting
  }

  add(figures: Figures, baseline: Figures): void {
    const { cost, exact, references, watched, budget, budgetAsked } = figures
    this.edits += exact.edits
    this.heedsBudget ||= exact.heedsBudget
    this.#ceiling = {
      budget: Math.max(this.#ceiling.budget, budget),
      ...(budgetAsked !== undefined && { budgetAsked }),
    }
    this.#sum.add(figures)
    this.#paid.push(cost.paid)
    // Where the recorded agent cut, what comes behind is unknown to a policy that did not, too.
    this.#edited.push(cost.paid * Math.max(watched.editedShare, baseline.watched.editedShare))
    for (const key of ['tokens', 'readCost', 'requestCost'] as const) this.#forgotten[key].push(watched.forgotten[key])
    this.#usedTokens.push(watched.usedTokens)
    this.#lost.push(references.headline.sourceLost)
    this.#summarised.push(watched.summarised)
    this.#peak.push(figures.peakTokens)
    for (const key of ['summaries', 'summaryTokens'] as const) this.#counts[key] += watched[key]
    const before = new Set(baseline.watched.overWindow)
    for (const request of watched.overWindow) if (!before.has(request)) this.#counts.overWindowRequests++
  }

  /** By transcript: what it costs to read again what has left. */
  rereads(habits: readonly Habits[]): Float64Array {
    return Float64Array.from(habits, (habit, at) => {
      const [tokens, readCost, requestCost] = (['tokens', 'readCost', 'requestCost'] as const).map((key) =>
        this.#forgotten[key].at(at),
      ) as [number, number, number]
      return rereadCost({ tokens, readCost, requestCost }, this.#usedTokens.at(at), habit)
    })
  }

  contender(among: Among, of: TurnOnFor): Contender {
    const { costed, habits, reread } = among
    const own = this.rereads(habits)
    return this.#contender(of, {
      paid: this.#paid.values().map((paid, at) => (costed[at] ? paid : 0)),
      rereads: own.map((cost, at) => (costed[at] ? cost - (reread[at] as number) : 0)),
      unsure: this.#edited.values().map((edited, at) => (costed[at] ? edited * (habits[at] as Habits).error : 0)),
      lost: this.#lost.values(),
      summarised: this.#summarised.values(),
      expected: this.#expected(habits),
      peak: this.#peak.values(),
    })
  }

  /** What happened: it holds what was read again, and nothing of it has to be foretold. */
  asItWas(among: Among, of: TurnOnFor): Contender {
    const { columns, ...rest } = this.contender(among, of)
    const nothing = new Float64Array(among.costed.length)
    return { ...rest, columns: { ...columns, rereads: nothing, unsure: nothing } }
  }

  /** Lost, if summaries keep what they usually do. */
  #expected(habits: readonly Habits[]): Columns['expected'] {
    return Float64Array.from(habits, ({ kept }, at) => this.#lost.at(at) - kept * this.#summarised.at(at))
  }

  #contender(of: TurnOnFor, columns: Columns): Contender {
    const { plugin, values } = this.policy
    const total = this.#sum.result()
    const turned = Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default)
    return {
      setting: this.setting,
      policy: plugin.name,
      params: values,
      ...(this.heedsBudget ? this.#ceiling : { budget: null }),
      turnOn: turnOnOf(plugin, values, this.#ceiling.budget, of),
      composition: compositionOf(this.policy),
      paramsTurned: turned.length,
      edits: this.edits,
      columns,
      total,
      refusedRequests: refusals.reduce((sum, fault) => sum + total.validity[fault], 0),
      promptGoneRequests: total.validity.lostLatestUser,
      ...this.#counts,
    }
  }
}

/** Counts a transcript by a newer version than the rules of its reader were learned up to. */
function countNewer(
  counted: Measurements['newer'],
  program: string | null,
  version: string | null,
): Measurements['newer'] {
  const known = learned.find((one) => one.program === program)?.version
  if (known === undefined || version === null || newerVersion(known, version) === known) return counted
  return {
    transcripts: (counted?.transcripts ?? 0) + 1,
    newest: newerVersion(counted?.newest ?? null, version) as string,
    learned: known,
  }
}

/** The same for all transcripts of one program. */
function meanOf(habits: readonly Habits[], of: 'kept' | 'error'): number {
  return habits.reduce((sum, habit) => sum + habit[of], 0) / Math.max(1, habits.length)
}

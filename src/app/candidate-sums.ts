/** Replays the candidates for a recommendation transcript by transcript, and adds up what each costs and loses. */

import { type Chosen, choose, identityOf } from '../base/chosen.ts'
import { Column } from '../base/column.ts'
import { pluginWords } from '../check/labels.ts'
import type { Forgotten } from '../measures/forgotten.ts'
import {
  addCompactions,
  type Compactions,
  type Habits,
  habitsOf,
  noCompactions,
  rereadCost,
} from '../measures/rereads.ts'
import { BillSum } from '../model/billed.ts'
import { type CostUnit, type LossCounts, refusals, roundPercent, sourced, type TraceRun } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import { newerVersion, type TurnOnFor } from '../model/turn-on.ts'
import { WithoutUsageSum } from '../model/without-usage.ts'
import asRecorded from '../policies/as-recorded.ts'
import { type Card, turnOnOf } from '../policies/catalogue/card.ts'
import { policies } from '../policies/index.ts'
import type { Policy } from '../policies/policy.ts'
import { learned } from '../readers/learned.ts'
import type { Case, Ceiling } from '../simulator/case.ts'
import { recordedCompactions } from '../simulator/recorded-compactions.ts'
import { simulateOne } from '../simulator/simulate.ts'
import { Watch } from '../simulator/watch.ts'
import { atEach, compositionOf, isFor, programOf, unpruned } from './candidates.ts'
import type { Columns, Figures, Measurements } from './decide.ts'
import { KeptBeside } from './kept-beside.ts'
import { caseOf, fixedBaseline, type Plan } from './plan.ts'
import { presentOf } from './present.ts'
import { type QualityPiece, qualityPieceOf, risesIn } from './quality-sums.ts'

/** A policy that is tried; the baseline may have no card. */
type Tried = Chosen<Policy & Partial<Card>>

/** What is known of a policy at a budget, of one transcript. */
export interface Part {
  readonly ceiling: Ceiling
  readonly edits: number
  readonly heedsBudget: boolean
  readonly paid: number
  /** Of content. */
  readonly losses: LossCounts
  /** Of the losses those that a summary of unknown text stands for. */
  readonly summarised: number
  readonly refusedRequests: number
  readonly promptGoneRequests: number
  readonly overWindow: ReadonlySet<number>
  readonly summaries: number
  readonly summaryTokens: number
  readonly forgotten: Forgotten
  /** Of messages that had left and were used later. */
  readonly usedTokens: number
  /** The share of the tokens sent that stand in requests since the window was first edited. */
  readonly editedShare: number
}

/** One transcript: the baseline, what there is now, and the parts of each candidate. */
export interface Measured {
  /** Of the unpruned history. */
  readonly run: TraceRun
  /** Of the program that recorded it; null where it does not say. */
  readonly version: string | null
  readonly unpruned: Part
  readonly baseline: Part
  /** The present setting as a candidate, and its policy; where the transcript shows none, the baseline, and null. */
  readonly present: Part
  readonly presentPolicy: string | null
  readonly compactions: Compactions
  readonly quality: QualityPiece
  /** For each policy one for each budget. */
  readonly parts: readonly (readonly Part[])[]
}

/** The candidates of a plan over transcripts; `decide` says which to take. */
export class CandidateSums {
  readonly #plan: Plan
  readonly #onlyAvailable: boolean
  readonly #kept: KeptBeside
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
    const { policies: tried, budgets } = this.#plan
    this.#kept = new KeptBeside('candidates', this.#plan, () => ({
      tried: tried.map(identityOf),
      budgets,
      onlyAvailable,
    }))
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

  /** What a transcript would add: nothing of it is added yet. It is kept beside the transcript. */
  measure(trace: Trace): Measured {
    return this.#kept.of(trace, () => this.#measured(trace, caseOf(trace, this.#plan)))
  }

  /** Whether that has been found out before, and takes no text. */
  knows(trace: Trace): boolean {
    return this.#kept.has(trace)
  }

  #measured(trace: Trace, facts: Case): Measured {
    const plan = this.#plan
    const { policy } = this.#baseline
    // `as-recorded` is replayed first, because every later run is compared with it.
    const recorded = policy.plugin === asRecorded ? replayed(facts, policy, { budget: 0 }).part : null
    const { run, part } = replayed(facts, this.#unpruned.policy, { budget: 0 })
    const baseline = recorded ?? part
    const asItIs = (ceiling: Ceiling): Part => ({ ...baseline, ceiling, edits: 0, heedsBudget: false })
    // What is held against another baseline is held against its losses, too.
    const present = policy.plugin === asRecorded ? presentOf(trace) : null
    return {
      // The unpruned history has no cuts, and the columns of them are no plain data.
      run: { ...run, cuts: [] },
      version: trace.head.version ?? null,
      unpruned: part,
      baseline,
      present: present ? replayed(facts, present.policy, { budget: present.budget }).part : baseline,
      presentPolicy: present ? present.policy.plugin.name : null,
      compactions: recordedCompactions(facts),
      quality: qualityPieceOf(trace),
      parts: plan.policies.map((policy) => {
        const budgets = plan.budgets.map((budget) => facts.ceiling(budget, policy.plugin))
        return this.#onlyAvailable && !isFor(policy.plugin, trace.head)
          ? budgets.map(asItIs)
          : partsOf(facts, policy, budgets, this.#onlyAvailable ? asItIs : null)
      }),
    }
  }

  add({ run, version, unpruned, baseline, present, presentPolicy, compactions, quality, parts }: Measured): void {
    const program = programOf(run)
    this.#programs.push(program)
    this.#compactions.set(program, addCompactions(this.#compactions.get(program) ?? noCompactions, compactions))
    this.#present.add(present, baseline)
    if (presentPolicy !== null) this.#presentPolicies.add(presentPolicy)
    this.#uses.push(sourced(baseline.losses))
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
      for (const [nth, sum] of sums.entries()) sum.add(parts[at]?.[nth] as Part, baseline)
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
    const whole = this.#unpruned.figures(among, of)
    // Of the programs only Claude Code has a switch that leaves the history unpruned. An agent of one's own needs none.
    const programs = new Set([...this.#formats].map((format) => programOf({ format })))
    const hasSwitch = programs.has('claude-code')
    const isOffered = !this.#onlyAvailable || hasSwitch || programs.has(null)
    const asItGrew = isOffered ? [hasSwitch ? whole : { ...whole, turnOn: null }] : []
    return {
      tried: this.#plan.policies.length + asItGrew.length,
      transcripts: this.#units.length,
      requests: this.#requests,
      unit,
      bill: this.#bill.total,
      costed: costed.filter(Boolean).length,
      uses: this.#uses.values(),
      baseline: this.#baseline.asItWas(among, of),
      present: this.#present.figures(among, of).columns,
      presentPolicy: [...this.#presentPolicies].sort().join(', ') || null,
      keptPercent: roundPercent(100 * meanOf(habits, 'kept')),
      errorPercent: roundPercent(100 * meanOf(habits, 'error')),
      newer: this.#newer,
      withoutUsage: this.#withoutUsage.total,
      rises: risesIn(this.#quality),
      candidates: [...asItGrew, ...candidates.map((candidate) => candidate.figures(among, of))],
    }
  }

  /** By transcript: what to expect of cuts in its program. */
  #habits(): readonly Habits[] {
    const byProgram = new Map(
      [...this.#compactions].map(([program, own]) => [program, habitsOf(program, own)] as const),
    )
    return this.#programs.map((program) => byProgram.get(program) as Habits)
  }
}

/** The parts of a policy, one for each budget. @param otherwise see `atEach` */
function partsOf(
  facts: Case,
  policy: Tried,
  budgets: readonly Ceiling[],
  otherwise: ((ceiling: Ceiling) => Part) | null,
): Part[] {
  return atEach(policy, budgets, {
    otherwise,
    at: (ceiling, last) => (last ? { ...last, ceiling } : replayed(facts, policy, ceiling).part),
    // Where it never asks for the budget it does the same at all.
    isLast: ({ edits, heedsBudget }) => edits === 0 || !heedsBudget,
  })
}

function replayed(
  facts: Case,
  policy: Chosen<Policy>,
  ceiling: Ceiling,
): { readonly run: TraceRun; readonly part: Part } {
  const watch = new Watch(facts)
  const run = simulateOne({ policy, facts, ...ceiling, ignoresCopies: true }, [watch], watch.lose)
  const { references, validity, cost, exact } = run
  if (!references) throw new TypeError('the trace was read without its references')
  const part: Part = {
    ceiling,
    edits: exact.edits,
    heedsBudget: exact.heedsBudget,
    paid: cost.paid,
    losses: references.headline,
    summarised: watch.summarised,
    refusedRequests: refusals.reduce((sum, fault) => sum + validity[fault], 0),
    promptGoneRequests: validity.lostLatestUser,
    overWindow: watch.overWindow,
    summaries: watch.summaries,
    summaryTokens: watch.summaryTokens,
    forgotten: watch.forgotten,
    usedTokens: watch.usedTokens,
    editedShare: watch.editedShare,
  }
  return { run, part }
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
  readonly #counts = {
    refusedRequests: 0,
    promptGoneRequests: 0,
    overWindowRequests: 0,
    summaries: 0,
    summaryTokens: 0,
  }

  constructor(policy: Tried, setting: string) {
    this.policy = policy
    this.setting = setting
  }

  add(part: Part, baseline: Part): void {
    this.edits += part.edits
    this.heedsBudget ||= part.heedsBudget
    this.#ceiling = { ...part.ceiling, budget: Math.max(this.#ceiling.budget, part.ceiling.budget) }
    this.#paid.push(part.paid)
    // Where the recorded agent cut, what comes behind is unknown to a policy that did not, too.
    this.#edited.push(part.paid * Math.max(part.editedShare, baseline.editedShare))
    for (const key of ['tokens', 'readCost', 'requestCost'] as const) this.#forgotten[key].push(part.forgotten[key])
    this.#usedTokens.push(part.usedTokens)
    this.#lost.push(part.losses.sourceLost)
    this.#summarised.push(part.summarised)
    for (const key of ['refusedRequests', 'promptGoneRequests', 'summaries', 'summaryTokens'] as const) {
      this.#counts[key] += part[key]
    }
    for (const request of part.overWindow) if (!baseline.overWindow.has(request)) this.#counts.overWindowRequests++
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

  figures(among: Among, of: TurnOnFor): Figures {
    const { costed, habits, reread } = among
    const own = this.rereads(habits)
    return this.#figures(of, {
      paid: this.#paid.values().map((paid, at) => (costed[at] ? paid : 0)),
      rereads: own.map((cost, at) => (costed[at] ? cost - (reread[at] as number) : 0)),
      unsure: this.#edited.values().map((edited, at) => (costed[at] ? edited * (habits[at] as Habits).error : 0)),
      lost: this.#lost.values(),
      summarised: this.#summarised.values(),
      expected: this.#expected(habits),
    })
  }

  /** What happened: it holds what was read again, and nothing of it has to be foretold. */
  asItWas(among: Among, of: TurnOnFor): Figures {
    const { columns, ...rest } = this.figures(among, of)
    const nothing = new Float64Array(among.costed.length)
    return { ...rest, columns: { ...columns, rereads: nothing, unsure: nothing } }
  }

  /** Lost, if summaries keep what they usually do. */
  #expected(habits: readonly Habits[]): Columns['expected'] {
    return Float64Array.from(habits, ({ kept }, at) => this.#lost.at(at) - kept * this.#summarised.at(at))
  }

  #figures(of: TurnOnFor, columns: Columns): Figures {
    const { plugin, values } = this.policy
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

/**
 * The one decision: what to set, by program, in one pass over transcripts that are read anyway. `ctxwin` alone, `recommend`
 * and the page print what stands here, so they cannot differ. The programs stand apart: a setting of one
 * changes nothing in the transcripts of another, and its share of the money would hide in the sum of all.
 */
import type { Chosen } from '../../base/chosen.ts'
import type { Shape } from '../../base/plain-shape.ts'
import { rounded } from '../../measures/cost.ts'
import type { Budget } from '../../model/budget.ts'
import { type Decision, lastSessions, type Month } from '../../model/recommendation.ts'
import type { CostUnit, TraceRun } from '../../model/run.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import type { PolicyWithCard } from '../../policies/catalogue/card.ts'
import { measuredPiece } from '../files/piece-shapes.ts'
import type { Plan } from '../plan.ts'
import { CandidateSums, type Measured } from './candidate-sums.ts'
import { allSettings, overTargets, programOf, settingsFor, usualBudgets, usualTargets } from './candidates.ts'
import { type Choice, decide, type Measurements, usualChoice } from './decide.ts'

/** What is tried; what is left out is what is usual. */
export interface Asked {
  /** Policies that the user named: they are tried on every transcript, whatever program wrote it, and decided for all as one. */
  readonly policies?: Plan['policies']
  readonly budgets?: readonly Budget[]
  /** Low watermarks for each policy that has one. */
  readonly targets?: readonly number[]
  /** How many sessions of a program a decision goes by, the last ones; `all`: they were chosen otherwise. */
  readonly sessions?: number | 'all'
}

/** The transcripts that are decided for as one. */
interface Group extends Pick<Decision, 'scope' | 'program'> {
  readonly plan: Plan
  readonly sums: CandidateSums
  readonly newest: Newest
  readonly bills: { readonly last: number; readonly usd: number; readonly input: number }[]
}

/** What a program's transcripts come to: the last sessions, and all. */
export interface Lately extends Pick<Decision, 'scope' | 'program' | 'month'> {
  readonly measured: Measurements
  readonly all: Measurements
}

export class Decisions {
  /** All that is tried on any transcript: what has to be read for it. */
  readonly plan: Plan
  readonly #asked: Asked
  readonly #groups = new Map<string | null, Group>()

  /** @param plan how tokens are counted, and at what prices; its policies and budgets do not matter */
  constructor(plan: Plan, asked: Asked = {}) {
    const { budgets = usualBudgets } = asked
    this.#asked = asked
    const policies = asked.policies ?? [...allSettings(), ...settingsFor(null)]
    this.plan = { ...plan, policies: this.#over(policies), budgets, references: true }
  }

  /** What a transcript would add: nothing of it is added yet. */
  measure(trace: Trace): Measured {
    return this.#groupOf(trace.head).sums.measure(trace)
  }

  /** Whether that has been found out before, and takes no text. */
  knows(trace: Trace): boolean {
    return this.#groupOf(trace.head).sums.knows(trace)
  }

  /** What every value is of what a transcript adds. */
  readonly piece: Shape<Measured> = (value) => {
    const { run } = (value ?? {}) as { readonly run?: { readonly format?: unknown } | null }
    const { sums } = this.#groupOf({ format: String(run?.format) })
    return measuredPiece(sums.policies, sums.budgets)(value)
  }

  add(measured: Measured): void {
    const { sums, newest, bills } = this.#groupOf(measured.run)
    const { run, last } = measured
    sums.add(measured)
    newest.add(measured)
    if (run.spent && last !== null) bills.push({ last, usd: run.spent.usd, input: run.spent.input })
  }

  /** What the decisions are made of. */
  measurements(): Lately[] {
    const { sessions = lastSessions } = this.#asked
    return [...this.#groups.values()].flatMap(({ scope, program, plan, sums, newest, bills }): Lately[] => {
      const all = sums.result()
      if (all.transcripts === 0) return []
      const last = sessions === 'all' || all.sessions <= sessions ? null : newest.last(sessions, all.unit)
      const among = last && new CandidateSums(plan, scope !== 'all')
      for (const one of last ?? []) among?.add(one)
      return [{ scope, program, month: monthOf(bills), measured: among?.result() ?? all, all }]
    })
  }

  /** The one with most money first. */
  results(choice: Choice = usualChoice): Decision[] {
    return this.measurements()
      .map(({ scope, program, month, measured, all }): Decision => {
        const told = { scope, program, month, allSessions: all.sessions, spent: all.bill?.usd ?? null }
        const decision = { ...told, ...decide(measured, choice) }
        const otherwise = measured === all ? null : namedIn(decide(all, choice))
        return { ...decision, otherwise: otherwise === namedIn(decision) ? null : otherwise }
      })
      .sort((a, b) => moneyOf(b) - moneyOf(a) || b.requests - a.requests)
  }

  #groupOf(head: Pick<TranscriptHead, 'format'> | Pick<TraceRun, 'format'>): Group {
    const isNamed = this.#asked.policies !== undefined
    const program = isNamed ? null : programOf(head)
    const known = this.#groups.get(program)
    if (known) return known
    const policies = isNamed ? this.plan.policies : this.#over(settingsFor(program))
    const scope = isNamed ? 'all' : program === null ? 'own' : 'program'
    const plan = { ...this.plan, policies }
    const group: Group = {
      scope,
      program,
      plan,
      sums: new CandidateSums(plan, !isNamed),
      newest: new Newest(),
      bills: [],
    }
    this.#groups.set(program, group)
    return group
  }

  /** Each policy that has a low watermark, once with each that is tried. */
  #over(policies: Plan['policies'] | readonly Chosen<PolicyWithCard>[]): Plan['policies'] {
    const { targets = this.#asked.policies ? [] : usualTargets } = this.#asked
    return targets.length > 0 ? overTargets(policies, targets) : policies
  }
}

/** The last sessions so far, whole, by what their money is counted in. A few more are held: a session may have parts that come late. */
class Newest {
  readonly #byUnit = new Map<CostUnit, Map<string, Measured[]>>()
  #unnamed = 0

  add(measured: Measured): void {
    const { unit } = measured.run.cost
    const known = this.#byUnit.get(unit) ?? new Map<string, Measured[]>()
    this.#byUnit.set(unit, known)
    const name = measured.session ?? `transcript ${this.#unnamed++}`
    known.set(name, [...(known.get(name) ?? []), measured])
    if (known.size <= 2 * lastSessions) return
    const [oldest] = [...known].reduce((one, other) => (timeOf(other[1]) < timeOf(one[1]) ? other : one))
    known.delete(oldest)
  }

  /** In the order of their time, so that the order of files changes nothing. */
  last(count: number, unit: CostUnit): Measured[] {
    const sessions = [...(this.#byUnit.get(unit)?.values() ?? [])]
    const byTime = (a: readonly Measured[], b: readonly Measured[]): number =>
      timeOf(b) - timeOf(a) || compare(keyOfSession(a), keyOfSession(b))
    const inOrder = sessions.sort(byTime).slice(0, count)
    return inOrder.flatMap((parts) => parts.toSorted((a, b) => byTime([a], [b])))
  }
}

const timeOf = (parts: readonly Measured[]): number =>
  parts.reduce((most, { last }) => Math.max(most, last ?? Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY)

/** The same wherever the files of a session are. */
const keyOfSession = (parts: readonly Measured[]): string =>
  `${parts[0]?.session ?? ''} ${parts.reduce((sum, { run }) => sum + run.fullTokens, 0)}`

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const day = 86_400_000
const days = 30

/** Of the last thirty days before the newest session. */
function monthOf(bills: Group['bills']): Month | null {
  const newest = bills.reduce((most, { last }) => Math.max(most, last), Number.NEGATIVE_INFINITY)
  const own = bills.filter(({ last }) => last > newest - days * day)
  if (own.length === 0) return null
  const sum = (key: 'usd' | 'input'): number => rounded(own.reduce((total, bill) => total + bill[key], 0))
  const first = own.reduce((least, { last }) => Math.min(least, last), newest)
  return { days: Math.ceil((newest - first) / day), usd: sum('usd'), input: sum('input') }
}

/** The setting and the budget that are to be set. */
function namedIn({ recommended }: Pick<Decision, 'recommended'>): string {
  if (recommended === null) return 'keep'
  const { setting, budget } = recommended
  return budget === null ? setting : `${setting} at ${budget}`
}

/** Where no price is known it has none: amounts in tokens say nothing beside amounts in money. */
function moneyOf({ unit, spent, baseline }: Decision): number {
  return unit === 'usd' ? (spent ?? baseline.paid) : -1
}

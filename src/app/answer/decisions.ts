import { compareTexts } from '../../base/compare.ts'
import { defined } from '../../base/defined.ts'
import { keyOf } from '../../base/key.ts'
import type { Shape } from '../../base/plain-shape.ts'
import { rounded } from '../../measures/cost.ts'
import type { Budget } from '../../model/budget.ts'
import { type Decision, lastSessions, type Month } from '../../model/recommendation.ts'
import type { CostUnit, TraceRun } from '../../model/run.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import { bySession } from '../bill/by-session.ts'
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
  /** How many sessions of a program a decision goes by, the last ones; `all`: they were chosen otherwise. */
  readonly sessions?: number | 'all'
}

/** The transcripts that are decided for as one. */
interface Group extends Pick<Decision, 'scope' | 'program'> {
  readonly plan: Plan
  readonly sums: CandidateSums
  /** Null where all sessions count. */
  readonly newest: Newest | null
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
  /** How many sessions of a program count; null for all. */
  readonly #sessions: number | null
  readonly #groups = new Map<string | null, Group>()

  /** @param plan how tokens are counted, and at what prices; its policies and budgets do not matter */
  constructor(plan: Plan, asked: Asked = {}) {
    const { budgets = usualBudgets, sessions = lastSessions } = asked
    this.#asked = asked
    this.#sessions = sessions === 'all' ? null : sessions
    const policies = asked.policies ?? overTargets([...allSettings(), ...settingsFor(null)], usualTargets)
    this.plan = { ...plan, policies, budgets, references: true }
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
    newest?.add(measured)
    if (run.spent && last !== null) bills.push({ last, usd: run.spent.usd, input: run.spent.input })
  }

  /** What the decisions are made of. */
  measurements(): Lately[] {
    const count = this.#sessions
    return [...this.#groups.values()].flatMap(({ scope, program, plan, sums, newest, bills }): Lately[] => {
      const all = sums.result()
      if (all.transcripts === 0) return []
      const month = monthOf(bills)
      if (newest === null || count === null || all.sessions <= count)
        return [{ scope, program, month, measured: all, all }]
      const last = new CandidateSums(plan, scope !== 'all')
      for (const one of newest.last(count, all.unit)) last.add(one)
      return [{ scope, program, month, measured: last.result(), all }]
    })
  }

  /** The one with most money first. */
  results(choice: Choice = usualChoice): Decision[] {
    return this.measurements()
      .map(({ scope, program, month, measured, all }): Decision => {
        const told = { scope, program, month, allSessions: all.sessions, spent: all.bill?.usd ?? null }
        const decision = { ...told, ...decide(measured, choice) }
        return { ...decision, otherwise: measured === all ? null : otherwiseIn(decide(all, choice), decision) }
      })
      .sort((a, b) => moneyOf(b) - moneyOf(a) || b.requests - a.requests)
  }

  #groupOf(head: Pick<TranscriptHead, 'format'> | Pick<TraceRun, 'format'>): Group {
    const isNamed = this.#asked.policies !== undefined
    const program = isNamed ? null : programOf(head)
    const known = this.#groups.get(program)
    if (known) return known
    const policies = isNamed ? this.plan.policies : overTargets(settingsFor(program), usualTargets)
    const scope = isNamed ? 'all' : program === null ? 'own' : 'program'
    const plan = { ...this.plan, policies }
    const group: Group = {
      scope,
      program,
      plan,
      sums: new CandidateSums(plan, !isNamed),
      newest: this.#sessions === null ? null : new Newest(this.#sessions),
      bills: [],
    }
    this.#groups.set(program, group)
    return group
  }
}

/** The last sessions so far, whole, by what their money is counted in. More are held: a session may have parts that come late. */
class Newest {
  readonly #most: number
  readonly #byUnit = new Map<CostUnit, Map<string, Measured[]>>()
  #unnamed = 0

  /** @param count how many are wanted */
  constructor(count: number) {
    this.#most = 2 * count
  }

  add(measured: Measured): void {
    const { cost, conversation } = measured.run
    const known = this.#byUnit.get(cost.unit) ?? new Map<string, Measured[]>()
    this.#byUnit.set(cost.unit, known)
    const name = measured.parent ?? conversation ?? `transcript ${this.#unnamed++}`
    const parts = known.get(name) ?? []
    parts.push(measured)
    known.set(name, parts)
    if (known.size <= this.#most) return
    const [oldest] = [...known].reduce((one, other) => (timeOf(other[1]) < timeOf(one[1]) ? other : one))
    known.delete(oldest)
  }

  /** In the order of their time, so that the order of files changes nothing. */
  last(count: number, unit: CostUnit): Measured[] {
    const parts = [...(this.#byUnit.get(unit)?.values() ?? [])].flat()
    const sessions = bySession(parts, ({ run, parent }) => ({ conversation: run.conversation, parent }))
    const inOrder = sessions.sort(byTime).slice(0, count)
    return inOrder.flatMap((own) => own.toSorted((a, b) => byTime([a], [b])))
  }
}

/** The newest first. What tells those of one time apart is the same wherever their files are. */
function byTime(a: readonly Measured[], b: readonly Measured[]): number {
  const keyOf = (parts: readonly Measured[]): string =>
    `${parts[0]?.run.conversation ?? ''} ${parts.reduce((sum, { run }) => sum + run.fullTokens, 0)}`
  return timeOf(b) - timeOf(a) || compareTexts(keyOf(a), keyOf(b))
}

const timeOf = (parts: readonly Measured[]): number =>
  parts.reduce((most, { last }) => Math.max(most, last ?? Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY)

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

/** What all sessions say, where it is not what is decided. */
function otherwiseIn(
  all: Pick<Decision, 'recommended'>,
  decided: Pick<Decision, 'recommended'>,
): Decision['otherwise'] {
  const named = ({ recommended: one }: Pick<Decision, 'recommended'>): Decision['otherwise'] =>
    one ? { setting: one.setting, budget: one.budget, ...defined({ budgetAsked: one.budgetAsked }) } : 'keep'
  const other = named(all)
  return keyOf(other) === keyOf(named(decided)) ? null : other
}

/** Where no price is known it has none: amounts in tokens say nothing beside amounts in money. */
function moneyOf({ unit, spent, baseline }: Decision): number {
  return unit === 'usd' ? (spent ?? baseline.paid) : -1
}

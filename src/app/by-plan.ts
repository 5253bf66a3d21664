/** What a plan comes to over one transcript, for who has a trace and a plan: the runs, the history, the picture, the advice. */
import type { Advice } from '../model/advice.ts'
import type { ExchangeSummary, HistoryView } from '../model/history.ts'
import type { By, TraceRun } from '../model/run.ts'
import type { SessionPicture } from '../model/session-picture.ts'
import type { Trace } from '../model/trace.ts'
import * as advice from '../simulator/advice.ts'
import * as history from '../simulator/history.ts'
import * as picture from '../simulator/session-picture.ts'
import { eachRun } from '../simulator/simulate.ts'
import { programOf } from './answer/candidates.ts'
import { withOwn } from './answer/own-compaction.ts'
import { planFor } from './doors.ts'
import { caseOf, casesOf, cellsOf, firstCell, type Plan } from './plan.ts'

/** Every run of a plan over one transcript, in the order policies, estimators, budgets. */
export function simulate(trace: Trace, plan: Plan, by: By = 'transcript'): TraceRun[] {
  const asked = planFor(trace, plan)
  return [...eachRun(cellsOf(casesOf(trace, asked), asked), by)]
}

/**
 * The window of one transcript under the plan's first policy, estimator and budget.
 * @param trace read for the same plan, with its messages
 * @param request the moment before this request goes out; null for the end
 */
export function historyOf(trace: Trace, plan: Plan, request: number | null): HistoryView {
  return history.historyOf(firstCell(trace, planFor(trace, plan, request)), request)
}

/** The exchanges of a transcript that was read for the same plan, with its messages. */
export function exchangesOf(trace: Trace, plan: Plan): ExchangeSummary[] {
  return history.exchangesOf(caseOf(trace, plan))
}

/**
 * The picture of one transcript, with a run for each policy and budget of the plan, by its first estimator.
 * @param trace read for the same plan, with its messages
 */
export function sessionPicture(trace: Trace, plan: Plan, options?: picture.PictureOptions): SessionPicture {
  const facts = caseOf(trace, plan)
  return picture.sessionPicture(facts, cellsOf([facts], plan), options)
}

/**
 * What to do about the next cut of the plan's first policy at its first budget, or where it names none, of the session's own;
 * docs/advise.md has the rules.
 * @param learned default: what the built-in tables say
 */
export function adviceOn(trace: Trace, plan: Plan, now: number, learned?: advice.LearnedHabits): Advice {
  return advice.adviceOn(firstCell(trace, withOwn(trace, plan)), now, programOf(trace.head), learned)
}

/**
 * What a cell comes to, as plain data: every figure that any view needs. It is kept with what was read of the
 * transcript, so that what was replayed for one command serves every other.
 */
import { identityOf } from '../base/chosen.ts'
import { keyOf } from '../base/key.ts'
import type { Forgotten } from '../measures/forgotten.ts'
import type { Against, Cost, Exact, LossCounts, Today, TraceRun } from '../model/run.ts'
import { heldAgainst } from './baseline.ts'
import type { Ceiling } from './case.ts'
import type { Observer } from './replay.ts'
import { baselineFor, type Cell, simulateOne, todayFor } from './simulate.ts'
import { Watch } from './watch.ts'

export interface Figures extends Ceiling, Kept {
  readonly today: Today
  readonly against: Against
}

/** What does not depend on what it is held against. */
interface Kept
  extends Pick<
    TraceRun,
    | 'requests'
    | 'fullTokens'
    | 'sentTokens'
    | 'peakTokens'
    | 'overBudgetRequests'
    | 'overWindowRequests'
    | 'validity'
    | 'thinkingLostTokens'
  > {
  readonly cuts: { readonly length: number }
  readonly cost: Pick<
    Cost,
    'unit' | 'pricesAsOf' | 'paid' | 'input' | 'inputFull' | 'output' | 'summaries' | 'prefixBreaks'
  >
  readonly exact: Exact
  readonly references: FigureLosses
  readonly watched: Watched
}

/** Uses of what had been said before, and how many of them found it gone. */
export interface FigureLosses extends LossCounts {
  readonly headline: LossCounts
  readonly named: LossCounts
}

/** What a run does not say of its replay. */
export interface Watched
  extends Pick<Watch, 'summarised' | 'summaries' | 'summaryTokens' | 'usedTokens' | 'editedShare'> {
  /** Requests over the model's window, in their order. */
  readonly overWindow: readonly number[]
  readonly forgotten: Forgotten
}

/**
 * @param cell of a transcript that was read for references
 * @param observers watch the replay: with any, it is made though its figures may be known
 */
export function figuresOf(cell: Cell, observers: readonly Observer[] = []): Figures {
  const { facts, budget, budgetAsked } = cell
  const find = (): Kept => replayed(cell, observers)
  const watched = observers.length > 0 ? find() : null
  const figures = keptOf(cell, () => watched ?? find())
  return {
    budget,
    ...(budgetAsked !== undefined && { budgetAsked }),
    ...figures,
    today: heldAgainst(todayFor(facts), figures),
    against: { baseline: facts.inputs.baseline.name, ...heldAgainst(baselineFor(facts, budget), figures) },
  }
}

/** Nothing is kept of code of the user's own. */
function keptOf({ policy, facts, budget }: Cell, find: () => Kept): Kept {
  if (policy.plugin.module !== undefined) return facts.trace.memo(null, find)
  return facts.memo(`figures ${keyOf([identityOf(policy), budget])}`, find)
}

function replayed(cell: Cell, observers: readonly Observer[]): Kept {
  const watch = new Watch(cell.facts)
  const run = simulateOne(cell, [watch, ...observers], watch.lose)
  const { references, cost, cuts, exact } = run
  if (!references) throw new TypeError('the trace was read without its references')
  const { requests, fullTokens, sentTokens, peakTokens, overBudgetRequests, overWindowRequests } = run
  const { unit, pricesAsOf, paid, input, inputFull, output, summaries, prefixBreaks } = cost
  return {
    ...{ requests, fullTokens, sentTokens, peakTokens, overBudgetRequests, overWindowRequests },
    validity: run.validity,
    thinkingLostTokens: run.thinkingLostTokens,
    cuts: { length: cuts.length },
    cost: { unit, pricesAsOf, paid, input, inputFull, output, summaries, prefixBreaks },
    exact,
    references: { ...countsOf(references), headline: countsOf(references.headline), named: countsOf(references.named) },
    watched: {
      overWindow: [...watch.overWindow],
      forgotten: watch.forgotten,
      summarised: watch.summarised,
      summaries: watch.summaries,
      summaryTokens: watch.summaryTokens,
      usedTokens: watch.usedTokens,
      editedShare: watch.editedShare,
    },
  }
}

const countsOf = ({ total, mentionLost, sourceLost, selfSourced }: LossCounts): LossCounts => ({
  ...{ total, mentionLost, sourceLost, selfSourced },
})

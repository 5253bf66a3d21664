/**
 * The words of a decision: what to set, by program. `ctxwin` alone, `recommend`, `compare`, `curve` and the page print these, so
 * that one file has one answer.
 */
import { fewest, type Judge } from '../model/judged.ts'
import type { Candidate, CandidateLosses, CandidateSavings, Decision } from '../model/recommendation.ts'
import type { TurnOn } from '../model/turn-on.ts'
import { compact, dollars, grouped, several, signed } from './numbers.ts'
import type { Line } from './report.ts'

/** What to set in one program. */
export interface DecisionWords {
  /** The program; for transcripts of none "your own agent", and where policies were named "all". */
  readonly name: string
  /** In US dollars: what was billed, null where nothing was. */
  readonly spent: number | null
  /** What to do, in a sentence or two. */
  readonly words: string
  /** How to turn on what is to be set, if there is a way. */
  readonly turnOn: TurnOn | null
}

/** @param inShares no dollars: who has a plan pays none */
export function decisionWords(decision: Decision, inShares = false): DecisionWords {
  const { recommended, bill } = decision
  return {
    name: nameOf(decision),
    spent: bill?.usd ?? null,
    words: [verdictWords(decision, inShares), ...pricedWords(decision)].join(' '),
    turnOn: recommended && turnOnOf(recommended),
  }
}

/** "claude-code: Keep what you have: …", each in one line, the one with most money first; below it what turns it on. */
export function decisionLines(decisions: readonly Decision[], inShares = false): Line[] {
  const all = decisions.map((decision) => decisionWords(decision, inShares))
  return all.flatMap(({ name, words, turnOn }): Line[] => {
    const said = `${name === 'all' ? '' : `${name}: `}${words}`
    return turnOn ? [`${said} Turn it on ${whereWords(turnOn)}`, { verbatim: turnOn.text }] : [said]
  })
}

/** "in ~/.claude/settings.json (compacts at 127k):", behind which the text to paste stands by itself. */
export function whereWords({ file, note }: TurnOn): string {
  return `in ${file}${note === null ? '' : ` (${note})`}:`
}

function nameOf({ scope, program }: Decision): string {
  return scope === 'program' ? (program as string) : scope === 'own' ? 'your own agent' : 'all'
}

function verdictWords(decision: Decision, inShares: boolean): string {
  const { outcome, recommended, baseline, of, candidates, program } = decision
  if (outcome === 'nothing-to-set') {
    return `Keep what you have: ctxwin knows no setting of ${program} that changes what its window holds.`
  }
  if (outcome === 'too-few') {
    return `Too few later uses to say what to set: ${grouped(baseline.losses.total)} ${usesOf[of]}, and it takes ${fewest}.`
  }
  if (recommended) return `Set ${candidateName(recommended)}: it saves ${effectWords(recommended, decision, inShares)}.`
  if (outcome === 'none') {
    return `None of ${several(candidates.length, 'candidate')} loses no more than ${limitWords(decision)}.`
  }
  const beyond = beyondOf(decision)
  const keep =
    baseline.setting === 'today'
      ? 'Keep what you have: nothing cheaper is as safe.'
      : `Keep to ${baseline.setting}: nothing cheaper is as safe.`
  return beyond ? `${keep} (${candidateName(beyond)} would save ${effectWords(beyond, decision, inShares)}.)` : keep
}

/** "7.0 to 13 % of $814 for input, and loses 117 of 6,024 later uses of content (today 117; 12 if its summaries keep everything)" */
function effectWords(candidate: Candidate, decision: Decision, inShares: boolean): string {
  const { saved, losses, summaries } = candidate
  const { baseline, of, recommended } = decision
  const { low, high, percent } = saved
  const share = low === null || high === null ? shareWords(percent) : `${shareWords(low)} to ${shareWords(high)}`
  const kept = summaries > 0 ? `; ${grouped(losses.ifSummariesKeepAll)} if its summaries keep everything` : ''
  return [
    `${share} % of ${inShares ? 'the input' : inputWords(baseline, decision)}, and ${recommended ? 'loses' : 'lose'}`,
    `${grouped(losses.lost)} of ${grouped(losses.total)} ${usesOf[of]} (${baseline.setting} ${grouped(baseline.losses.lost)}${kept})`,
  ].join(' ')
}

/** "Prices are known for 40 of 88 transcripts." */
function pricedWords({ costed, transcripts }: Decision): string[] {
  return costed < transcripts
    ? [`Prices are known for ${grouped(costed)} of ${several(transcripts, 'transcript')}.`]
    : []
}

/** Of what no program does the composition of knobs that says what an agent would have to do. */
export function turnOnOf({ turnOn, composition }: Candidate): TurnOn | null {
  if (turnOn !== null || composition === null) return turnOn
  return { file: 'your agent, as this composition', text: composition, since: null, note: null }
}

/** Of the candidates that are surely cheaper and lose more than they may: the one that loses least. */
export function beyondOf({ candidates }: Pick<Decision, 'candidates'>): Candidate | undefined {
  return candidates
    .filter(({ verdict, saved }) => verdict === 'loses more' && saved.cost > 0 && (saved.low ?? 1) > 0)
    .toSorted((a, b) => a.losses.lost - b.losses.lost || a.paid - b.paid)[0]
}

export const usesOf: Readonly<Record<Judge, string>> = {
  headline: 'later uses of content',
  named: 'later uses of paths, urls, errors, ids and searches',
  all: 'later uses',
}

/** "today (117 of 6,024 later uses of content)"; beyond that "2 % of 6,024 later uses" */
export function limitWords({ limitPercent, of, baseline, tolerance }: Decision): string {
  const { lost, total } = baseline.losses
  if (tolerance.over === 'baseline' && tolerance.percent === 0) {
    return `${baseline.setting} (${grouped(lost)} of ${grouped(total)} ${usesOf[of]})`
  }
  return `${limitPercent} % of ${grouped(total)} ${usesOf[of]}`
}

/** "claude-code-auto at 160k" */
export function candidateName(candidate: Candidate): string {
  const budget = budgetOf(candidate)
  return budget === 'any' ? candidate.setting : `${candidate.setting} at ${budget}`
}

/** 160k, 50%; "any" for a policy that does not ask for it */
export function budgetOf({ budget, budgetAsked }: Candidate): string {
  return budgetAsked ?? (budget === null ? 'any' : compact(budget).replace('.0', ''))
}

const shareWords = (percent: number): string => signed(percent).replace('+', '')

/** "$814 for input"; "814k input tokens" where no price is known */
function inputWords({ paid }: Candidate, { unit }: Pick<Decision, 'unit'>): string {
  return unit === 'usd' ? `${dollars(paid)} for input` : `${compact(paid)} input tokens`
}

/** How the cost changes, in percent: "-10.2 (-13.1…-7.0)" */
export function changeWords({ percent, low, high }: CandidateSavings): string {
  if (low === null || high === null) return signed(-percent)
  return `${signed(-percent)} (${signed(-high)}…${signed(-low)})`
}

/** "1.94 (1.62…2.32)" */
export function rateWords({ percent, low, high, total }: CandidateLosses): string {
  return total === 0 ? '' : `${percent.toFixed(1)} (${low.toFixed(1)}…${high.toFixed(1)})`
}

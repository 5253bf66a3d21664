/** The three numbers of the first screen: what was spent, what could be saved, and what that risks. */
import type { Page, PageCandidate, PageProgram } from '../../../model/page.ts'
import { billedWords, moneyUnit } from '../../answer.ts'
import { causeWords } from '../../cause-words.ts'
import { compact, decimal, dollars, grouped, several } from '../../numbers.ts'
import { settingName } from './chart.ts'

/** From the first answer to the last, in milliseconds since the epoch; null where no time is recorded. */
export function periodOf({ sessions }: Page): { readonly first: number; readonly last: number } | null {
  const times = sessions
    .flatMap(({ first, last }) => [first, last])
    .flatMap((time) => (time === null ? [] : [Date.parse(time)]))
  if (times.length === 0) return null
  return { first: times.reduce((a, b) => Math.min(a, b)), last: times.reduce((a, b) => Math.max(a, b)) }
}

function monthsOf(page: Page): number {
  const period = periodOf(page)
  return period ? (period.last - period.first) / (30 * 86_400_000) : 0
}

export interface Tile {
  readonly figure: string
  /** What it is, and what it raises as a question is answered. */
  readonly words: string
  readonly kind: 'spent' | 'saved' | 'risk' | 'none'
}

/** What was spent, what could be saved, and what that risks. */
export const tilesOf = (page: Page): Tile[] => [spentTile(page), savedTile(page), riskTile(page)]

function spentTile(page: Page): Tile {
  const { bill, today, unit, sessions } = page
  if (bill === null || bill.usd === null) {
    return {
      ...{ kind: 'spent', figure: compact(today.sentTokens) },
      words: `tokens sent in ${several(sessions.length, 'session')}. No bill: no usage is recorded, or a model has no known price.`,
    }
  }
  const months = monthsOf(page)
  if (unit === 'percent') {
    const sent = months >= 1 ? `, about ${compact(today.sentTokens / months)} a month` : ''
    return {
      ...{ kind: 'spent', figure: compact(today.sentTokens) },
      words: `tokens sent${sent}; input weighs ${bill.input.toFixed(0)} % of all, and output the rest`,
    }
  }
  const monthly = months >= 1 ? `, about ${wholeDollars(bill.usd / months)} a month` : ''
  const input = bill.input > 0 ? `; ${dollars(bill.input)} of it for input` : ''
  return { kind: 'spent', figure: dollars(bill.usd), words: `spent${monthly}${unit === 'usd' ? input : ''}` }
}

interface Promised {
  readonly program: PageProgram
  readonly point: PageCandidate
}

/** What each program should set, if anything. */
function promisedIn({ programs }: Page): Promised[] {
  return programs.flatMap((program): Promised[] => {
    const { outcome, best } = program
    const point = best === null ? undefined : program.points[best]
    return point && outcome === 'set' ? [{ program, point }] : []
  })
}

function savedTile(page: Page): Tile {
  const promised = promisedIn(page).filter(({ program }) => program.unit === moneyUnit(page.unit))
  const kind = 'saved'
  if (promised.length > 0) {
    const months = monthsOf(page)
    const per = months >= 1 ? months : 1
    const sum = (key: 'low' | 'high'): number =>
      promised.reduce((all, { program, point }) => all + ((point[key] ?? 0) * program.paid) / 100 / per, 0)
    const share = (key: 'low' | 'high'): number =>
      (100 * sum(key) * per) / promised.reduce((all, { program }) => all + program.paid, 0)
    const period = months >= 1 ? 'a month could be saved' : 'of it could have been saved'
    if (page.unit === 'percent') {
      return {
        ...{ kind, figure: `${decimal(share('low'), 0)} – ${decimal(share('high'), 0)} %` },
        words: 'of the input could be saved after re-reading',
      }
    }
    const range = `${decimal(share('low'), 0)} to ${decimal(share('high'), 0)} % of the input`
    return {
      ...{ kind, figure: `${wholeDollars(sum('low'))} – ${wholeDollars(sum('high')).slice(1)}` },
      words: `${period} after re-reading: ${range}`,
    }
  }
  const few = page.programs.filter(({ outcome }) => outcome === 'too-few-sessions' || outcome === 'too-few-uses')
  if (few.length > 0 && few.length === page.programs.length) {
    return few.some(({ outcome }) => outcome === 'too-few-sessions')
      ? { kind: 'none', figure: 'Too few', words: 'sessions to say what could be saved' }
      : { kind: 'none', figure: 'Too few', words: 'later uses of content to say what a setting would risk' }
  }
  const reasons = new Set(page.programs.map(({ keepReason }) => keepReason))
  const why = reasons.has('loses-more')
    ? 'to change: what is cheaper forgets too much'
    : 'to change: no setting is cheaper than what you have'
  return { kind: 'none', figure: 'Nothing', words: why }
}

function riskTile(page: Page): Tile {
  const kind = 'risk'
  const [worst] = promisedIn(page).toSorted((a, b) => b.point.extraPercent - a.point.extraPercent)
  if (worst) {
    const { extraPercent } = worst.point
    return extraPercent > 0
      ? { kind, figure: oneIn(extraPercent), words: 'later uses of content would need a second look' }
      : { kind, figure: 'No more', words: 'is lost than with what you have' }
  }
  const kept = page.programs.find(({ keepReason, best }) => keepReason === 'loses-more' && best !== null)
  const point = kept?.points[kept.best as number]
  if (kept && point) {
    return {
      kind,
      figure: oneIn(point.extraPercent),
      words: `later uses of content would need a second look with ${settingName(point)}: too many`,
    }
  }
  return missedTile(page) ?? { kind: 'none', figure: 'None', words: 'nothing is to be changed, so nothing is at risk' }
}

/** What was paid twice: shown where there is nothing to set. */
function missedTile({ spending, unit }: Page): Tile | null {
  const { usd = null, requests = 0 } = spending?.total.missed ?? {}
  const [cause] = spending?.causes ?? []
  if (usd === null || usd <= 0 || requests === 0 || !cause) return null
  return {
    ...{ kind: 'none', figure: billedWords(usd, unit) },
    words: `was paid a second time, in ${several(requests, 'request')}, for what the cache no longer had; ${cause.cause === 'unexplained' ? 'why is mostly not recorded' : `mostly because ${causeWords[cause.cause]}`}`,
  }
}

/** "1 in 50" */
const oneIn = (percent: number): string =>
  percent <= 0 ? 'none' : `1 in ${grouped(Math.max(1, Math.round(100 / percent)))}`

export const wholeDollars = (amount: number): string =>
  amount >= 10 ? `$${grouped(Math.round(amount))}` : dollars(Number(amount.toPrecision(2)))

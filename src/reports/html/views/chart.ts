/** What was decided among, by program: what each setting costs after reading again, and what it loses. */
import { these } from '../../../base/these.ts'
import type { Page, PageCandidate, PageProgram } from '../../../model/page.ts'
import { amountWords } from '../../answer.ts'
import { grouped, moreOrLess, several, signed, sized } from '../../numbers.ts'
import { type Element, h } from '../element.ts'
import { frontSentence, presentOf } from '../front.ts'
import { headOf, table } from '../parts.ts'
import { acrossWords, type Dot, scatter } from '../scatter.ts'

/** The programs that have something to draw. */
export const chartedPrograms = ({ programs }: Page): PageProgram[] =>
  programs.filter(({ points, paid }) => points.length > 0 && paid > 0)

/** Of a thousand later uses; an exact share where there are few. */
const perThousand = (lost: number, uses: number): number => (uses === 0 ? 0 : (1000 * lost) / uses)

function dotsOf(program: PageProgram): Dot[] {
  const { points, uses, best, recordedLost, unit } = program
  const present = presentOf(program)
  const rate = (lost: number): number => perThousand(lost, uses)
  const usual = mostTried(points)
  return these(
    points.map((point, index): Dot => {
      const { net, lost, fits, budget, setting } = point
      return {
        ...{ cost: net, lost: rate(lost), index, words: pointWords(point, program) },
        short: setting === usual && budget !== null ? budget : settingName({ setting, budget }),
        ...(!fits && { kind: 'unfit' as const }),
        chosen: index === best && fits,
      }
    }),
    {
      ...{ cost: present.cost, lost: rate(present.lost), kind: 'present', short: 'what you have' },
      words: `What you have, replayed by the same rules as the others: ${amountWords(present.cost, unit)}, ${lossWords(present.lost, uses)}`,
    },
    isReallyOther(program) && {
      ...{ cost: present.cost, lost: rate(recordedLost), kind: 'recorded' as const, short: 'as it really went' },
      words: `As it really went: ${lossWords(recordedLost, uses)}. Your agents read again what they missed, which a replay cannot do; so the square above is what settings are held against.`,
    },
  )
}

/** Whether agents really lost another number of later uses than the replay of what they had. */
const isReallyOther = (program: PageProgram): boolean => Math.abs(program.recordedLost - presentOf(program).lost) >= 0.5

/** Why there are two squares. */
export function reallyWords(program: PageProgram | undefined): string {
  if (program === undefined || !isReallyOther(program)) return ''
  return ' As it really went, agents read again what they missed, which a replay cannot do.'
}

/** The setting with most points, which is told by its budgets. */
function mostTried(points: readonly PageCandidate[]): string | null {
  const times = new Map<string, number>()
  for (const { setting } of points) times.set(setting, (times.get(setting) ?? 0) + 1)
  return [...times].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

export const settingName = ({ setting, budget }: Pick<PageCandidate, 'setting' | 'budget'>): string =>
  budget === null ? setting : `${setting} at ${budget}`

/**
 * "claude-code-auto at 300k: $498 (re-reading $2.10 of it), -4.0 %; in sessions to come 7 to 32 % less; loses 35 of
 * 1,067 later uses"
 */
function pointWords(point: PageCandidate, { unit, uses, paid }: PageProgram): string {
  const { net, rereads, low, high, lost, fits } = point
  const again = rereads > 0 ? ` (re-reading ${amountWords(rereads, unit)} of it)` : ''
  const change = paid === 0 ? '' : `, ${signed((100 * (net - paid)) / paid)} %`
  const percent = (amount: number): string => `${sized(amount)} %`
  const sure = low === null || high === null ? '' : `; in sessions to come ${moreOrLess(low, high, percent)}`
  const unfit = fits ? '' : '. Some of its requests would fail'
  return `${settingName(point)}: ${amountWords(net, unit)}${again}${change}${sure}; ${lossWords(lost, uses)}${unfit}`
}

function lossWords(lost: number, uses: number): string {
  return uses === 0
    ? 'nothing was used again later'
    : `loses ${grouped(Math.round(lost))} of ${several(uses, 'later use')}`
}

export function chartView(program: PageProgram, width: number): Element {
  const { unit, uses } = program
  return scatter({
    dots: dotsOf(program),
    ...{ width, height: width < 500 ? 300 : 348 },
    label: `${program.name}: what each setting costs, and what it loses. ${frontSentence(program)} The table below has all of them.`,
    across: acrossWords('input, summaries and re-reading', unit),
    unit,
    hasUses: uses > 0,
  })
}

export function chartTable(program: PageProgram): Element {
  const { points, unit, uses, best } = program
  return table(
    `Every setting of ${program.name}`,
    headOf(['setting', 'cost, net', 'saved, to come', 'lost']),
    points.map((point, at) =>
      h('tr', { class: at === best ? 'chosen' : null })(
        h('th', { scope: 'row' })(settingName(point), point.fits ? '' : ' (makes requests fail)'),
        h('td.number')(amountWords(point.net, unit)),
        h('td.number')(
          point.low === null || point.high === null ? '–' : `${signed(point.low)} to ${signed(point.high)} %`,
        ),
        h('td.number')(uses === 0 ? '–' : `${grouped(Math.round(point.lost))}/${grouped(uses)}`),
      ),
    ),
  )
}

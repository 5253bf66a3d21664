/** `history --step`: keys move the cutoff through the requests of a transcript. */

import { historyOf, type Plan, simulate, type Trace } from '../../../app/index.ts'
import type { ExplainedSpending, RequestSpending } from '../../../model/spending.ts'
import { cutoffMark, renderHistory } from '../../../reports/history.ts'
import { ordinal } from '../../../reports/numbers.ts'
import { dollars } from '../../../reports/session-spending.ts'
import type { Size, View } from '../../output/full-screen.ts'

interface Looks {
  readonly color: boolean
  /** Show every step of every exchange. */
  readonly all: boolean
  /** What the recorded requests cost; null where that is not known. */
  readonly spent: ExplainedSpending | null
}

const keys = '← → request · PgUp PgDn cut · Home End · q'

/** @param start the request that is shown first; null for the end */
export function stepping(trace: Trace, plan: Plan, start: number | null, { spent, ...looks }: Looks): View {
  const billed = new Map(spent?.billed.map((one) => [one.request, one]))
  const end = trace.requests
  const cuts = Array.from(simulate(trace, plan)[0]?.cuts ?? [], ({ request }) => request)
  let at = start ?? end
  const moves: Readonly<Record<string, () => number>> = {
    left: () => at - 1,
    up: () => at - 1,
    right: () => at + 1,
    down: () => at + 1,
    home: () => 0,
    end: () => end,
    pageup: () => cuts.findLast((request) => request < at) ?? 0,
    pagedown: () => cuts.find((request) => request > at) ?? end,
  }
  return {
    press(key) {
      if (key === 'q' || key === 'escape') return 'leave'
      at = Math.max(0, Math.min(end, moves[key]?.() ?? at))
      return 'stay'
    },
    lines({ rows, columns }) {
      const view = historyOf(trace, plan, at === end ? null : at)
      const drawn = [...renderHistory(view, { width: columns, ...looks })].join('').trimEnd().split('\n')
      const moment =
        at === end ? `after the last of ${ordinal(end - 1)}` : `request ${ordinal(at)} of ${ordinal(end - 1)}`
      return [
        ...around(drawn, cutoffMark(columns), { rows: rows - 1, columns }),
        [moment, ...costOf(billed.get(at)), keys].join(' · ').slice(0, columns),
      ]
    },
  }
}

/** What the agent paid for the request then, whatever the policy that is shown. */
function costOf(billed: RequestSpending | undefined): string[] {
  return billed?.usd == null ? [] : [`${dollars(billed.usd)} as recorded`]
}

/**
 * The moment and the title, and as many of the other lines as there is room for: those around where the window begins.
 */
function around(drawn: readonly string[], rule: string, { rows }: Size): string[] {
  const title = drawn.indexOf('') + 2
  const [head, lines] = [drawn.slice(0, title), drawn.slice(title)]
  const room = Math.max(0, rows - title)
  const place = Math.max(
    0,
    lines.findIndex((line) => line.includes(rule)),
  )
  const from = Math.max(0, Math.min(place - Math.floor(room / 3), lines.length - room))
  const shown = lines.slice(from, from + room)
  return [...head, ...shown, ...new Array<string>(Math.max(0, room - shown.length)).fill('')]
}

/**
 * A page for people who have a plan and pay no price by the token: each amount as a share of all that was sent and answered,
 * weighted as prices weigh it.
 */
import type { Page, PagePicture, PagePoint, PageProgram, PageSession } from '../../model/page.ts'
import type { PictureRun } from '../../model/session-picture.ts'

/** In percent of what was spent in all; as it is where nothing was, or where nothing has a price. */
export function pageInShares(page: Page): Page {
  const { bill, unit, spending, today, unpruned } = page
  if (unit !== 'usd' || bill === null || bill.usd === null || bill.usd <= 0) return page
  const all = bill.usd
  const share = (amount: number): number => (100 * amount) / all
  const orNone = (amount: number | null): number | null => (amount === null ? null : share(amount))
  const priced = <T extends { readonly usd: number | null }>(one: T): T => ({ ...one, usd: orNone(one.usd) })
  const paid = <T extends Pick<PagePoint, 'costInput' | 'summaries'>>(point: T): T => ({
    ...point,
    ...{ costInput: share(point.costInput), summaries: share(point.summaries) },
  })
  const pointOf = <T extends PagePoint>(point: T): T => ({ ...paid(point), costSaved: share(point.costSaved) })
  return {
    ...page,
    unit: 'percent',
    inPercent: all,
    programs: page.programs.map((program): PageProgram => {
      // Of transcripts without a price amounts are no dollars.
      const ofCosts = program.unit === 'usd' ? share : (amount: number): number => amount
      return {
        ...program,
        unit: program.unit === 'usd' ? 'percent' : program.unit,
        spent: orNone(program.spent),
        paid: ofCosts(program.paid),
        points: program.points.map((point) => ({
          ...point,
          ...{ net: ofCosts(point.net), rereads: ofCosts(point.rereads) },
        })),
      }
    }),
    policies: page.policies.map((policy) => ({ ...policy, points: policy.points.map(pointOf) })),
    today: paid(today),
    unpruned: pointOf(unpruned),
    sessions: page.sessions.map((session): PageSession => {
      const { spent, costed, today, unprunedPaid, cells } = session
      // Of a session whose model has no price they are none, either, and are not shown.
      if (!costed) return { ...session, spent: orNone(spent) }
      const whole = (millionths: number): number => Math.round(share(millionths))
      return {
        ...session,
        spent: orNone(spent),
        today: { ...today, paid: whole(today.paid) },
        unprunedPaid: whole(unprunedPaid),
        cells: cells.map((cell) => ({ ...cell, paid: cell.paid.map(whole) })),
      }
    }),
    pictures: page.pictures.map((one): PagePicture => {
      if (one.picture.unit !== 'usd') return one
      const columns = (values: readonly number[]): number[] => values.map(share)
      return {
        ...one,
        picture: { ...one.picture, unit: 'percent' },
        runs: one.runs.map(
          (run): PictureRun => ({
            ...run,
            ...{ costInput: share(run.costInput), costSummaries: share(run.costSummaries) },
            cache: {
              ...run.cache,
              readCost: columns(run.cache.readCost),
              addedCost: columns(run.cache.addedCost),
              missedCost: columns(run.cache.missedCost),
            },
          }),
        ),
      }
    }),
    spending: spending && {
      total: { ...priced(spending.total), missed: priced(spending.total.missed) },
      parts: spending.parts.map(priced),
      results: spending.results.map(priced),
      causes: spending.causes.map(priced),
      misses: spending.misses.map(priced),
    },
    compactions: page.compactions.map(priced),
    bill: {
      ...bill,
      ...{ usd: 100, input: share(bill.input), output: share(bill.output), beside: share(bill.beside) },
    },
  }
}

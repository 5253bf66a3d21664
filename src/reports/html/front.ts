/**
 * What may be said of settings by what they cost and what they lose. What there is now stands among them: no setting is
 * called better than another that what there is beats.
 */
import type { PageProgram } from '../../model/page.ts'
import { grouped } from '../numbers.ts'

export interface Weighed {
  readonly cost: number
  readonly lost: number
}

/** The first costs and loses no more, and less of one. */
export const beats = (a: Weighed, b: Weighed): boolean =>
  a.cost <= b.cost && a.lost <= b.lost && (a.cost < b.cost || a.lost < b.lost)

/** Those that none of the others beats, the cheapest first. */
export function frontOf<T extends Weighed>(all: readonly T[]): T[] {
  const front: T[] = []
  for (const one of all.toSorted((a, b) => a.cost - b.cost || a.lost - b.lost)) {
    const last = front.at(-1)
    const isSame = last !== undefined && last.cost === one.cost && last.lost === one.lost
    if (last === undefined || one.lost < last.lost || isSame) front.push(one)
  }
  return front
}

/** What there is now: what it cost, and what the present setting would lose by the rules that hold for the others. */
export const presentOf = ({ paid, presentLost }: PageProgram): Weighed => ({ cost: paid, lost: presentLost })

/** How the settings compare with what there is, in one sentence that counts them. */
export function frontSentence(program: PageProgram): string {
  const present = presentOf(program)
  const fit = program.points.filter(({ fits }) => fits)
  if (fit.length === 0) return 'No setting was tried that makes no request fail.'
  const cheaper = fit.filter(({ net }) => net < present.cost)
  const safe = cheaper.filter(({ lost }) => lost <= present.lost)
  const all = fit.length === 1 ? 'The one setting that was tried' : `${grouped(fit.length)} settings`
  if (cheaper.length === 0) {
    return fit.length === 1
      ? `${all} costs as much as what you have, or more.`
      : `None of ${all} costs less than what you have.`
  }
  const isEach = cheaper.length === fit.length && fit.length > 1
  const which =
    fit.length === 1
      ? `${all} costs`
      : isEach
        ? `All ${all} cost`
        : cheaper.length === 1
          ? `Of ${all}, one costs`
          : `Of ${all}, ${grouped(cheaper.length)} cost`
  const each = cheaper.length === 1 ? 'it loses' : 'each of them loses'
  const losing =
    safe.length === 0
      ? `and ${each} more`
      : safe.length === cheaper.length
        ? `and ${each} no more`
        : `and ${grouped(safe.length)} of those ${safe.length === 1 ? 'loses' : 'lose'} no more`
  return `${which} less than what you have, ${losing}.`
}

/** What messages add to a request behind others, the slow, obvious way. */
import { shapes } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'

/**
 * Units that message `index` adds to a request that begins with message `from`.
 * @param before what such a request would end with in front of `from`; default nothing
 */
export function addedBy(
  trace: Trace,
  { of, joins }: Pick<Sizes, 'of' | 'joins'>,
  from: number,
  index: number,
  before = 0,
) {
  if (of(index) === 0) return 0
  const isAnswer = (shape: number) => (shape & shapes.role) === shapes.answer
  const inFront = Array.from({ length: index - from }, (_, offset) => from + offset)
    .filter((at) => of(at) !== 0)
    .map((at) => trace.shape(at) & ~shapes.continues)
  const ends = before === 0 ? inFront : [before, ...inFront]
  const other = ends.findLastIndex((shape) => !isAnswer(shape))
  const answers = ends.slice(other + 1)
  // Answers at the end are one: together they have what any of them has.
  const end = answers.length > 0 ? answers.reduce((all, one) => all | one) : (ends[other] ?? 0)
  return of(index) + joins(end, trace.shape(index))
}

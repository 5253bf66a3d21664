/** Which agents compact elsewhere from some day on than before, where that is clear. */
import { movedIn } from '../../measures/moved.ts'
import type { ThresholdMove } from '../../model/changed.ts'
import type { TranscriptHead } from '../../model/trace.ts'
import { programOf } from './candidates.ts'

/** A transcript that was compacted by its agent alone. */
export interface Compacted {
  readonly head: Pick<TranscriptHead, 'format' | 'model'>
  /** When its first response was recorded: milliseconds since the epoch, not finite where no time is. */
  readonly first: number
  /** Tokens of the window that was compacted; null where none was, or the user asked for it. */
  readonly trigger: number | null
}

/** By program and model, as each model has a window of its own; the one with most sessions first. */
export function thresholdMoves(all: readonly Compacted[]): ThresholdMove[] {
  const groups = new Map<
    string,
    { program: string | null; model: string | null; points: { time: number; tokens: number }[] }
  >()
  for (const { head, first, trigger } of all) {
    if (trigger === null || !Number.isFinite(first)) continue
    const { model } = head
    const program = programOf(head)
    const key = JSON.stringify([program, model])
    const group = groups.get(key) ?? { program, model, points: [] }
    group.points.push({ time: first, tokens: trigger })
    groups.set(key, group)
  }
  return [...groups.values()]
    .toSorted((a, b) => b.points.length - a.points.length)
    .flatMap(({ program, model, points }): ThresholdMove[] => {
      const moved = movedIn(points)
      if (moved === null) return []
      const { day, before, after } = moved
      return [
        {
          ...{ program, model },
          day: new Date(day).toISOString().slice(0, 10),
          ...{ tokensBefore: before.tokens, tokensAfter: after.tokens },
          ...{ sessionsBefore: before.sessions, sessionsAfter: after.sessions },
        },
      ]
    })
}

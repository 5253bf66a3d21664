/**
 * A driver beside the plain one (`replay.ts`), for a run that may never edit its window: measures wait until the first edit. A
 * run without one is that of every other policy that never edits, and where that is known nothing is measured at all. The law:
 * its figures are those of the plain driver.
 */
import type { Request } from '../measures/measure.ts'
import type { Trace } from '../model/trace.ts'
import { Fold, type Observer, type Replayed, type Settings } from './replay.ts'
import { Steps } from './step.ts'

/**
 * @param known the run of a policy that never edits, at this budget; null where nobody has replayed one
 * @param observers are shown the requests before the first edit at that edit, with the whole history as their window, or not at all
 */
export function replayFromFirstEdit(
  trace: Trace,
  settings: Settings,
  known: Replayed | null,
  observers: readonly Observer[] = [],
): Replayed {
  const steps = new Steps(trace, settings)
  const { window } = steps
  if (!window && known) return known
  const fold = new Fold(steps, settings, observers)
  const waiting: Request[] = []
  let isEdited = window === null
  for (const occasion of steps.occasions()) {
    if (!isEdited && window?.edits === 0) {
      if (occasion.kind === 'request') waiting.push({ ...occasion.request, sent: steps.history })
      continue
    }
    if (!isEdited) fold.takeUnedited(waiting)
    isEdited = true
    fold.take(occasion)
  }
  if (!isEdited && known) {
    return { ...known, exact: { ...known.exact, heedsBudget: window?.heedsBudget ?? false } }
  }
  if (!isEdited) fold.takeUnedited(waiting)
  return fold.result()
}

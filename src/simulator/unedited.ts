/**
 * A driver beside the plain one (`replay.ts`), for a run that may never edit its window: measures wait until the first
 * edit. A run without one is that of every other policy that never edits, and where that is known nothing is measured
 * at all. The law: its figures are those of the plain driver.
 */
import type { Request } from '../measures/measure.ts'
import type { Trace } from '../model/trace.ts'
import { Fold, type Observer, type Replayed, type Settings } from './replay.ts'
import { Steps } from './step.ts'

/**
 * @param known the run of a policy that never edits, at this budget; null if none was replayed yet
 * @param measures are shown the requests before the first edit at that edit, with the whole history as their window, or not at all
 *   where the run is the known one
 * @param observers the same, but always; those that can wait (see `Observer`)
 */
export function replayFromFirstEdit(
  trace: Trace,
  settings: Settings,
  known: Replayed | null,
  measures: readonly Observer[] = [],
  observers: readonly Observer[] = [],
): Replayed {
  const steps = new Steps(trace, settings)
  const { window } = steps
  if (!window && known && observers.length === 0) return known
  const fold = new Fold(steps, settings, [...measures, ...observers])
  const waiting: Request[] = []
  // A run that cannot edit needs no buffering, unless observers must see a known run.
  let isEdited = window === null && known === null
  for (const occasion of steps.occasions()) {
    if (!isEdited && (window === null || window.edits === 0)) {
      if (occasion.kind === 'request') waiting.push({ ...occasion.request, sent: steps.history })
      continue
    }
    if (!isEdited) fold.takeUnedited(waiting)
    isEdited = true
    fold.take(occasion)
  }
  if (isEdited) return fold.result()
  if (known === null) {
    fold.takeUnedited(waiting)
    return fold.result()
  }
  for (const observer of observers) {
    for (const request of waiting) observer.request?.(request, steps.history)
    observer.end?.(steps.sent)
  }
  return { ...known, exact: { ...known.exact, heedsBudget: window?.heedsBudget ?? false } }
}

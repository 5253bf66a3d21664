/** Replays a plan over many files and puts what it finds into a store, transcript by transcript. */
import { CtxwinError } from '../../base/errors.ts'
import type { Message } from '../../model/message.ts'
import type { StoredTranscript } from '../../model/stored.ts'
import type { Trace } from '../../model/trace.ts'
import type { Source } from '../../readers/lines/source.ts'
import { storedRun, storedTranscript } from '../../simulator/recorder.ts'
import type { OpenStore } from '../../tables/store.ts'
import { type KeyedRun, rowsOf, type TranscriptRows } from '../../tables/tables.ts'
import { type ReadSettings, readSources, type Unread } from '../files/read-sources.ts'
import { casesOf, cellsOf, type Plan } from '../plan.ts'

export interface ExportSettings extends Omit<ReadSettings, 'by' | 'keepMessages'> {
  /** The rows hold the messages' text. */
  readonly content?: boolean
  /** What the store has already is left as it is. */
  readonly resume?: boolean
}

/** How many were put into the store, and how many were there. */
export interface Exported {
  readonly transcripts: number
  readonly runs: number
  readonly present: number
}

interface Taken {
  readonly transcript: StoredTranscript
  readonly runs: readonly KeyedRun[]
}

/**
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 * @throws CtxwinError when the store cannot be written; what was put before stays
 */
export async function exportSources(
  sources: Iterable<Source>,
  plan: Plan,
  { content = false, resume = false, ...settings }: ExportSettings,
  store: OpenStore,
  unread?: Unread,
): Promise<Exported> {
  const take = (trace: Trace, copyOf: string | null): Taken[] => {
    const full = trace as Trace & { readonly messages: readonly Message[] }
    const runs = cellsOf(casesOf(full, plan), plan).map((cell) => {
      const { policy, facts, budget, budgetAsked } = cell
      const stored = storedRun(full, cell, content)
      const run = copyOf === null ? stored.run : { ...stored.run, copyOf }
      const key = [policy.plugin.name, policy.values, budgetAsked ?? budget, facts.estimator, facts.counted.label]
      return { key, stored: { ...stored, run } }
    })
    return [{ transcript: storedTranscript(full), runs }]
  }
  const [done, seen] = [{ transcripts: 0, runs: 0, present: 0 }, new Map<string, number>()]
  const how = { ...settings, keepMessages: true }
  for await (const { report, taken } of readSources(sources, plan, how, take, unread)) {
    for (const { transcript, runs } of taken) {
      const { file, conversation } = transcript.head
      const name = JSON.stringify([file, conversation])
      const nth = seen.get(name) ?? 0
      seen.set(name, nth + 1)
      const rows = rowsOf(transcript, nth, runs, report.damagedLines)
      if (resume && (await store.has?.(rows))) {
        done.present++
        continue
      }
      await put(store, rows, done.transcripts)
      done.transcripts++
      done.runs += runs.length
    }
  }
  // Where nothing was read, files that stand there stay as they are.
  if (done.transcripts > 0) await store.complete()
  return done
}

/** @param before how many transcripts were put before it */
async function put(store: OpenStore, rows: TranscriptRows, before: number): Promise<void> {
  try {
    await store.put(rows)
  } catch (error) {
    if (error instanceof CtxwinError && store.has && before > 0) {
      const words = before === 1 ? '1 transcript was' : `${before} transcripts were`
      error.details = [`${words} stored whole before: the same command with --resume goes on`]
    }
    throw error
  }
}

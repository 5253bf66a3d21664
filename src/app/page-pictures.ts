/**
 * The pictures of a page: of its dearest sessions, as many as there is room for. Their files are read once more, with their
 * text, as nobody knows before which sessions are the dearest.
 */
import type { Page, PagePicture } from '../model/page.ts'
import type { PictureRun } from '../model/session-picture.ts'
import type { Trace } from '../model/trace.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { Policy } from '../policies/policy.ts'
import { choose, type Plan } from '../simulator/plan.ts'
import { sessionPicture } from '../simulator/session-picture.ts'
import type { ReadFiles } from './analysis.ts'

/** How many there are at most, and how many characters they may have in all, but for the first. */
const most = 4
const room = 4_000_000

/** Columns of a picture: a request or several in each. */
const columns = 120

/** Where a session of the page is found. */
export interface PicturedSession {
  readonly file: string
  readonly conversation: string | null
}

/**
 * @param again reads these files once more
 * @param sessions in the order of the page
 * @param words whether first words, and names of files and tools, are in them
 */
export async function pagePictures(
  again: (files: ReadonlySet<string>) => ReadFiles,
  plan: Plan,
  sessions: readonly PicturedSession[],
  words: boolean,
): Promise<Page['pictures']> {
  const wanted = sessions.slice(0, most)
  const isOf = (trace: Trace) => (one: PicturedSession) =>
    one.file === trace.head.file && one.conversation === trace.head.conversation
  const files = again(new Set(wanted.map(({ file }) => file)))({
    plan,
    apart: true,
    reads: { keepMessages: true },
    measure(trace): PagePicture | null {
      const session = wanted.findIndex(isOf(trace))
      return session < 0 || trace.requests === 0 ? null : pictureOf(trace.whole, plan, session, words)
    },
    copied: (picture) => picture,
    start: (): PagePicture[] => [],
    add: (part, picture) => {
      if (picture) part.push(picture)
    },
  })
  const found: PagePicture[] = []
  for await (const { part } of files) for (const picture of part) found.push(picture)
  found.sort((a, b) => a.session - b.session)
  let taken = 0
  return found.filter((picture, at) => {
    taken += JSON.stringify(picture).length
    return at === 0 || taken <= room
  })
}

function pictureOf(trace: Trace, plan: Plan, session: number, words: boolean): PagePicture {
  const how = { columns, words }
  const [budget = 0] = plan.budgets
  const today = { ...plan, policies: [choose<Policy>(asRecorded)], budgets: [budget] }
  const { runs: own, ...picture } = sessionPicture(trace, today, how)
  const { runs: all } = sessionPicture(trace, plan, how)
  const runs = own.map(lighter)
  const known = new Map<string, number>()
  const of = plan.policies.map((_, policy) =>
    plan.budgets.map((_, nth) => {
      const run = lighter(all[policy * plan.budgets.length + nth] as PictureRun)
      const key = JSON.stringify({ ...run, budget: 0, budgetAsked: '' })
      const index = known.get(key) ?? runs.push(run) - 1
      known.set(key, index)
      return index
    }),
  )
  return { session, picture, runs, of }
}

/** With one example of what each arc stands for: the others are half of a picture. */
function lighter(run: PictureRun): PictureRun {
  return { ...run, arcs: run.arcs.map((arc) => ({ ...arc, examples: arc.examples.slice(0, 1) })) }
}

/**
 * The pictures of a page: of its dearest sessions, as many as there is room for. Their files are read once more, with their
 * text, as nobody knows before which sessions are the dearest.
 */
import { choose } from '../../base/chosen.ts'
import type { Message } from '../../model/message.ts'
import type { Page, PageMessage, PagePicture, TextKept } from '../../model/page.ts'
import type { PictureRun } from '../../model/session-picture.ts'
import type { Trace } from '../../model/trace.ts'
import asRecorded from '../../policies/as-recorded.ts'
import type { Policy } from '../../policies/policy.ts'
import { packed } from '../../reports/html/packed.ts'
import { packedPicture } from '../../reports/html/pictures.ts'
import type { Case } from '../../simulator/case.ts'
import { sessionPicture } from '../../simulator/session-picture.ts'
import type { Cell } from '../../simulator/simulate.ts'
import type { ReadFiles } from '../analysis.ts'
import { isAccepted } from '../answer/candidates.ts'
import { caseOf, cellsOf, keyOfTried, type Plan } from '../plan.ts'

/** How many there are at most, and how many characters of the page they may have in all, but for the first. */
const most = 4
const room = 700_000

/** Columns of a picture: a request or several in each. */
const columns = 120

/** Where a session of the page is found. */
export interface PicturedSession {
  readonly file: string
  readonly conversation: string | null
}

interface PictureSettings {
  readonly text: TextKept
  readonly onlyAvailable: boolean
}

/**
 * @param again reads these files once more
 * @param sessions in the order of the page
 * @param text of which messages are a part; without any, names of files and tools are none
 * @param onlyAvailable at a budget that its program does not accept, a policy leaves a session as it was recorded
 */
export async function pagePictures(
  again: (files: ReadonlySet<string>) => ReadFiles,
  plan: Plan,
  sessions: readonly PicturedSession[],
  { text, onlyAvailable }: PictureSettings,
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
      if (session < 0 || trace.requests === 0) return null
      const drawn = drawnOf(trace.whole, plan, { text, onlyAvailable })
      return { session, ...drawn, ...(text === 'full' && { messages: messagesOf(trace.whole) }) }
    },
    knows: ({ whole }) => text !== 'full' && whole.recalls(() => drawnOf(whole, plan, { text, onlyAvailable })),
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
  return found.filter(({ messages: _, ...picture }, at) => {
    taken += JSON.stringify(packedPicture(picture, packed)).length
    return at === 0 || taken <= room
  })
}

type Drawn = Pick<PagePicture, 'picture' | 'runs' | 'of'>

/** What is drawn of a session. It is kept beside its transcript: most of a second run was spent on it. */
function drawnOf(trace: Trace, plan: Plan, settings: PictureSettings): Drawn {
  const facts = caseOf(trace, plan)
  const tried = keyOfTried(plan, settings.onlyAvailable, settings.text !== 'none')
  return trace.memo(tried && `picture ${tried} ${facts.key}`, () => draw(facts, plan, settings))
}

function draw(facts: Case, plan: Plan, { text, onlyAvailable }: PictureSettings): Drawn {
  const [budget = 0] = plan.budgets
  const asItIs = { policy: choose<Policy>(asRecorded), facts, ...facts.ceiling(budget, asRecorded) }
  const ofPolicies = plan.policies.map((policy) => cellsOf([facts], { ...plan, policies: [policy] }))
  const isTried = (cell: Cell): boolean => !onlyAvailable || isAccepted(cell.policy, cell.budget)
  const tried = ofPolicies.flat().filter(isTried)
  const { runs: all, ...picture } = sessionPicture(facts, [asItIs, ...tried], { columns, words: text !== 'none' })
  const [own, ...others] = all.map(lighter) as [PictureRun, ...PictureRun[]]
  const runs = [own]
  const known = new Map<string, number>()
  const indexOf = (cell: Cell): number => {
    const run = others[tried.indexOf(cell)]
    // What its program does not accept leaves the session as it was.
    if (!run) return 0
    const key = JSON.stringify({ ...run, budget: 0, budgetAsked: '' })
    const index = known.get(key) ?? runs.push(run) - 1
    known.set(key, index)
    return index
  }
  const of = ofPolicies.map((cells) => cells.map(indexOf))
  return { picture, runs, of }
}

/** With one example of what each arc stands for: the others are half of a picture. */
function lighter(run: PictureRun): PictureRun {
  return { ...run, arcs: run.arcs.map((arc) => ({ ...arc, examples: arc.examples.slice(0, 1) })) }
}

/** What is shown of a message, in characters. */
const longest = 20_000

function messagesOf({ messages, redaction }: Trace): PageMessage[] {
  return (messages ?? []).map((message) => {
    const text = redaction.text(shownText(message))
    const { role, line } = message
    return { role, line, text: text.slice(0, longest), more: Math.max(0, text.length - longest) }
  })
}

/** All that can be read of a message. */
function shownText({ blocks }: Message): string {
  const texts = blocks.map((block) => {
    switch (block.type) {
      case 'text':
      case 'thinking':
        return block.text
      case 'call':
        return `${block.name} ${typeof block.input === 'string' ? block.input : JSON.stringify(block.input)}`
      case 'opaque':
        return '(reasoning that only the provider can read)'
      default:
        return `(${block.mediaType})`
    }
  })
  return texts.join('\n')
}

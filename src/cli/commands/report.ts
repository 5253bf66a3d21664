/** `report`: the page, one file that a browser shows. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CtxwinError } from '../../app/index.ts'
import { several } from '../../reports/numbers.ts'
import type { Call } from '../inputs/call.ts'
import { misuse } from '../inputs/misuse.ts'
import { planOf } from '../inputs/options.ts'
import { openSession } from '../inputs/session.ts'
import { openInBrowser } from '../output/browser.ts'
import { refuseLink } from '../output/whole-file.ts'
import { writePage } from './views/page-output.ts'

/** Where the page goes if nobody says. */
const usual = 'report.html'

export async function run(given: Call): Promise<number> {
  const { world } = given
  if (given.flags.text === false && given.flags.fullText === true) {
    throw misuse('--no-text and --full-text contradict each other: give one of them')
  }
  const isNamed = given.flags.outputFile !== undefined
  const file = isNamed ? String(given.flags.outputFile) : usual
  const call: Call = { ...given, flags: { ...given.flags, outputFile: file } }
  const session = await openSession(call)
  const path = resolve(world.cwd(), file)
  if (!isNamed) refuseOthers(path)
  const { code, page } = await writePage(call, session, await planOf(session, world), {
    text: call.flags.text === false ? 'none' : call.flags.fullText === true ? 'full' : 'words',
    usual: true,
  })
  if (page.transcripts === 0) return code
  const tried = `${several(page.policies.length, 'policy', 'policies')} at ${several(page.budgets.length, 'budget')}`
  world.note(`wrote ${file}: ${several(page.sessions.length, 'session')}, ${tried}`)
  if (call.flags.open === true) await openInBrowser(path, world)
  return code
}

/** A file that nobody named is overwritten only if it is a page of an earlier run, and no link. */
function refuseOthers(path: string): void {
  let text: string
  refuseLink(path, usual, 'name a file with -o')
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return
  }
  if (text.includes('content="ctxwin report"')) return
  throw new CtxwinError('unwritable', usual, 'it is there, and no report of ctxwin: name a file with -o')
}

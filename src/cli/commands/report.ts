/** `report`: the page, one file that a browser shows. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pageDocument, report, reportedPlan, several } from '../../app/door.ts'
import { CtxwinError } from '../../index.ts'
import { openInBrowser } from '../browser.ts'
import type { Call } from '../call.ts'
import { isDefault, planOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { inputsOf, openSession } from '../session.ts'
import { nextSteps } from './sessions.ts'

/** Where the page goes if nobody says. */
const usual = 'report.html'

export async function run(given: Call): Promise<number> {
  const { world } = given
  if (given.flags.text === false && given.flags.fullText === true) {
    throw new CtxwinError('usage', '--no-text and --full-text contradict each other: give one of them')
  }
  const isNamed = given.flags.outputFile !== undefined
  const file = isNamed ? String(given.flags.outputFile) : usual
  const call: Call = { ...given, flags: { ...given.flags, outputFile: file } }
  const session = await openSession(call)
  const path = resolve(world.cwd(), file)
  if (!isNamed) refuseOthers(path)
  const { settings, output } = session
  const plan = reportedPlan(await planOf(session, world), {
    usualPolicies: isDefault(settings, 'policy'),
    usualBudgets: isDefault(settings, 'budget'),
  })
  if (plan.budgets.length === 0) {
    throw new CtxwinError('usage', 'a report tries budgets: 0 prunes nothing, and is on the page anyway')
  }
  const reading = await Reading.of(call, settings, { always: true })
  const page = await report(reading.read, plan, {
    text: call.flags.text === false ? 'none' : call.flags.fullText === true ? 'full' : 'words',
    next: nextSteps(call, inputsOf(call, settings)),
    again: (files) => reading.again(files),
  })
  const code = reading.finish(page.transcripts)
  await output.write(pageDocument(builtPage(), page))
  const of = `${several(page.sessions.length, 'session')}, ${several(page.policies.length, 'policy').replace(/policys$/, 'policies')} at ${several(page.budgets.length, 'budget')}`
  world.note(`wrote ${file}: ${of}`)
  if (call.flags.open === true) await openInBrowser(path, world)
  return code
}

/** The page without data: beside the program, wherever it runs from. */
function builtPage(): string {
  return readFileSync(new URL('../../../dist/page.html', import.meta.url), 'utf8')
}

/** A file that nobody named is overwritten only if it is a page of an earlier run. */
function refuseOthers(path: string): void {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return
  }
  if (text.includes('content="ctxwin report"')) return
  throw new CtxwinError('unwritable', usual, 'it is there, and no report of ctxwin: name a file with -o')
}

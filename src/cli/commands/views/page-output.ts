/** The page that `report` writes, and other commands as `--output html`: of their transcripts, policies and budgets. */
import { readFileSync } from 'node:fs'
import type { Plan } from '../../../app/index.ts'
import { report, reportedPlan } from '../../../app/page/report.ts'
import type { Page } from '../../../model/page.ts'
import { pageDocument } from '../../../reports/html/document.ts'
import type { Call } from '../../inputs/call.ts'
import { misuse } from '../../inputs/misuse.ts'
import { isDefault, sessionsOf, valueFor } from '../../inputs/options.ts'
import { Reading } from '../../inputs/reading.ts'
import { inputsOf, type Session } from '../../inputs/session.ts'
import { nextSteps } from './next-steps.ts'

export interface PageOptions {
  readonly text?: Page['text']
  /** Without a named policy or budget, try the usual ones, and not those of the plan. */
  readonly usual?: boolean
  /** Without inputs, read only the newest session. */
  readonly newest?: boolean
}

/**
 * Reads the inputs and writes the page; none where nothing is found.
 * @returns the exit code, and what stands on the page
 * @throws CtxwinError for what cannot be a page
 */
export async function writePage(
  call: Call,
  session: Session,
  asked: Plan,
  { text = 'words', usual = false, newest = false }: PageOptions,
): Promise<{ readonly code: number; readonly page: Page }> {
  const { settings, output } = session
  if (call.parts) throw misuse('a page cannot be made from parts: name the transcripts')
  const usualPolicies = usual && isDefault(settings, 'policy')
  const plan = reportedPlan(asked, {
    usualPolicies,
    usualBudgets: usual && isDefault(settings, 'budget'),
  })
  if (plan.budgets.length === 0) {
    throw misuse('what is sent without a budget is on the page anyway: name a budget above 0')
  }
  const reading = await Reading.of(call, session, { always: usual, newest })
  const page = await report(reading.read, plan, {
    ...sessionsOf(settings),
    text,
    // What nobody named is tried where somebody can set it.
    onlyAvailable: usualPolicies,
    inShares: valueFor(settings, 'plan'),
    next: nextSteps(call, inputsOf(call, settings), reading.how.redaction),
    again: (files) => reading.again(files),
  })
  const code = reading.finish(page.transcripts)
  if (page.transcripts > 0) await output.write(pageDocument(builtPage('page'), page))
  return { code, page }
}

/** A page without data: beside the program, wherever it runs from. */
export function builtPage(name: 'page' | 'probe'): string {
  return readFileSync(new URL(`../../../../dist/${name}.html`, import.meta.url), 'utf8')
}

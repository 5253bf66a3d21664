/** What Claude Code tells its hooks and status line, the advice, and what they print. */

import { adviceOn } from '../../app/by-plan.ts'
import { type Advice, RunningSession } from '../../app/index.ts'
import { adviceLine } from '../../reports/advice.ts'
import { checkpointsOf } from '../inputs/caching.ts'
import type { Configuration } from '../inputs/config.ts'
import { misuse } from '../inputs/misuse.ts'
import { isDefault, planOf, readingOf } from '../inputs/options.ts'
import type { World } from '../output/world.ts'

export interface Told {
  /** The file of the session. */
  readonly transcript: string
  /** The model that the agent says it uses; null if it does not say. */
  readonly model: string | null
  /** A hook calls, and not the status line. */
  readonly isHook: boolean
}

/** @param onlyGrown see `AdviseSettings` */
export async function adviceOf(
  configuration: Configuration,
  world: Pick<World, 'env' | 'cwd' | 'note'>,
  { transcript, model }: Pick<Told, 'transcript' | 'model'>,
  now: number,
  onlyGrown = false,
): Promise<Advice> {
  const { settings } = configuration
  const plan = await planOf(configuration, world)
  // A model that the user named wins over the one that the agent reports.
  const asked = {
    ...plan,
    // What nobody named is the session's own.
    ...(isDefault(settings, 'policy') && { policies: [] }),
    ...(isDefault(settings, 'budget') && { budgets: [] }),
    model: plan.model ?? model,
    references: true,
  }
  const reading = await readingOf(configuration, world.cwd())
  const session = new RunningSession(transcript, asked, {
    ...reading,
    checkpoints: checkpointsOf(settings, world),
    onlyGrown,
  })
  // `session.advise` would also compute what a single line has no room for.
  return adviceOn((await session.read()).trace, asked, now)
}

/** @throws CtxwinError for what names no transcript */
export function toldBy(text: string): Told {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    input = null
  }
  const {
    transcript_path: transcript,
    model,
    hook_event_name: event,
  } = (input ?? {}) as Readonly<Record<string, unknown>>
  if (typeof transcript !== 'string') {
    throw misuse('--hook: standard input names no transcript_path, as Claude Code’s hooks and status lines do')
  }
  const id = typeof model === 'object' && model !== null && 'id' in model ? model.id : null
  const isHook = typeof event === 'string' && event !== 'Status'
  return { transcript, model: typeof id === 'string' ? id : null, isHook }
}

/**
 * The line itself for a status line, and a message for the user from a hook, which is silent while there is nothing to
 * do.
 */
export function answerTo({ isHook }: Told, advice: Advice): string {
  const line = adviceLine(advice)
  if (!isHook) return line
  return advice.verdict === 'cut' ? `${JSON.stringify({ systemMessage: `ctxwin: ${line.trim()}` })}\n` : ''
}

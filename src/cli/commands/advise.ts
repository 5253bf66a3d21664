/** `advise`: what the next cut of a running session would cost, now and later. For people, status lines and hooks. */
import { adviceLine, adviceText, printJson } from '../../app/door.ts'
import { type Advice, advise, CtxwinError, RunningSession } from '../../index.ts'
import { stopsOf } from '../caching.ts'
import type { Call } from '../call.ts'
import { runningFile } from '../following.ts'
import { planOf, readingOf, settingOf } from '../options.ts'
import { openSession, type Session } from '../session.ts'
import { adviceOutputs } from '../settings.ts'

export async function run(call: Call): Promise<number> {
  if (call.flags.hook === true) return hook(call)
  const session = await openSession(call)
  const { value: output, where } = settingOf(session.settings, 'output')
  if (!adviceOutputs.some((name) => name === output))
    throw new CtxwinError('bad-value', where, output, `one of ${adviceOutputs.join(', ')}`)
  const advice = await adviceOf(call, session, runningFile(call, session.settings), null)
  const text = {
    table: () => adviceText(advice),
    json: () => [printJson({ schemaVersion: 1, ...advice })],
    line: () => [adviceLine(advice)],
  }
  await session.output.write(text[output as (typeof adviceOutputs)[number]]())
  return 0
}

/** @param model that the agent says it uses, where nobody named another */
async function adviceOf(call: Call, session: Session, path: string, model: string | null): Promise<Advice> {
  const { world, flags } = call
  const { settings } = session
  const plan = await planOf(session, world)
  const asked = { ...plan, model: plan.model ?? model, references: true }
  const reading = await readingOf(settings, world.cwd())
  return advise(
    new RunningSession(path, asked, { ...reading, stops: stopsOf(settings, world) }),
    nowOf(flags.now, world.now()),
  )
}

/** @throws CtxwinError for what is no time */
function nowOf(word: unknown, clock: number): number {
  if (word === undefined) return clock
  const time = /^\d+$/.test(String(word)) ? Number(word) : Date.parse(String(word))
  if (Number.isNaN(time)) throw new CtxwinError('bad-value', '--now', word, 'a time such as 2026-11-22T09:30:00Z')
  return time
}

/**
 * What Claude Code hands to hooks and to its status line, and what it takes back: the line itself for a status line, and a
 * message for the user from a hook, which is silent while there is nothing to do. Whatever happens, the agent goes on: the
 * code is 0, as others would blank the line, show an error, or keep the agent from stopping.
 */
async function hook(call: Call): Promise<number> {
  try {
    const { transcript, model, isHook } = await inputOf(call)
    const session = await openSession(call)
    const advice = await adviceOf(call, session, transcript, model)
    const line = adviceLine(advice)
    if (!isHook) await session.output.write([line])
    else if (advice.verdict === 'cut') {
      await session.output.write([`${JSON.stringify({ systemMessage: `ctxwin: ${line.trim()}` })}\n`])
    }
  } catch (error) {
    call.world.say(error instanceof Error ? error.message : String(error))
  }
  return 0
}

async function inputOf({ world }: Call): Promise<{ transcript: string; model: string | null; isHook: boolean }> {
  let text = ''
  for await (const chunk of world.stdin) text += chunk
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
    throw new CtxwinError(
      'usage',
      '--hook: standard input names no transcript_path, as Claude Code’s hooks and status lines do',
    )
  }
  const id = typeof model === 'object' && model !== null && 'id' in model ? model.id : null
  const isHook = typeof event === 'string' && event !== 'Status'
  // `[1m]` is Claude Code's own mark for the long window.
  return { transcript, model: typeof id === 'string' ? id.replace(/\[.*\]$/, '') : null, isHook }
}

/** `advise`: what the next cut of a running session would cost, now and later. For people, status lines and hooks. */

import { CtxwinError } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import { adviceLine, adviceText } from '../../reports/advice.ts'
import { printJson } from '../../reports/json.ts'
import type { Call } from '../inputs/call.ts'
import { runningFile } from '../inputs/following.ts'
import { settingOf } from '../inputs/options.ts'
import { openSession } from '../inputs/session.ts'
import { adviceOutputs } from '../inputs/settings.ts'
import { bugReport } from '../output/bug.ts'
import { adviceOf, answerTo, toldBy } from './advising.ts'

export async function run(call: Call): Promise<number> {
  if (call.flags.hook === true) return hook(call)
  const session = await openSession(call)
  const { value, where } = settingOf(session.settings, 'output')
  const output = wordAmong(adviceOutputs, where, value)
  const transcript = runningFile(call, session)
  const advice = await adviceOf(
    session,
    call.world,
    { transcript, model: null },
    nowOf(call.flags.now, call.world.now()),
  )
  const text = {
    table: () => adviceText(advice, session.output),
    json: () => [printJson({ schemaVersion: 1, ...advice })],
    line: () => [adviceLine(advice)],
  }
  await session.output.write(text[output]())
  return 0
}

/** @throws CtxwinError for what is no time */
function nowOf(word: unknown, clock: number): number {
  if (word === undefined) return clock
  const time = /^\d+$/.test(String(word)) ? Number(word) : Date.parse(String(word))
  if (Number.isNaN(time)) throw new CtxwinError('bad-value', '--now', word, 'a time such as 2026-11-22T09:30:00Z')
  return time
}

/**
 * Whatever happens, the agent goes on: the code is 0, as others would blank the line, show an error, or keep the agent
 * from stopping.
 */
async function hook(call: Call): Promise<number> {
  try {
    const told = toldBy(await call.world.input())
    const session = await openSession(call)
    const advice = await adviceOf(session, call.world, told, nowOf(call.flags.now, call.world.now()))
    const answer = answerTo(told, advice)
    if (answer !== '') await session.output.write([answer])
  } catch (error) {
    call.world.say(error instanceof CtxwinError ? error.message : bugReport(error).sentence)
  }
  return 0
}

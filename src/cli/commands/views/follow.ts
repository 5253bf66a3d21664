/**
 * `--follow`: reads a session again whenever its file has grown. On a terminal a view is drawn anew; behind a pipe each
 * new request is a line. It goes on until it is interrupted, which is how it ends well.
 */
import { existsSync, watch } from 'node:fs'
import { CtxwinError, type Plan, RunningSession, simulate, type Trace } from '../../../app/index.ts'
import type { Redaction } from '../../../model/redaction.ts'
import { databaseIn } from '../../../readers/databases/index.ts'
import { grouped, ordinal } from '../../../reports/numbers.ts'
import { checkpointsOf } from '../../inputs/caching.ts'
import type { Call } from '../../inputs/call.ts'
import { redactError } from '../../inputs/failures.ts'
import { runningFile } from '../../inputs/following.ts'
import { readingOf } from '../../inputs/options.ts'
import { redactionOf } from '../../inputs/redacting.ts'
import type { Session } from '../../inputs/session.ts'
import type { Size } from '../../output/full-screen.ts'
import { firstOf, windowsOf } from './windows.ts'

/** Milliseconds between two looks at the file, for systems that report no changes (network drives). */
const pause = 1000

/** Draws a session on a terminal. */
type Draw = (trace: Trace, size: Size) => readonly string[]

/** @param draw null for the requests, a line each @param keepMessages it is drawn with the text of messages */
export async function follow(
  call: Call,
  session: Session,
  plan: Plan,
  draw: Draw | null,
  keepMessages = false,
): Promise<number> {
  const redaction = redactionOf(call, session.settings)
  const path = runningFile(call, session, redaction)
  try {
    return await followFile({ call, session, path, redaction, keepMessages }, plan, draw)
  } catch (error) {
    if (redaction) redactError(error, path, redaction)
    throw error
  }
}

interface Following {
  readonly call: Call
  readonly session: Session
  readonly path: string
  readonly redaction: Redaction | null
  readonly keepMessages: boolean
}

async function followFile(following: Following, plan: Plan, draw: Draw | null): Promise<number> {
  const { call, session, path, redaction, keepMessages } = following
  const { world } = call
  const reading = await readingOf(session, world.cwd())
  const one = firstOf(plan)
  // A kept trace holds words of the transcript, which redaction must not leave on disk.
  const checkpoints = redaction ? null : checkpointsOf(session.settings, world)
  const running = new RunningSession(path, one, { ...reading, keepMessages, checkpoints })
  if (!existsSync(databaseIn(path) ?? path)) throw new CtxwinError('unreadable', path, 'there is no such file')
  const { fullScreen } = world
  const isDrawn = session.output.isTerminal && fullScreen !== null
  if (!isDrawn) world.note(`the requests of ${windowsOf(one)}`)
  let trace: Trace | null = null
  let shown = -1
  let isRead = Promise.resolve()
  let failure: unknown = null
  const read = async (): Promise<void> => {
    const now = await running.read().catch((error: unknown) => {
      // A session that was just begun, or is being replaced.
      if (error instanceof CtxwinError && (error.code === 'no-transcript' || error.code === 'damaged')) return null
      throw error
    })
    if (!now || now.change === 'same') return
    trace = redaction ? now.trace.redacted(redaction) : now.trace
    if (isDrawn) return
    if (now.change === 'replaced') {
      world.note(`${redaction?.file(path) ?? path}: it was replaced by another; this begins anew`)
      shown = -1
    }
    const lines = requestLines(trace, one)
    const from = shown < 0 ? Math.max(0, lines.length - 1) : shown
    await session.output.write(lines.slice(from).map((line) => `${line}\n`))
    shown = lines.length
  }
  await read()
  const watched = watchFile(databaseIn(path) ?? path, (changed) => {
    isRead = isRead.then(read).then(changed, (error: unknown) => {
      failure ??= error
      watched.stop()
    })
  })
  if (isDrawn) {
    const lines = (size: Size) => {
      if (!trace) return ['Nothing has been said yet.']
      return draw ? draw(trace, size) : requestLines(trace, one).slice(-size.rows)
    }
    await fullScreen({
      lines,
      press: (key) => (key === 'q' || key === 'escape' ? 'leave' : 'stay'),
      watch: (redraw) => watched.tell(redraw),
    })
    watched.stop()
  }
  await watched.ended
  await isRead
  if (failure !== null) throw failure
  return 0
}

/** One line for each request: what the policy would have sent. */
function requestLines(trace: Trace, plan: Plan): string[] {
  const [run] = simulate(trace, plan, 'request')
  return (run?.rows ?? []).map(({ request, line, sentTokens, fullTokens, overBudgetRequests }) => {
    const over = overBudgetRequests > 0 ? ', over budget' : ''
    return `request ${ordinal(request)} (line ${line}): ${grouped(sentTokens)} of ${grouped(fullTokens)} tokens${over}`
  })
}

interface Watched {
  /** What else is to be done when the file was read. */
  tell(changed: () => void): void
  stop(): void
  /** Stopped, or interrupted. */
  readonly ended: Promise<void>
}

/** @param look told that the file may have changed, with what to call when that has been read */
function watchFile(path: string, look: (changed: () => void) => void): Watched {
  let changed = (): void => {}
  let stop = (): void => {}
  const ended = new Promise<void>((done) => {
    const again = (): void => look(() => changed())
    const timer = setInterval(again, pause)
    const watcher = watch(path, again).on('error', () => {})
    stop = () => {
      clearInterval(timer)
      watcher.close()
      process.off('SIGINT', stop)
      done()
    }
    process.once('SIGINT', stop)
  })
  return {
    tell: (told) => {
      changed = told
    },
    stop: () => stop(),
    ended,
  }
}

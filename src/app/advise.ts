/**
 * Advice on a session that is still running, for programs that run agents: when a cut is cheap, and what it would take.
 * Of a file that has grown since the last advice, only what was appended is read.
 */
import { choose } from '../base/chosen.ts'
import { door, type Options } from '../base/door.ts'
import { CtxwinError } from '../base/errors.ts'
import { number, optional, string, truth } from '../base/plain-shape.ts'
import auto from '../estimators/auto.ts'
import type { Advice } from '../model/advice.ts'
import type { Trace } from '../model/trace.ts'
import { adviceOn } from './by-plan.ts'
import { own, planOf, reading } from './doors.ts'
import { type Checkpoints, type FileChange, FollowedFile } from './files/follow.ts'
import type { ReadSettings } from './files/read-sources.ts'
import { keyOfWay } from './files/trace-cache.ts'
import { digestFor, ofItsSizes, type Plan, sizersFor } from './plan.ts'

export interface AdviseSettings extends Pick<ReadSettings, 'format' | 'column' | 'branches' | 'largestUnpacked'> {
  /** @internal The text of messages is wanted: the file is read whole each time. */
  readonly keepMessages?: boolean
  /** @internal Where other processes have stopped reading, and find where this one does. */
  readonly checkpoints?: Checkpoints | null
  /** @internal An error where another process has not stopped in the file as it was: it would have to be read whole. */
  readonly onlyGrown?: boolean
}

const { format, column, branches, largestUnpacked, keepMessages } = reading

const enterSettings = door('RunningSession', {
  ...{ format, column, branches, largestUnpacked, keepMessages },
  checkpoints: [own, ''],
  onlyGrown: [optional(truth), 'true or false'],
} satisfies Options<AdviseSettings>)
const enterPath = door('RunningSession', { path: [string, 'that of a file'] })
const enterNow = door('advise', { now: [number, 'milliseconds since the epoch'] })

/** What is advised where nothing is asked: how the session's own program compacts, at the window of its model. */
const usual: Plan = { policies: [], estimators: [choose(auto)], budgets: [], references: true }

/** The transcript of a session that is still running. */
export class RunningSession {
  readonly #path: string
  readonly #plan: Plan
  readonly #file: FollowedFile
  /** Replaced by what held no conversation yet: a program empties a file before it writes it anew. */
  #isReplaced = false

  /**
   * @param path of its file
   * @param asked its first policy, estimator and budget are those of the next cut. Without a policy it is the own one of
   *   the program that recorded the session, without a budget at the window of its model; so it is by default.
   */
  constructor(path: string, asked: Plan = usual, given: AdviseSettings = {}) {
    enterPath({ path })
    const plan = planOf(asked)
    const settings = enterSettings(given)
    const { checkpoints = null, onlyGrown = false } = settings
    const digest = digestFor(plan)
    const options = {
      format: settings.format ?? 'auto',
      column: settings.column ?? null,
      branches: settings.branches === true,
      ...(settings.largestUnpacked !== undefined && { largestUnpacked: settings.largestUnpacked }),
      sizersFor: sizersFor(plan),
      ofItsSizes: ofItsSizes(plan),
      digestFor: digest.of,
      keepMessages:
        settings.keepMessages === true || plan.policies.some(({ plugin }) => plugin.text && !plugin.withoutText),
    }
    const way = keyOfWay({ plan, digest, options })
    this.#path = path
    this.#plan = plan
    this.#file = new FollowedFile(path, options, checkpoints && way !== null ? { checkpoints, way } : null, onlyGrown)
  }

  /**
   * Reads what was appended since the last time.
   * @returns the session itself, not one of its sub-agents; of several in a file the one that was active last
   * @throws CtxwinError when the file cannot be read or holds no transcript
   */
  async read(): Promise<{ readonly trace: Trace; readonly change: FileChange; readonly bytes: number }> {
    const { traces, change, bytes } = await this.#file.read()
    const own = traces.filter(({ head }) => head.parent === null || head.forkMessage !== null)
    const trace = (own.length > 0 ? own : traces).reduce<Trace | null>(
      (latest, one) => (latest === null || lastTime(one) >= lastTime(latest) ? one : latest),
      null,
    )
    const isReplaced = this.#isReplaced || change === 'replaced'
    this.#isReplaced = isReplaced && trace === null
    if (trace === null) throw new CtxwinError('no-transcript', this.#path, 'it has no message of a conversation yet')
    return { trace, change: isReplaced ? 'replaced' : change, bytes }
  }

  /**
   * What to do about the next cut, with all that the file holds by now.
   * @param now milliseconds since the epoch; default: the system's clock
   * @throws CtxwinError when the file cannot be read or holds no transcript, and for a policy that has no next cut
   */
  async advise(now: number = Date.now()): Promise<Advice> {
    const { trace } = await this.read()
    const advice = adviceOn(trace, this.#plan, now)
    // Getters become plain data here: a program that prints the advice would show `[Getter]`.
    return { ...advice, cut: advice.cut && { ...advice.cut } }
  }
}

function lastTime(trace: Trace): number {
  const time = trace.requests === 0 ? Number.NaN : trace.requestTime(trace.requests - 1)
  return Number.isNaN(time) ? -Infinity : time
}

/**
 * What the next cut of a running session would cost now and later.
 * @param session the path of its transcript, or a `RunningSession` that was asked before, which reads only what is new
 * @throws CtxwinError as `RunningSession.advise`
 */
export async function advise(session: string | RunningSession, now: number = Date.now()): Promise<Advice> {
  enterNow({ now })
  const running = typeof Object(session).advise === 'function' ? (session as RunningSession) : null
  return (running ?? new RunningSession(session as string)).advise(now)
}

/**
 * Asks a model about the requests of a plan: session by session in their order, so that what a session's requests begin with stays in
 * the provider's cache, and a few sessions at once.
 */
import type { Message } from '../../model/message.ts'
import type { Answer } from '../../model/probe.ts'
import { type AskedProbe, noSummary } from '../../model/probed.ts'
import { type Body, marked, type ReadyProbe, type ReadySession } from './bodies.ts'

/** Who answers: a model, or a journal of what it has answered. */
export interface Respondent {
  /**
   * @param asking which of several askings of the same body
   * @param sent what goes out, if that is more than the body
   * @returns why, in words that hold none of the transcript, where nothing usable came back
   */
  ask(kind: 'answer' | 'summary', asking: string, body: Body, sent: Body): Promise<Given | Failure>
}

interface Given {
  readonly key: string
  readonly answer: Answer
}

interface Failure {
  readonly failed: string
}

export interface RunSettings {
  readonly respondent: Respondent
  /** Bodies get marks for Anthropic's prompt cache. */
  readonly marks: boolean
  /** Makes what leaves this machine of the bodies of one session. */
  cleaning(): (body: Body) => Body
  /** Asked before each request: whether somebody wants what there is so far. */
  isEnough(): Promise<boolean>
  /** Told when a request has been asked about. */
  done(probe: AskedProbe): void
  /** Told when nothing usable came back for one of its arms: the others are not asked then. */
  failed(probe: ReadyProbe, reason: string): void
}

const sessionsAtOnce = 4

/** @throws what the respondent throws, once the requests that are under way have come back */
export async function runProbes(sessions: AsyncIterable<ReadySession>, settings: RunSettings): Promise<void> {
  let stop: { readonly error: unknown } | null = null
  const underWay = new Set<Promise<void>>()
  for await (const session of sessions) {
    if (stop || (await settings.isEnough())) break
    const run = runSession(session, settings, () => stop !== null)
      .catch((error: unknown) => {
        stop ??= { error }
      })
      .finally(() => underWay.delete(run))
    underWay.add(run)
    if (underWay.size >= sessionsAtOnce) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  if (stop) throw (stop as { readonly error: unknown }).error
}

async function runSession(session: ReadySession, settings: RunSettings, isStopped: () => boolean): Promise<void> {
  const clean = settings.cleaning()
  const written = new Map<Message, string>()
  const asker = new Asker(settings, isStopped)
  for (const probe of session.probes) {
    const keys = await askAbout(probe, written, asker, clean)
    if (keys === null) return
    if ('failed' in keys) settings.failed(probe, keys.failed)
    else settings.done({ ...probe.about, keys })
  }
}

/** @returns where the answers stand; null where it is enough */
async function askAbout(
  probe: ReadyProbe,
  written: Map<Message, string>,
  asker: Asker,
  clean: (body: Body) => Body,
): Promise<AskedProbe['keys'] | Failure | null> {
  const full = clean(probe.full())
  for (const placeholder of probe.placeholders) {
    if (written.has(placeholder)) continue
    const given = await summaryOf((mayCall) => clean(probe.summary(placeholder, written, mayCall)), asker)
    if (given === null || typeof given !== 'string') return given
    written.set(placeholder, given)
  }
  const policy = clean(probe.policy(written))
  const keys: string[] = []
  for (const [arm, body] of [
    ['full', full],
    ['policy', policy],
  ] as const) {
    for (const asking of ['first', 'again']) {
      const given = await asker.ask('answer', asking, body, arm)
      if (given === null || 'failed' in given) return given
      keys.push(given.key)
    }
    asker.before.set(arm, body)
  }
  return keys as [string, string, string, string]
}

/** A model may call a tool where it is asked for a summary. It is asked again, and may not. */
const summaryTries = [
  { asking: 'first', mayCall: true },
  { asking: 'again', mayCall: false },
]

/** Requests that a summary takes at most. */
export const mostSummaryTries = summaryTries.length

/** @returns null where it is enough */
async function summaryOf(bodyOf: (mayCall: boolean) => Body, asker: Asker): Promise<string | Failure | null> {
  for (const { asking, mayCall } of summaryTries) {
    const given = await asker.ask('summary', asking, bodyOf(mayCall), null)
    if (given === null || 'failed' in given) return given
    const text = given.answer.action.text.trim()
    if (text !== '') return text
  }
  return { failed: noSummary }
}

/** Asks one after the other, until it is enough. */
class Asker {
  /** By arm: what was asked last. */
  readonly before = new Map<string, Body>()
  readonly #settings: RunSettings
  readonly #isStopped: () => boolean

  constructor(settings: RunSettings, isStopped: () => boolean) {
    this.#settings = settings
    this.#isStopped = isStopped
  }

  /** @returns null where it is enough */
  async ask(kind: 'answer' | 'summary', asking: string, body: Body, arm: string | null) {
    const { respondent, marks, isEnough } = this.#settings
    if (this.#isStopped() || (await isEnough())) return null
    const sent = marks && arm !== null ? marked(body, this.before.get(arm) ?? null) : body
    return respondent.ask(kind, asking, body, sent)
  }
}

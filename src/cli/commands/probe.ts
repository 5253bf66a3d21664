/**
 * `probe`: asks a model whether it would have done the same with a policy's window as with the one that the agent had.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CtxwinError, openFile, type Preamble, readTraces } from '../../app/index.ts'
import { type ReadySession, readySessions } from '../../app/probe/bodies.ts'
import { dollarsOf, ProbePrices } from '../../app/probe/dollars.ts'
import { planProbes } from '../../app/probe/plan.ts'
import { mostSummaryTries, runProbes } from '../../app/probe/run.ts'
import { openJournal, readEntries } from '../../cache/journal.ts'
import { Questions } from '../../clients/ask.ts'
import { Asked } from '../../clients/asked.ts'
import { Completer } from '../../clients/complete.ts'
import { billion, type Entries, hashOf, type Journal } from '../../clients/journal.ts'
import { PurseEmpty } from '../../clients/purse.ts'
import { Secrets } from '../../clients/secrets.ts'
import type { PlannedSession, ProbeResult } from '../../model/probe-result.ts'
import { type CountedBodies, noSummary, type ProbePlan, type SessionPlan } from '../../model/probed.ts'
import { builtinModels } from '../../models/lookup.ts'
import { probeDocument } from '../../reports/html/document.ts'
import { money, several } from '../../reports/numbers.ts'
import { planSheet, probeSheet } from '../../reports/probe.ts'
import type { Call } from '../inputs/call.ts'
import { maySay } from '../inputs/consumers.ts'
import { heedInterrupt } from '../inputs/interrupt.ts'
import { misuse } from '../inputs/misuse.ts'
import { readText } from '../inputs/named-file.ts'
import { planOf, reportOrPage, settingOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'
import { isAllowed } from './probing/consent.ts'
import { type ProbeFlags, probeFlags } from './probing/flags.ts'
import { answeredIn, pilotIn, resultIn, resultOf } from './probing/from-journal.ts'
import { builtPage } from './views/page-output.ts'

/** The exit code of a program that Ctrl-C has ended. */
const interrupted = 130

export async function run(call: Call): Promise<number> {
  const { world } = call
  const session = await openSession(call)
  const { settings, output } = session
  const report = reportOrPage(settings)
  const flags = probeFlags(call.flags)
  const plan = await planOf(session, world)
  if (plan.policies.length !== 1 || plan.budgets.length !== 1) throw misuse('a probe is of one policy and one budget')
  const configured = plan.prices ?? builtinModels
  const list = maySay(settingOf(settings, 'prices').origin, 'purse') ? configured : builtinModels
  const prices = ProbePrices.of(flags.model, flags.api, list, configured)
  const sends = flags.endpoint !== null && (!flags.dryRun || flags.count)
  if (!flags.dryRun) refuseBlind(flags, prices)
  if (flags.count && flags.endpoint === null) throw misuse('--count asks the API to count: name it with --endpoint')
  const preamble = flags.preambleFrom === null ? null : await preambleIn(flags.preambleFrom, world.cwd())
  const summaryPrompt =
    flags.summaryPrompt === null ? null : readText(resolve(world.cwd(), flags.summaryPrompt), flags.summaryPrompt)
  const reading = await Reading.of(call, session)
  const { plan: planned, diagnostics } = await planProbes(reading.read, plan, { ...flags, preamble })
  const code = reading.finish(planned.transcripts)
  if (planned.transcripts === 0) return code
  if (reading.how.redaction && planned.sessions.some(({ summaries }) => summaries.length > 0))
    throw misuse(
      'a model cannot write a summary of pseudonyms: probe a policy that writes none, or go without --redact',
    )
  const files = new Set(planned.sessions.map(({ file }) => file))
  const ready = () =>
    readySessions(reading.again(files), plan, planned.sessions, {
      api: flags.api,
      model: flags.model,
      isOwnServer: (flags.endpoint?.url ?? null) !== null,
      preamble,
      ...(summaryPrompt !== null && { summaryPrompt }),
    })
  const write = (result: ProbeResult) =>
    output.write(
      report
        ? result.dryRun
          ? report.sheet(planSheet(result, report.forPeople === true), output.looks)
          : report.sheet(probeSheet(result, report.forPeople === true), output.looks)
        : probeDocument(builtPage('probe'), result),
    )
  const { sessions: plannedSessions, ...about } = planned
  const path = resolve(world.cwd(), flags.journal)
  const earlier = existsSync(path) ? readEntries(path) : null
  const before: ProbeResult = {
    ...resultOf(about, [], earlier === null ? [] : pilotIn(earlier, about)),
    dryRun: true,
    preambles: preamblesOf(plannedSessions),
    estimated: dollarsOf(plannedSessions, prices),
    sessions: plannedSessions.map((session) => plannedOf(session, prices)),
    diagnostics,
  }
  if (!sends || planned.planned === 0) {
    await write(before)
    return code
  }
  return send({
    call,
    flags,
    prices,
    planned,
    before,
    path,
    earlier,
    given: [summaryPrompt, preamble],
    ready,
    write,
    code,
  })
}

interface Sending {
  readonly call: Call
  readonly flags: ProbeFlags
  readonly prices: ProbePrices | null
  readonly planned: ProbePlan
  /** What is known before anything is sent. */
  readonly before: ProbeResult
  /** Of the journal, and what it has. */
  readonly path: string
  readonly earlier: Entries | null
  /** What else belongs to the key of the plan. */
  readonly given: readonly unknown[]
  readonly ready: () => AsyncIterable<ReadySession>
  readonly write: (result: ProbeResult) => Promise<void>
  /** The exit code of the reading. */
  readonly code: number
}

/** Asks what a journal has not answered yet, if the user agrees. @returns the exit code */
async function send(sending: Sending): Promise<number> {
  const { call, flags, prices, planned, before, path, earlier, given, ready, write, code } = sending
  const { world } = call
  const { sessions: _, ...about } = planned
  const { api, endpoint } = flags
  const completer = new Completer({
    api,
    env: world.env,
    ...(endpoint?.url != null && { baseUrl: endpoint.url }),
    ...(flags.stream !== null && { stream: flags.stream }),
  })
  const key = hashOf([planned, completer.baseUrl, ...given])
  const isAnswered = !flags.dryRun && earlier !== null && isWhole(earlier, key)
  if (!isAnswered) await completer.prepare()
  const isYes =
    flags.yes ||
    isAnswered ||
    (await isAllowed(world, hashOf([key, flags.dryRun]), () => leavingOf(planned, flags, completer.baseUrl, ready())))
  if (!isYes) {
    world.say('nothing was sent')
    return 2
  }
  const journal = openJournal(path)
  try {
    tellOf(journal, world.note)
    if (flags.dryRun) {
      await write({ ...before, counted: await countBodies(ready(), new Questions(completer, api, journal), call) })
      return code
    }
    journal.keep('plan', key, about)
    const questions = new Questions(completer, api, journal, key)
    const asked = new Asked({
      questions,
      prices,
      spent: journal.cost + journal.lostCost,
      maxDollars: flags.dollars,
      maxRequests: flags.requests,
    })
    const end = await ask(ready(), { asked, journal, key, marks: api === 'anthropic', planned }, call)
    const result: ProbeResult = {
      ...resultIn(journal, flags.journal, key),
      estimated: before.estimated,
      diagnostics: before.diagnostics,
    }
    await write(result)
    if (end.error) throw end.error
    if (end.isInterrupted) return interrupted
    return Math.max(code, isLacking(result) ? 2 : 0)
  } finally {
    journal.close()
  }
}

/** Whether all of a plan is answered, so that nothing has to be sent. */
function isWhole(entries: Entries, plan: string): boolean {
  const about = entries.find('plan', plan)
  return about !== undefined && answeredIn(entries, plan).length === about.planned
}

/** Some requests brought no answer, or what may be spent was too little for a single one. */
function isLacking({ probes, failed }: ProbeResult): boolean {
  return failed.requests > 0 || probes === 0
}

/** @throws CtxwinError for what would be sent nowhere, or cost anything */
function refuseBlind({ endpoint, dollars, requests, model }: ProbeFlags, prices: ProbePrices | null): void {
  if (endpoint === null)
    throw misuse(
      'nothing is sent without --endpoint: anthropic, openai, or the address of a server of yours; --dry-run says what would be',
    )
  if (prices !== null && dollars === null) throw misuse('what may it cost at most? Say so with --max-usd')
  if (prices === null && requests === null)
    throw misuse(
      `no price of ${model} is known, so --max-usd could not hold: limit it with --max-requests (or give its price with --prices)`,
    )
}

/** What stands in front of the conversation of a request that was captured. */
async function preambleIn(file: string, cwd: string): Promise<Preamble> {
  for await (const { preamble } of readTraces([openFile(resolve(cwd, file))])) {
    if (preamble.system.length > 0 || preamble.tools !== undefined) return preamble
  }
  throw new CtxwinError('unreadable', file, 'it is no request with a system prompt or tools')
}

function plannedOf(session: SessionPlan, prices: ProbePrices | null): PlannedSession {
  const { key: _, drawing: __, ...shown } = session
  return { ...shown, estimated: dollarsOf([session], prices) }
}

function preamblesOf(sessions: readonly SessionPlan[]): ProbeResult['preambles'] {
  const count = (kind: SessionPlan['preamble']) => sessions.filter(({ preamble }) => preamble === kind).length
  return { recorded: count('recorded'), given: count('given'), rebuilt: count('rebuilt'), none: count('none') }
}

async function leavingOf(plan: ProbePlan, { model }: ProbeFlags, url: string, ready: AsyncIterable<ReadySession>) {
  const summaries = plan.sessions.flatMap((session) => session.summaries)
  const tokens = plan.sessions
    .flatMap(({ probes }) => probes)
    .reduce((all, { fullTokens, policyTokens }) => all + 2 * (fullTokens + policyTokens), 0)
  let body: Readonly<Record<string, unknown>> = {}
  for await (const { probes } of ready) {
    body = new Secrets().replaceIn(probes[0]?.full() ?? {})
    break
  }
  const read = summaries.reduce((all, { readTokens }) => all + readTokens, 0)
  return {
    url,
    model,
    body,
    requests: 4 * plan.planned + mostSummaryTries * summaries.length,
    tokens: Math.round(tokens + read),
  }
}

function tellOf({ damaged, allLost }: Journal, note: (sentence: string) => void): void {
  if (damaged.length > 0) note(`${several(damaged.length, 'line')} of the journal cannot be read and count for nothing`)
  if (allLost > 0)
    note(
      `${several(allLost, 'request')} of earlier runs went out and brought no answer: the dollars that are left count as if all were billed`,
    )
}

interface Asking {
  readonly asked: Asked
  readonly journal: Journal
  /** Of the plan. */
  readonly key: string
  readonly marks: boolean
  readonly planned: ProbePlan
}

async function ask(
  sessions: AsyncIterable<ReadySession>,
  { asked, journal, key, marks, planned }: Asking,
  { world }: Call,
): Promise<{ readonly isInterrupted: boolean; readonly error: unknown }> {
  const waits = 'stopping after the requests under way; Ctrl-C again stops at once, and they are asked for again'
  const interrupt = heedInterrupt(() => world.say(waits))
  let isInterrupted = false
  let [done, failed, final] = [0, 0, 0]
  const keyOf = (session: string, request: number) => hashOf([key, session, request])
  let error: unknown = null
  try {
    await runProbes(sessions, {
      respondent: asked,
      marks,
      cleaning: () => {
        const secrets = new Secrets()
        return (body) => secrets.replaceIn(body)
      },
      isEnough: async () => {
        isInterrupted ||= await interrupt.isAsked()
        return isInterrupted
      },
      done(probe) {
        const own = keyOf(probe.session, probe.request)
        if (journal.find('probe', own) === undefined) {
          journal.keep('probe', own, {
            ...probe,
            ...new Secrets().replaceIn({ recorded: probe.recorded, used: probe.used }),
            plan: key,
          })
        }
        world.status?.(`asked about ${++done} of ${several(planned.planned, 'request')}`)
      },
      failed({ about: { session, request } }, reason) {
        if (reason === noSummary) final++
        else failed++
        const own = keyOf(session, request)
        if (journal.find('failed', own)?.reason === reason) return
        journal.keep('failed', own, { plan: key, session, request, reason })
      },
    })
  } catch (thrown) {
    if (!(thrown instanceof PurseEmpty)) error = thrown
    else world.say(emptyWords(thrown, done))
  } finally {
    interrupt[Symbol.dispose]()
    world.status?.('')
  }
  if (failed > 0) world.say(`${several(failed, 'request')} brought no usable answer: the same command asks again`)
  if (final > 0)
    world.say(`${several(final, 'request')} cannot be asked about: the model wrote no summary in two tries`)
  if (isInterrupted) world.say('stopped: the same command goes on from here')
  return { isInterrupted, error }
}

function emptyWords({ worst }: PurseEmpty, done: number): string {
  const next = worst === 0 ? '' : ` (the next request could cost up to $${money(worst / billion)})`
  const before = done === 0 ? ' before any request has all four answers' : ''
  return `what may be spent is used up${before}${next}: with more of it, the same command goes on from here`
}

/** Estimated sizes of the bodies, against what the API counts, or has counted as the journal says. */
async function countBodies(
  sessions: AsyncIterable<ReadySession>,
  questions: Questions,
  { world }: Call,
): Promise<CountedBodies[]> {
  const sums = new Map<'full' | 'policy', { bodies: number; estimated: number; counted: number; percents: number }>()
  for await (const { probes } of sessions) {
    const secrets = new Secrets()
    for (const probe of probes) {
      for (const window of ['full', 'policy'] as const) {
        const body = window === 'full' ? probe.full() : probe.policy(new Map())
        const counted = await questions.count(secrets.replaceIn(body))
        if (counted === null) throw misuse('this API counts no tokens: go without --count')
        const sum = sums.get(window) ?? { bodies: 0, estimated: 0, counted: 0, percents: 0 }
        sums.set(window, sum)
        sum.bodies++
        sum.estimated += probe.tokens[window]
        sum.counted += counted
        sum.percents += counted === 0 ? 0 : (100 * Math.abs(probe.tokens[window] - counted)) / counted
        world.status?.(`counted ${several(sum.bodies, 'body', 'bodies')}`)
      }
    }
  }
  world.status?.('')
  return [...sums].map(([window, { bodies, estimated, counted, percents }]) => ({
    window,
    bodies,
    estimated: Math.round(estimated),
    counted,
    meanAbsolutePercent: percents / bodies,
  }))
}

/**
 * One file, one answer: whatever command shows a figure of the same transcripts, it is the same figure. `shared` lists them, with
 * where each command has them; a command that comes to show one of them gets an entry here.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Decision } from '../../src/model/recommendation.ts'
import { decisionWords } from '../../src/reports/decision.ts'
import { claudeSession } from '../app/bill/claude-session.ts'
import { runCli } from './run.ts'

// biome-ignore lint/suspicious/noExplicitAny: the JSON of nine commands, of which each entry below knows its part
type Data = any

const home = mkdtempSync(join(tmpdir(), 'ctxwin-one-answer-'))
afterAll(() => rmSync(home, { recursive: true }))

/** What to set is decided on the last sessions, unless somebody chooses them: these are all. */
const all = ['--last', '1000']

/** Command lines, of which each gives data. */
const commands = {
  overview: [...all, '--json'],
  sessions: ['sessions', '--full', '--json'],
  spend: ['spend', '--json'],
  recommend: ['recommend', ...all, '--json'],
  simulate: ['simulate', '--policy', 'as-recorded', '--json'],
  check: ['check', '--reporter', 'json', '--assert', 'maxPeakTokens=1'],
  report: ['report', ...all, '--output-file', join(home, 'page.html')],
} as const
type Command = keyof typeof commands

const sumOf = <T>(list: readonly T[], figure: (one: T) => number | null | undefined): number =>
  list.reduce((sum, one) => sum + (figure(one) ?? 0), 0)
const priced = ({ decisions }: Data) => decisions.filter(({ unit }: Decision) => unit === 'usd')

/** A decision as other commands have it: they are not asked for all figures. */
const withoutTotals = (decision: Data): Data =>
  JSON.parse(
    JSON.stringify(decision, (key, value) => (key === 'total' && typeof value === 'object' ? undefined : value)),
  )

/** Every figure that two commands show. */
const shared: Readonly<Record<string, Partial<Record<Command, (data: Data) => unknown>>>> = {
  'what was spent': {
    overview: ({ totals }) => totals.spent.usd,
    sessions: ({ total }) => total.usd,
    spend: ({ total }) => total.usd,
    recommend: ({ decisions }) => sumOf(decisions, ({ bill }: Decision) => bill?.usd),
    simulate: ({ totals: [total] }) => total.spent.usd,
    report: ({ bill }) => bill.usd,
  },
  'what was spent, session by session': {
    overview: ({ sessions }) => sumOf(sessions, ({ spent }: Data) => spent),
    sessions: ({ sessions }) => sumOf(sessions, ({ usd }: Data) => usd),
    spend: ({ sessions }) => sumOf(sessions, ({ usd }: Data) => usd),
    report: ({ sessions }) => sumOf(sessions, ({ spent }: Data) => spent),
  },
  'what was spent, by each table of spend': {
    spend: ({ total }) => total.usd,
    ...Object.fromEntries(
      (['projects', 'models', 'days', 'kinds', 'parts', 'tools'] as const).map((list) => [
        list,
        (data: Data) => sumOf(data[list], ({ usd }: Data) => usd),
      ]),
    ),
  },
  'billed input': {
    overview: ({ totals }) => totals.spent.input,
    spend: ({ total }) => total.billed.input,
    sessions: ({ total }) => total.billed.input,
    recommend: ({ decisions }) => sumOf(decisions, ({ bill }: Decision) => bill?.input),
    simulate: ({ totals: [total] }) => total.spent.input,
    report: ({ bill }) => bill.input,
  },
  'calls outside the conversation': {
    overview: ({ totals }) => totals.spent.beside,
    spend: ({ total }) => total.billed.beside,
    recommend: ({ decisions }) => sumOf(decisions, ({ bill }: Decision) => bill?.beside),
    simulate: ({ totals: [total] }) => total.spent.beside,
    report: ({ bill }) => bill.beside,
  },
  requests: {
    overview: ({ totals }) => totals.requests,
    spend: ({ total }) => total.allRequests,
    sessions: ({ total }) => total.allRequests,
    recommend: ({ decisions }) => sumOf(decisions, ({ requests }: Decision) => requests),
    simulate: ({ runs }) => sumOf(runs, (run: Data) => (run.copyOf === undefined ? run.requests : 0)),
    report: ({ requests }) => requests,
  },
  'transcripts with a price': {
    recommend: (data) => sumOf(priced(data), ({ costed }: Decision) => costed),
    simulate: ({ totals: [total] }) => total.cost.transcripts,
    report: ({ costed }) => costed,
  },
  "today's input, modelled, with summaries": {
    overview: ({ totals: { today } }) => today.costInput + today.summaries,
    recommend: (data) => sumOf(priced(data), ({ baseline }: Decision) => baseline.paid),
    simulate: ({ totals: [total] }) => total.cost.paid,
    report: ({ today }) => today.costInput + today.summaries,
  },
  'the unpruned history': {
    overview: ({ totals: { unpruned } }) => unpruned.costInput,
    simulate: ({ totals: [total] }) => total.cost.inputFull,
    report: ({ unpruned }) => unpruned.costInput + unpruned.summaries,
  },
  'tokens that were sent': {
    recommend: (data) => sumOf(data.decisions, ({ baseline }: Decision) => baseline.total.sentTokens),
    overview: ({ totals: { today } }) => today.sentTokens,
    simulate: ({ totals: [total] }) => total.sentTokens,
    report: ({ today }) => today.sentTokens,
  },
  'later uses of content lost today': {
    recommend: ({ decisions }) => sumOf(decisions, ({ baseline }: Decision) => baseline.losses.lost),
    simulate: ({ totals: [total] }) => total.today.headlineLost,
    report: ({ today }) => today.lost,
  },
  'the largest request': {
    recommend: ({ decisions }) => Math.max(...decisions.map(({ baseline }: Decision) => baseline.total.peakTokens)),
    simulate: ({ runs }) => runs.reduce((most: number, run: Data) => Math.max(most, run.peakTokens), 0),
    check: ({ outcomes }) => outcomes.reduce((most: number, { actual }: Data) => Math.max(most, actual ?? 0), 0),
  },
  'what to set': {
    overview: ({ decisions }) => decisions,
    recommend: ({ decisions }) => decisions.map(withoutTotals),
  },
  'what to set, in words': {
    recommend: ({ decisions }) => decisions.map((decision: Decision) => decisionWords(decision).words),
    report: ({ answer }) =>
      answer
        .filter(({ program }: Data) => program !== undefined)
        .map(({ words }: Data) => words.replace(/ Turn it on.*/, '')),
  },
}

const large = [30, 22, 36, 26, 18, 34].map((files, session) => {
  const file = join(home, `${session}.jsonl`)
  writeFileSync(file, claudeSession(session, files))
  return file
})
const fixtures = (...formats: readonly string[]) =>
  formats.flatMap((format) => readdirSync(`fixtures/${format}`).map((file) => `fixtures/${format}/${file}`))

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
const someIn = (folder: string, most: number): string[] =>
  readdirSync(join(corpus, folder))
    .sort()
    .slice(0, most)
    .map((name) => join(corpus, folder, name))
const sets: Readonly<Record<string, readonly string[]>> = {
  'sessions of three programs': [...fixtures('codex', 'pi'), ...large],
  'sessions beside logs of an agent of one’s own': [...fixtures('openai-chat', 'claude-code'), ...large],
  ...(existsSync(corpus) && {
    'recorded sessions of opencode': someIn('opencode-export/tsutoringo__shui', 2),
    'recorded sessions of pi': someIn('pi', 3),
  }),
}

async function dataOf(command: Command, files: readonly string[]): Promise<Data> {
  const { code, stdout, stderr } = await runCli([...commands[command], '--quiet', ...files])
  if (code > 1) throw new Error(`${command}: ${code}, ${stderr}`)
  if (command !== 'report') return JSON.parse(stdout)
  const [, data = 'null'] = /id="data">(.*?)<\/script>/s.exec(readFileSync(join(home, 'page.html'), 'utf8')) ?? []
  return JSON.parse(data)
}

describe.each(Object.entries(sets))('%s: one answer', (_, files) => {
  it('in every command', { timeout: 120_000 }, async () => {
    const data = new Map<string, Data>()
    for (const command of Object.keys(commands) as Command[]) data.set(command, await dataOf(command, files))
    for (const [figure, places] of Object.entries(shared)) {
      const [[, first] = [], ...others] = Object.entries(places).map(
        ([place, read]) => [place, read(data.get(place) ?? data.get('spend'))] as const,
      )
      for (const [place, value] of others) {
        const what = `${figure}: ${place}`
        // Sums of figures that were rounded to millionths.
        if (typeof value === 'number') expect(Math.abs(value - (first as number)), what).toBeLessThan(1e-4)
        else expect(value, what).toEqual(first)
      }
    }
  })
})

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import {
  choose,
  defineReader,
  estimators,
  openFile,
  type Plan,
  policies,
  type Run,
  type Source,
  type Trace,
} from '../../../src/app/index.ts'
import { composedInterval } from '../../../src/models/intervals.ts'
import { ninetyPercent, priorPreamble } from '../../../src/models/preambles.ts'
import { keptIn } from '../../cache/kept.ts'
import { runCli, wordsOf } from '../../cli/run.ts'
import { blind, folderOf, named, ten, toldSession } from './telling-sessions.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})
function folder(files: Readonly<Record<string, string>>): string {
  folders.push(folderOf(files))
  return folders.at(-1) as string
}

const keepAll = ['--policy', 'keep-all', '--budget', '0']
/** What is written to now is too young to be kept: by this clock it is not. */
const now = Date.now() + 60_000

async function runsOf(cwd: string, words: readonly string[] = ['.'], flags = keepAll): Promise<Run[]> {
  const { code, stdout, stderr } = await runCli(['simulate', ...words, ...flags, '--json'], { cwd })
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout).runs
}
const lastOf = (session: number) => `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
const runOf = (runs: readonly Run[], session = blind.session): Run =>
  runs.find(({ conversation }) => conversation === lastOf(session)) as Run

const of = { program: 'claude-code', version: '2.1.17', agent: 'main', recorded: false } as const
const table = priorPreamble(of)

/** By hand: what the provider counted beyond what is counted of the same session without usage and without anything hidden. */
async function hiddenIn(sessions: typeof ten): Promise<number[]> {
  const hidden: number[] = []
  for (const one of sessions) {
    const [run] = await runsOf(folder(named([{ ...one, hidden: null }])), ['.'], [...keepAll, '--by', 'request'])
    const beyond = [0, 1, 2].map(
      (at) => one.hidden! + 100 * (2 * at + 1) - (run!.rows![at]!.sentTokens - Math.round(table.tokens)),
    )
    hidden.push(beyond.sort((a, b) => a - b)[1] as number)
  }
  return hidden
}

describe('a session without usage, among others of the user', () => {
  it('has a preamble like theirs, surer than the table is', async () => {
    const [told, alone] = [
      runOf(await runsOf(folder(named([...ten, blind])))),
      runOf(await runsOf(folder(named([blind])))),
    ]
    const prior = priorPreamble(of, await hiddenIn(ten))
    expect(prior.basis).toBe('own')
    expect(Math.abs(prior.tokens - 20_000)).toBeLessThan(1000)
    const recorded = alone.preambleTokens - Math.round(table.tokens)
    expect(told.preambleTokens).toBe(recorded + Math.round(prior.tokens))
    expect(told.preambleSource).toBe('usual')
    const interval = composedInterval(told.sentTokens / told.requests, prior, 'auto')
    expect(told.predictionInterval).toEqual(interval)
    expect(interval).toMatchObject({ basis: 'own', transcripts: 10 })
    const width = ({ low, high }: ReturnType<typeof ninetyPercent>) => high / low
    expect(width(ninetyPercent(prior))).toBeLessThan(width(ninetyPercent(table)))
    expect(alone.predictionInterval).toMatchObject({ basis: 'format' })
  })

  it('goes by the table where it is alone, or no other of its program tells', async () => {
    const alone = runOf(await runsOf(folder(named([blind]))))
    const others = [{ session: 12, hidden: null }, ...ten.map((one) => ({ ...one, hidden: null }))]
    const beside = runOf(await runsOf(folder(named([blind, ...others]))))
    expect(beside).toEqual({ ...alone, transcript: beside.transcript })
  })

  it('changes nothing of those that recorded usage, and they of each other', async () => {
    const all = await runsOf(folder(named([...ten, blind])))
    for (const one of ten.slice(0, 3)) {
      const [alone] = await runsOf(folder(named([one])))
      expect(runOf(all, one.session)).toEqual({ ...alone, transcript: runOf(all, one.session).transcript })
    }
  })

  it('goes by the nearest versions', async () => {
    const others = [1, 2].map((at) => ({ session: 20 + at, hidden: 90_000, version: '2.1.44' }))
    const files = { ...named([...ten.slice(0, 4), ...others, blind]) }
    expect(runOf(await runsOf(folder(files))).predictionInterval).toMatchObject({ transcripts: 4 })
  })

  it('is told once by a session that stands in several files, whole or as it went on', async () => {
    const files = named([...ten, blind])
    const copies = { 'a.jsonl': files['s01.jsonl']!, 'z.jsonl': toldSession({ ...ten[0]!, requests: 9 }) }
    const [once, often] = [runOf(await runsOf(folder(files))), runOf(await runsOf(folder({ ...files, ...copies })))]
    expect({ ...often, transcript: once.transcript }).toEqual(once)
  })

  it('is told the same by a session that went on, whichever of its files comes first', async () => {
    const [short, long] = [1, 5].map((requests) => toldSession({ session: 1, hidden: 19_000, requests })) as [
      string,
      string,
    ]
    const told = async (first: string, last: string) =>
      runOf(await runsOf(folder({ ...named([blind]), 'a.jsonl': first, 'z.jsonl': last })))
    const { transcript: _, ...run } = await told(short, long)
    expect(run.predictionInterval).toMatchObject({ transcripts: 1 })
    expect(await told(long, short)).toMatchObject(run)
  })

  it('is counted alike, whatever the names and the order of the files', async () => {
    const runs = await runsOf(folder(named([...ten, blind])))
    const expected = runs.map(({ transcript: _, ...run }) => run)
    const order = fc.shuffledSubarray([...ten, blind], { minLength: 11, maxLength: 11 })
    await fc.assert(
      fc.asyncProperty(order, async (sessions) => {
        const files = Object.fromEntries(sessions.map((one, at) => [`${9 - (at % 10)}-${at}.jsonl`, toldSession(one)]))
        const words = Object.keys(files)
        const found = await runsOf(folder(files), words)
        for (const { session } of sessions) {
          const { transcript: _, ...run } = runOf(found, session)
          expect(expected).toContainEqual(run)
        }
      }),
      { numRuns: 4 },
    )
  })
})

describe('the same bytes', () => {
  const cwd = folder(named([...ten, blind]))
  const env = (cache: string) => ({ XDG_CACHE_HOME: join(cwd, cache), HOME: cwd })
  const ran = (argv: readonly string[], cache: string | null = null) =>
    runCli(argv, { cwd, now, env: cache === null ? {} : env(cache) })

  it.each(['simulate', 'recommend', 'overview', 'sessions'])('%s: whatever is kept', async (command) => {
    const words = [...wordsOf(command), ...Object.keys(named([...ten, blind])), '--json']
    const without = await ran(words)
    expect(without.code).toBe(0)
    const cold = await ran(words, `${command}-1`)
    expect(cold).toEqual(without)
    expect(await ran(words, `${command}-1`)).toEqual(without)
    expect(keptIn(join(cwd, `${command}-1`, 'ctxwin/traces')).length).toBeGreaterThanOrEqual(11)
    // What was found of the session by itself, it does not rest on here.
    const alone = await ran([...wordsOf(command), 's11.jsonl', '--json'], `${command}-2`)
    expect(await ran(words, `${command}-2`)).toEqual(without)
    expect(await ran([...wordsOf(command), 's11.jsonl', '--json'], `${command}-2`)).toEqual(alone)
  })

  it.each(['simulate', 'recommend'])('%s: in shards', async (command) => {
    const words = [command, ...Object.keys(named([...ten, blind]))]
    const parts: string[] = []
    for (const shard of [1, 2, 3]) {
      const { code, stdout } = await ran([...words, '--shard', `${shard}/3`, '--output', 'partial'])
      expect(code).toBe(0)
      parts.push(`${command}-${shard}.ndjson`)
      writeFileSync(join(cwd, parts.at(-1) as string), stdout)
    }
    expect(await ran(['merge', ...parts, '--json'])).toEqual(await ran([...words, '--json']))
  })

  it('but where merge has to read a session again that rests on others: it says so', async () => {
    const went = {
      'x.jsonl': toldSession({ ...blind, requests: 4 }),
      'y.jsonl': toldSession({ ...blind, requests: 9 }),
    }
    const files = { ...named(ten.slice(0, 2)), ...went }
    const cwd = folder(files)
    const words = ['simulate', ...Object.keys(files), ...keepAll]
    for (const shard of [1, 2, 3, 4]) {
      const { stdout } = await runCli([...words, '--shard', `${shard}/4`, '--output', 'partial'], { cwd })
      writeFileSync(join(cwd, `${shard}.ndjson`), stdout)
    }
    const { code, stderr } = await runCli(['merge', ...[1, 2, 3, 4].map((shard) => `${shard}.ndjson`)], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('y.jsonl')
    expect(stderr).toContain('its sizes rest on other sessions of the run, which merge does not read')
    expect(stderr).toContain('x.jsonl, too, so merge reads it again')
  })

  it('with pseudonyms, but for these', async () => {
    const words = ['simulate', ...Object.keys(named([...ten, blind])), ...keepAll, '--json']
    const figures = async (flags: readonly string[]) =>
      (JSON.parse((await ran([...words, ...flags])).stdout).runs as Run[]).map(
        ({ preambleTokens, predictionInterval }) => ({ preambleTokens, predictionInterval }),
      )
    expect(await figures(['--redact'])).toEqual(await figures([]))
  })
})

describe('how often a file is read', () => {
  const plan: Plan = {
    policies: [choose(policies.get('keep-all'))],
    estimators: [choose(estimators.get('auto'))],
    budgets: [0],
  }
  /** @returns by file how often it was opened */
  async function readings(sessions: typeof ten, more: Partial<Plan> = {}): Promise<number[]> {
    const cwd = folder(named(sessions))
    const counts: number[] = []
    const sources = Object.keys(named(sessions)).map((name, at): Source => {
      const source = openFile(join(cwd, name))
      const chunks = source.chunks as Iterable<Uint8Array>
      counts[at] = 0
      return {
        ...source,
        chunks: {
          [Symbol.iterator]() {
            counts[at]!++
            return chunks[Symbol.iterator]()
          },
        },
      }
    })
    await simulateSources(sources, { ...plan, ...more })
    return counts
  }

  it('once, where nothing rests on others', async () => {
    expect(await readings(ten)).toEqual(ten.map(() => 1))
    expect(await readings([...ten.slice(0, 2), blind], { preamble: 9000 })).toEqual([1, 1, 1])
    expect(await readings([blind])).toEqual([1])
  })

  it('once more for what it tells, and what rests on it anew', async () => {
    expect(await readings([...ten.slice(0, 2), blind, { session: 12, hidden: null }])).toEqual([2, 2, 3, 2])
  })
})

describe('a file of many sessions', () => {
  /** One a line: its name, and what the provider counted for each request. */
  const desk = defineReader({
    name: 'desk',
    summary: 'conversations, one a line',
    source: 'desk.jsonl',
    recognise: (record) => ('ticket' in Object(record) ? 1 : 0),
    read: ({ open }) => ({
      record(record, line) {
        const { ticket, inputs } = record as { ticket: string; inputs: (number | null)[] }
        const writer = open({ conversation: ticket, provider: 'openai' })
        for (const input of inputs) {
          const blocks = [{ type: 'text' as const, text: 'Where is my parcel?' }]
          writer.message({ role: 'user', line, blocks })
          const usage = { input: input ?? 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 9 }
          writer.message({ role: 'assistant', line, blocks, ...(input !== null && { usage }) })
        }
        return 'used'
      },
      end: () => {},
    }),
  })
  type Ticket = readonly [ticket: string, inputs: readonly (number | null)[]]
  const linesOf = (tickets: readonly Ticket[]): string =>
    tickets.map(([ticket, inputs]) => `${JSON.stringify({ ticket, inputs })}\n`).join('')
  const inputs = (of: number) => [of, of + 20, of + 40]
  const files: Readonly<Record<string, readonly Ticket[]>> = {
    'a.jsonl': [
      ['a1', inputs(7000)],
      ['a2', [null]],
      ['a3', inputs(7200)],
      ['a4', [null, null]],
      ['a5', inputs(7400)],
    ],
    'b.jsonl': [
      ['b1', [null]],
      ['b2', inputs(7100)],
    ],
    'c.jsonl': [
      ['c1', inputs(7300)],
      ['c2', [null]],
    ],
  }
  const plan: Plan = {
    policies: [choose(policies.get('keep-all'))],
    estimators: [choose(estimators.get('auto')), choose(estimators.get('bytes'))],
    budgets: [0],
  }
  const cwd = folder(Object.fromEntries(Object.entries(files).map(([name, tickets]) => [name, linesOf(tickets)])))
  const sources = () => Object.keys(files).map((name) => openFile(join(cwd, name)))

  it('has each in its place, told by those of all files, though nobody published any of the program', async () => {
    const { runs } = await simulateSources(sources(), plan, { format: desk })
    const names = Object.values(files).flatMap((tickets) => tickets.map(([ticket]) => ticket))
    expect(runs.map(({ conversation }) => conversation)).toEqual(names.flatMap((name) => [name, name]))
    for (const run of runs) {
      const isBlind = ['a2', 'a4', 'b1', 'c2'].includes(run.conversation!)
      expect(run.preambleSource).toBe(isBlind ? 'usual' : 'inferred')
      if (!isBlind) continue
      expect(run.predictionInterval).toMatchObject({ basis: 'own', transcripts: 5 })
      expect(run.preambleTokens).toBeGreaterThan(6000)
      expect(run.preambleTokens).toBeLessThan(8000)
    }
    // Each estimator by what it counts itself.
    const apart = await Promise.all(
      plan.estimators.map((one) => simulateSources(sources(), { ...plan, estimators: [one] }, { format: desk })),
    )
    expect(runs.map(({ preambleTokens }) => preambleTokens)).toEqual(
      apart[0]!.runs.flatMap((run, at) => [run.preambleTokens, apart[1]!.runs[at]!.preambleTokens]),
    )
  })

  it('asks once of each whether it counts, and lets those tell that do not', async () => {
    const asked: string[] = []
    const accepts = ({ head }: Trace): boolean => {
      asked.push(head.conversation!)
      return head.conversation !== 'a3' && head.conversation !== 'b1'
    }
    const { runs } = await simulateSources(sources(), plan, { format: desk, accepts })
    const all = await simulateSources(sources(), plan, { format: desk })
    expect(asked).toEqual(Object.values(files).flatMap((tickets) => tickets.map(([ticket]) => ticket)))
    expect(runs).toEqual(all.runs.filter(({ conversation }) => conversation !== 'a3' && conversation !== 'b1'))
  })

  it('is not told of others by itself, nor where its neighbours can be had only once', async () => {
    const basis = (runs: readonly Run[]) =>
      new Set(runs.filter((run) => run.preambleSource !== 'inferred').map((run) => run.predictionInterval!.basis))
    const single = await simulateSources(sources().slice(0, 1), plan, { format: desk })
    expect(basis(single.runs)).toEqual(new Set(['all']))
    const once = await simulateSources(sources().values(), plan, { format: desk })
    expect(basis(once.runs)).toEqual(new Set(['all']))
  })
})

it('what comes through a pipe is not told of others, and tells them nothing', async () => {
  const cwd = folder(named(ten))
  const argv = ['simulate', '-', '.', ...keepAll, '--json']
  const { stdout } = await runCli(argv, { cwd, stdin: toldSession(blind) })
  expect(runOf(JSON.parse(stdout).runs).predictionInterval).toMatchObject({ basis: 'format' })
  const other = folder(named([blind, { session: 12, hidden: null }]))
  const { stdout: piped } = await runCli(argv, { cwd: other, stdin: toldSession(ten[0]!) })
  expect(runOf(JSON.parse(piped).runs).predictionInterval).toMatchObject({ basis: 'format' })
})

it('words say whose sessions tell', async () => {
  const cwd = folder(named([...ten, blind]))
  const text = async (...argv: string[]) => (await runCli(argv, { cwd })).stdout.replaceAll(/\s+/g, ' ')
  expect(await text('simulate', '.', ...keepAll)).toMatch(
    /1 transcript without recorded usage: .* in nine of ten, preambles as in 10 other sessions of yours/,
  )
  expect(await text('simulate', '.', ...keepAll, 's11.jsonl')).toContain('as in 10 other sessions of yours')
  expect(await text('simulate', 's11.jsonl', ...keepAll)).not.toContain('of yours')
})

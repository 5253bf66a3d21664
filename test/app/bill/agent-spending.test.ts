import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { type AgentPage, agentRows } from '../../../src/app/bill/agent-spending.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { choose, estimators, openFile, type Source } from '../../../src/app/index.ts'
import { caseOf } from '../../../src/app/plan.ts'
import { AgentCalls, agentCalls } from '../../../src/measures/agent-calls.ts'
import type { Message } from '../../../src/model/message.ts'
import type { Trace } from '../../../src/model/trace.ts'
import { lookupModel, ratesFor } from '../../../src/models/lookup.ts'
import { runCli } from '../../cli/run.ts'
import { addedBy } from '../../simulator/joins.ts'

const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [] }
const fixture = 'fixtures/claude-code/started-agents.jsonl'

const spendingOf = (sources: readonly Source[]) =>
  spend(
    readingHere([...sources], {}, () => {}),
    plan,
    100,
    'agents',
  )
const rowsOf = async (...sources: readonly Source[]) => (await spendingOf(sources)).agents

async function tracesOf(source: Source): Promise<Trace[]> {
  const traces: Trace[] = []
  const take = (trace: Trace) => {
    traces.push(trace)
    return []
  }
  for await (const _ of readSources([source], plan, { keepMessages: true }, take, () => {}));
  return traces
}

const session = '5e550000-0000-4000-8000-000000000001'
const models = ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001'] as const

interface Reply {
  /** Characters of the result that it asked for. */
  readonly size: number
  readonly read: number
  readonly write: number
  readonly output: number
}
interface Step extends Reply {
  readonly kind: 'read' | 'agent' | 'compact'
  readonly work: readonly Reply[]
}

/** A session of Claude Code: its main conversation, and a file for each sub-agent; all joined by ids, or none. */
function sessionOf(steps: readonly Step[], byId: boolean): { main: Source; agents: Source[] } {
  let count = 0
  const record = (of: object, parentUuid: string | null, agent?: string) => {
    const uuid = `u${count++}`
    const more = agent === undefined ? { isSidechain: false } : { isSidechain: true, agentId: agent }
    return { parentUuid, sessionId: session, uuid, timestamp: '2026-03-02T09:00:00.000Z', ...more, ...of }
  }
  const said = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
  const answered = (model: string, content: unknown, { read, write, output }: Reply) => ({
    type: 'assistant',
    message: {
      ...{ id: `msg_${count}`, role: 'assistant', model, content },
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
        output_tokens: output,
      },
    },
    requestId: `req_${count}`,
  })
  const call = (id: string, name: string, input: object) => [{ type: 'tool_use', id, name, input }]
  const result = (id: string, size: number) => [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(size) }]
  const source = (name: string, records: readonly object[]): Source => ({
    name,
    chunks: [Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''))],
  })
  const main: ReturnType<typeof record>[] = [record(said('Begin.'), null)]
  const agents: Source[] = []
  for (const [nth, step] of steps.entries()) {
    const before = main.at(-1)?.uuid as string
    if (step.kind === 'compact') {
      main.push(record({ type: 'system', subtype: 'compact_boundary', logicalParentUuid: before }, null))
      main.push(record({ ...said('What was done.'), isCompactSummary: true }, main.at(-1)?.uuid as string))
      main.push(record(said('Go on.'), main.at(-1)?.uuid as string))
      continue
    }
    const prompt = `Task number ${nth}.`
    const [name, input] = step.kind === 'agent' ? ['Agent', { prompt }] : ['Read', { file_path: '/a' }]
    main.push(record(answered(models[0], call(`toolu_${nth}`, name, input), step), before))
    const told = step.kind === 'agent' && byId ? { toolUseResult: { agentId: `agent${nth}` } } : {}
    main.push(record({ ...said(result(`toolu_${nth}`, step.size)), ...told }, main.at(-1)?.uuid as string))
    if (step.kind !== 'agent') continue
    const own = [record(said(prompt), null, `agent${nth}`)]
    for (const [at, one] of step.work.entries()) {
      const id = `toolu_${nth}_${at}`
      own.push(
        record(
          answered(models[1], call(id, 'Read', { file_path: '/b' }), one),
          own.at(-1)?.uuid as string,
          `agent${nth}`,
        ),
      )
      own.push(record(said(result(id, one.size)), own.at(-1)?.uuid as string, `agent${nth}`))
    }
    agents.push(source(`agent-${nth}.jsonl`, own))
  }
  return { main: source('main.jsonl', main), agents }
}

const reply = {
  size: fc.nat(3000),
  read: fc.nat(30_000),
  write: fc.nat(9000),
  output: fc.integer({ min: 2000, max: 4000 }),
}
const step = fc.record<Step>({
  ...reply,
  kind: fc.constantFrom('read', 'read', 'agent', 'agent', 'compact'),
  work: fc.array(fc.record<Reply>(reply), { minLength: 1, maxLength: 4 }),
})
const rates = (() => {
  const rule = ratesFor(lookupModel(models[0])!, 1000)!
  return {
    read: rule.cacheRead! / 1e6,
    write: rule.cacheWrite! / 1e6,
    output: rule.output / 1e6,
    input: rule.input / 1e6,
  }
})()

describe('sub-agents', () => {
  it('are joined and cost inline what going through every request by hand gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), fc.boolean(), async (steps, byId) => {
        const { main, agents } = sessionOf(steps, byId)
        const spending = await spendingOf([...agents, main])
        const rows = spending.agents.filter(({ of }) => of === 'agent')
        const [whole] = await tracesOf(main)
        const places = steps.flatMap((one, nth) => (one.kind === 'agent' ? [nth] : []))
        expect(rows.map(({ conversation }) => conversation).sort()).toEqual(places.map((nth) => `agent${nth}`).sort())
        expect(spending.agents.filter(({ of }) => of === 'call')).toEqual([])
        for (const row of rows) {
          const nth = Number(row.conversation?.slice('agent'.length))
          const { work, read, write, output } = steps[nth] as Step
          expect(row).toMatchObject({
            joinedBy: byId ? 'id' : 'prompt',
            caller: 'main.jsonl',
            calls: 1,
            requests: work.length,
          })
          const [agent] = await tracesOf(agents[places.indexOf(nth)] as Source)
          const { sizes } = caseOf(agent as Trace, plan)
          // By message behind the prompt: the answer and the result of each step.
          const size = (from: number, to: number) => {
            let units = 0
            for (let at = from; at < to; at++) units += addedBy(agent as Trace, sizes, 0, at)
            return sizes.tokens(units)
          }
          const context = 5 + read + write + output
          expect(row.contextTokens).toBe(context)
          let usd = 0
          for (const [at, one] of work.entries()) {
            const carried = at === 0 ? 0 : size(1, 1 + 2 * (at - 1))
            const upTo = at === 0 ? 0 : size(1, 1 + 2 * at)
            usd += rates.read * (context + carried) + rates.write * (upTo - carried) + rates.output * one.output
          }
          const content = size(1, 1 + 2 * work.length)
          expect(row.workTokens).toBe(Math.round(content))
          const { sizes: mainSizes } = caseOf(whole as Trace, plan)
          const answer = (whole as Trace).messages!.findIndex(({ callId }) => callId === `toolu_${nth}`)
          const returned = mainSizes.tokens(mainSizes.of(answer))
          let behind = 0
          for (const later of steps.slice(nth + 1)) {
            if (later.kind === 'compact') break
            behind++
            const rest = (rates.input * 5 + rates.write * later.write) / (5 + later.write)
            usd += (content - returned) * (later.read > context ? rates.read : rest)
          }
          expect(row.behindRequests).toBe(behind)
          expect(row.inlineUsd).toBeCloseTo(usd, 5)
        }
        const sum = spending.agents.reduce((total, { usd }) => total + (usd ?? 0), 0)
        expect(sum).toBeCloseTo(spending.total.usd ?? 0, 4)
      }),
      { numRuns: 40 },
    )
  })

  it('have no result where they work in the background, and a call may have none that was read', async () => {
    const rows = await rowsOf(openFile(fixture))
    expect(rows.map(({ of, conversation, callLine }) => [of, conversation, callLine])).toEqual([
      ['agent', 'b2c3d4e', 10],
      ['agent', 'a1b2c3d', 2],
      ['call', null, 14],
      ['rest', null, null],
    ])
    expect(rows.map(({ returnedTokens }) => returnedTokens !== null)).toEqual([false, true, true, false])
  })

  it('are joined by their prompt where no id is recorded, and are counted where nothing joins them', async () => {
    const rows = await rowsOf(openFile('fixtures/claude-code/sidechain.jsonl'))
    expect(rows.map(({ of, joinedBy, callLine }) => [of, joinedBy, callLine])).toEqual([
      ['agent', 'prompt', 2],
      ['agent', null, null],
      ['rest', null, null],
    ])
  })

  it('are joined under pseudonyms, too, but not by hashes of words', async () => {
    const joined = async (file: string) => {
      const { stdout } = await runCli(['spend', file, '--by', 'agent', '--json', '--redact'])
      return JSON.parse(stdout).agents.map(({ joinedBy }: { joinedBy: string | null }) => joinedBy)
    }
    expect(await joined(fixture)).toEqual(['id', 'id', null, null])
    expect(await joined('fixtures/claude-code/sidechain.jsonl')).toEqual([null, null, null, null])
  })

  it('that are taken up again answer several calls, and forks are none', () => {
    const page = (own: Partial<AgentPage>): AgentPage => ({
      ...{ file: 'a', conversation: 'a', parent: null, format: 'x', model: null, isFork: false, asked: null },
      ...{ requests: 1, usd: 1, steps: null, calls: [] },
      ...own,
    })
    const call = (line: number, ...ids: string[]) => ({
      ...{ line, ids, prompt: 7, answerTokens: 1, inBackground: false, context: null, rates: null },
      ...{ behindRequests: 0, behindRate: 0 },
    })
    const caller = page({ calls: [call(1, 'b', 'c1'), call(2, 'c2'), call(3, 'b', 'c3')] })
    const agent = page({ conversation: 'b', parent: 'a' })
    const fork = page({ conversation: 'f', parent: 'a', isFork: true, asked: 7 })
    const other = page({ conversation: 'o', parent: 'a', asked: 7 })
    const foreign = page({ conversation: 'p', parent: 'z', asked: 7 })
    const rows = agentRows([agent, fork, foreign, other, caller])
    expect(
      rows.map(({ conversation, callLine, calls, joinedBy }) => [conversation, callLine, calls, joinedBy]),
    ).toEqual([
      ['b', 1, 2, 'id'],
      ['p', null, 0, null],
      ['o', 2, 1, 'prompt'],
    ])
  })
})

describe('the calls of a transcript', () => {
  const messages = fc.array(
    fc.oneof(
      fc.nat(3).map(
        (id): Message => ({
          role: 'assistant',
          line: 1,
          blocks: [{ type: 'call', id: `c${id}`, name: id === 0 ? 'Read' : 'Task', input: { prompt: `do ${id}` } }],
        }),
      ),
      fc.tuple(fc.nat(3), fc.boolean()).map(
        ([id, isNamed]): Message => ({
          role: 'tool',
          line: 1,
          callId: `c${id}`,
          blocks: [],
          ...(isNamed && { agent: { conversation: `a${id}` } }),
        }),
      ),
      fc.constant<Message>({ role: 'user', line: 1, blocks: [{ type: 'text', text: 'Do 1' }] }),
    ),
    { maxLength: 12 },
  )

  it('are the same after messages were taken back, and read on from plain data', () => {
    fc.assert(
      fc.property(messages, messages, fc.nat(12), (first, then, length) => {
        const straight = new AgentCalls()
        for (const message of [...first.slice(0, length), ...then]) straight.add(message)
        let digest = new AgentCalls()
        for (const message of first) digest.add(message)
        digest.rewind(length)
        digest = agentCalls.of({} as never, structuredClone(digest.state())) as AgentCalls
        for (const message of then) digest.add(message)
        expect(digest.calls).toEqual(straight.calls)
        expect(digest.asked).toBe(straight.asked)
      }),
    )
  })
})

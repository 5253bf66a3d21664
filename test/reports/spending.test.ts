/** What was spent, in words: each sentence from made-up sums, and said only where it has something to say. */
import { describe, expect, it } from 'vitest'
import type {
  AgentSpending,
  CompactionSpending,
  CompactionSum,
  DefinitionSpending,
  Mishaps,
  Spending,
  SpendingTotal,
} from '../../src/model/spending.ts'
import { gridOf } from '../../src/reports/grid.ts'
import { compactionSheet, spendingData, spendingSheets } from '../../src/reports/spending.ts'
import { mishapWords, shareSentence, spendingNotes, spentSentence } from '../../src/reports/spending-words.ts'

const tokens = { input: 1, cacheRead: 20, cacheWrite: 300, cacheWrite1h: 4000, output: 50_000 }
const total = (more: Partial<SpendingTotal> = {}): SpendingTotal => ({
  ...{
    transcripts: 12,
    withoutUsage: 0,
    allRequests: 100,
    sideCalls: 0,
    requestsWithoutUsage: 0,
    repeatedResponses: 0,
  },
  ...{
    estimatedOutputs: 0,
    withoutReads: 0,
    since: '2026-01-02',
    until: '2026-03-04',
    requests: 100,
    unpricedRequests: 0,
  },
  ...{ usd: 40, tokens, cost: { input: 1, cacheRead: 2, cacheWrite: 3, cacheWrite1h: 4, output: 30 } },
  ...{ missed: { requests: 7, tokens: 900, usd: 3 }, billed: { input: 9, output: 30, beside: 1 } },
  ...{ pricesAsOf: '2026-01-01', missedPercent: 53.44 },
  ...more,
})
const sum = {
  requests: 1,
  unpricedRequests: 0,
  usd: 1,
  percent: 60.04,
  tokens,
  cost: total().cost,
  missed: { requests: 0, tokens: 0, usd: null },
}
const empty = {
  projects: [],
  models: [],
  sessions: [],
  days: [],
  kinds: [],
  parts: [],
  tools: [],
  definitions: [],
  compactions: [],
  compactionSums: [],
  moved: [],
  agents: [],
  results: [],
  causes: [],
  misses: [],
  cells: [],
  recordedCosts: [],
  diagnostics: [],
}
const of = (more: Partial<Spending> = {}): Spending =>
  ({ schemaVersion: 1, total: total(), terms: [], ...empty, ...more }) as Spending
const project = (name: string | null, usd: number | null) => ({ ...sum, project: name, cwd: name, usd })
const definition = (more: Partial<DefinitionSpending> = {}): DefinitionSpending => ({
  ...{
    of: 'definition',
    tool: 'Read',
    server: null,
    calls: 3,
    count: 2,
    tokens: 9,
    carriedTokens: 90,
    amplification: 10,
  },
  ...{ tokensPercent: 4, usd: 0.5, percent: 1 },
  ...more,
})
const agent = (more: Partial<AgentSpending> = {}): AgentSpending => ({
  ...{
    of: 'agent',
    transcript: '/logs/a/agent.jsonl',
    conversation: null,
    format: 'pi',
    model: 'm',
    caller: '/logs/b/main.jsonl',
  },
  ...{ callLine: 40, joinedBy: 'id', calls: 1, requests: 5, usd: 2, percent: 5, workTokens: 1, returnedTokens: 2 },
  ...{ contextTokens: 3, behindRequests: 4, inlineUsd: 3.5 },
  ...more,
})
const mishaps = (more: Partial<Mishaps> = {}): Mishaps => ({
  ...{ over: 55, results: 1092, failed: 7, rejected: 0, interrupted: 0, prompts: 9, corrected: 0 },
  ...more,
})
const effects = {
  rereads: null,
  rereadsBefore: null,
  heldContent: null,
  heldNamed: null,
  heldCopied: null,
  mishaps: null,
  mishapsBefore: null,
}
const compaction = (more: Partial<CompactionSpending> = {}): CompactionSpending => ({
  ...{
    of: 'compaction',
    transcript: '/logs/a.jsonl',
    conversation: null,
    format: 'pi',
    version: null,
    line: 9,
    request: 83,
  },
  ...{
    time: '2026-03-01T10:20:30.000Z',
    tokensBefore: 167_000,
    tokensAfter: 31_000,
    summaryUsd: null,
    rewrittenTokens: 5,
  },
  ...{ rewrittenUsd: 0.1, usd: 0.25, percent: 1, ...effects },
  ...more,
})
const compactionSum = (more: Partial<CompactionSum> = {}): CompactionSum => ({
  ...{
    program: 'pi',
    compactions: 2,
    transcripts: 1,
    tokensBefore: 1,
    tokensAfter: 1,
    rewrittenTokens: 1,
    usd: 1,
    ...effects,
  },
  ...more,
})
const answers = (more: Partial<Spending>) => spendingSheets(of(more), 'kind', 5)[0]?.answers ?? []

describe('the first sentence', () => {
  const say = (more: Partial<SpendingTotal>) => spentSentence(total(more), '12 transcripts')
  const days = 'in 12 transcripts, 2 Jan to 4 Mar 2026'
  it.each<[Partial<SpendingTotal>, string]>([
    [{}, `Spent $40.00 ${days}: input $9.00, output $30.00, searches of the web $1.00. 100 requests`],
    [
      { billed: { input: 9, output: 31, beside: 0 }, until: null },
      'Spent $40.00 in 12 transcripts: input $9.00, output $31.00. 100 requests',
    ],
    [
      { since: null, sideCalls: 2 },
      'Spent $40.00 in 12 transcripts: input $9.00, output $30.00, 2 calls outside the conversation $1.00. Usage is recorded for 98 of 100 requests',
    ],
    [
      { allRequests: 98, sideCalls: 2, billed: { input: 9, output: 31, beside: 0 } },
      `Spent $40.00 ${days}: input $9.00, output $31.00, 2 calls outside the conversation $0.00. 98 requests`,
    ],
    [{ usd: null }, `No price is known for any of 100 calls ${days}: tokens only`],
    [{ usd: null, requests: 1, since: null }, 'No price is known for any of 1 call in 12 transcripts: tokens only'],
  ])('%j', (more, words) => {
    expect(say(more)).toBe(words)
  })

  it('has shares for who has a plan', () => {
    const plan = 'shares are of all that was sent and answered, weighted as API list prices weigh it'
    expect(shareSentence(total())).toBe(`100 requests in 12 transcripts, 54k tokens; ${plan}`)
    expect(shareSentence(total({ sideCalls: 5 }))).toBe(`95 of 100 requests in 12 transcripts, 54k tokens; ${plan}`)
    expect(shareSentence(total({ sideCalls: 5, allRequests: 95, transcripts: 1 }))).toBe(
      `95 requests in 1 transcript, 54k tokens; ${plan}`,
    )
  })
})

describe('the answer', () => {
  const rest = (more: Partial<Spending>) => answers(more).slice(1)
  const missed = 'of the tokens sent uncached had been in the cache before. Main cause:'
  const cause = { cause: 'idle', requests: 5, tokens: 800, usd: 2.5, percent: 6, tokensPercent: 83.26 } as const

  it('names the dearest project, where there are others', () => {
    expect(rest({ projects: [project('shop', 24), project('b', 16)] })).toEqual(['Most of it in shop: $24.00 (60.0 %)'])
    expect(rest({ projects: [project(null, 24), project('b', 16)] })).toEqual([
      'Most of it in no recorded directory: $24.00 (60.0 %)',
    ])
    expect(rest({ projects: [project('shop', 24)] })).toEqual([])
    expect(rest({ projects: [project('shop', null), project('b', null)] })).toEqual([])
  })

  it.each<[Partial<SpendingTotal>, string]>([
    [{}, `7 cache misses cost $3.00 (7.5 % of it): 53.4 % ${missed}`],
    [{ missed: { requests: 1, tokens: 9, usd: 3 }, usd: 0 }, `1 cache miss cost $3.00: 53.4 % ${missed}`],
    [{ usd: null }, `7 cache misses cost $3.00: 53.4 % ${missed}`],
    [{ missed: { requests: 7, tokens: 9, usd: null } }, `7 cache misses: 53.4 % ${missed}`],
  ])('says why the cache missed: %j', (more, words) => {
    expect(rest({ total: total(more), causes: [cause] })).toEqual([
      `${words} the pause was longer than the cache lives (83.3 % of these tokens)`,
    ])
  })

  it.each<[DefinitionSpending[], string]>([
    [[definition(), definition({ usd: null })], 'The definitions of 2 tools are 8.0 % of the input ($0.50)'],
    [
      [definition({ calls: 0 }), definition(), definition({ of: 'rest', usd: 30 })],
      'The definitions of 2 tools are 8.0 % of the input ($1.00); 1 of them was never called: 4.0 % ($0.50)',
    ],
    [
      [definition({ calls: 0 }), definition({ calls: 0 }), definition({ calls: 1 })],
      'The definitions of 3 tools are 12.0 % of the input ($1.50); 2 of them were never called: 8.0 % ($1.00)',
    ],
    [[definition({ calls: 0 })], 'The definitions of 1 tool are 4.0 % of the input ($0.50); it was never called'],
    [
      [definition({ calls: 0 }), definition({ calls: 0 })],
      'The definitions of 2 tools are 8.0 % of the input ($1.00); none of them was ever called',
    ],
  ])('says what the definitions of tools are: %#', (definitions, words) => {
    expect(rest({ definitions })).toEqual([words])
    expect(rest({ definitions, total: total({ usd: null }) })[0]).toBe(words.replace(/ \(\$[\d.]+\)/g, ''))
  })
})

describe('the sheets', () => {
  const rows = Array.from({ length: 1234 }, (_, at) => project(`p${at}`, 1))

  it('are of the lists that have something, but for those that are asked for; the answer stands above the first alone', () => {
    const sheets = spendingSheets(
      of({ projects: rows as never, days: [{ ...sum, day: null }], agents: [agent()], definitions: [definition()] }),
      null,
      5,
    )
    expect(sheets.map(({ title, items, answers }) => [title, items.length, answers?.length])).toEqual([
      ['By project (1,229 more: --by project)', 5, 3],
      ['By day, the newest first', 1, 0],
    ])
    expect(sheets.map(({ notes }) => notes.length)).toEqual([0, 0])
    const noted = {
      total: total({ withoutReads: 1 }),
      projects: rows.slice(0, 5) as never,
      days: [{ ...sum, day: null }],
    }
    expect(spendingSheets(of(noted), null, 5).map(({ notes, title }) => [notes.length, title])).toEqual([
      [0, 'By project'],
      [1, 'By day, the newest first'],
    ])
    const [all] = spendingSheets(of({ projects: rows as never }), 'project', 5)
    expect([all?.title, all?.items.length]).toEqual(['By project', 1234])
  })

  it('have files by what tells them apart, below the directory that they share', () => {
    const [sheet] = spendingSheets(
      of({ agents: [agent(), agent({ caller: null, joinedBy: null, callLine: null })] }),
      'agent',
      5,
    )
    expect(sheet?.title).toBe('By sub-agent, with the call that started it, and everything else, in /logs/')
    const { columns, rows } = gridOf(sheet?.shown ?? [], sheet?.items ?? [])
    const at = (key: string) => columns.findIndex((column) => column.key === key)
    expect(rows.map((row) => [row[at('caller')], row[at('callLine')], row[at('requests')]])).toEqual([
      ['b/main.jsonl', 40, 5],
      ['(a/agent.jsonl)', 'not known', 5],
    ])
  })

  it('name the rows that are of no tool, no call, no compaction', () => {
    const cells = (name: 'agent' | 'tool' | 'definition' | 'compaction', key: string, lists: Partial<Spending>) => {
      const [sheet] = spendingSheets(of(lists), name, 5)
      const column = sheet?.shown?.find((one) => one.key === key)
      return sheet?.items.map((item) => column?.value(item))
    }
    const agents = [agent({ of: 'call' }), agent({ of: 'rest' })]
    expect(cells('agent', 'callLine', { agents })).toEqual([40, 'all else'])
    expect(cells('agent', 'requests', { agents })).toEqual([null, null])
    const tools = (['results', 'results', 'rest', 'output'] as const).map((one, at) => ({
      ...definition(),
      of: one,
      tool: at === 1 ? null : 'Read',
    }))
    expect(cells('tool', 'tool', { tools: tools as never })).toEqual([
      'Read',
      '(unknown)',
      '(the rest of the input)',
      '(output)',
    ])
    const definitions = [definition(), definition({ tool: null }), definition({ of: 'rest' })]
    expect(cells('definition', 'tool', { definitions })).toEqual(['Read', '(unknown)', '(all else)'])
    expect(cells('definition', 'calls', { definitions })).toEqual([3, 3, null])
    const reads = { over: 15, requests: 4, tokens: 70, usd: 0.2 }
    const compactions = [
      compaction({
        rereads: reads,
        rereadsBefore: { ...reads, tokens: 6 },
        heldContent: { used: 9, kept: 2 },
        heldCopied: { used: 5, kept: 1 },
      }),
      compaction({ of: 'rest', time: null }),
    ]
    for (const [key, first, last] of [
      ['request', 83, 'all else'],
      ['time', '2026-03-01 10:20', null],
      ['again', 70, null],
      ['againBefore', 6, null],
      ['againUsd', 0.2, null],
    ] as const)
      expect(cells('compaction', key, { compactions })).toEqual([first, last])
    const [sheet] = spendingSheets(of({ compactions }), 'compaction', 5)
    const shares = (sheet?.shown ?? [])
      .filter(({ share }) => share)
      .map(({ key, share }) => [key, ...(sheet?.items ?? []).map((item) => share?.(item))])
    expect(shares).toEqual([
      ['againRequests', { part: 4, whole: 15 }, null],
      ['heldContent', { part: 2, whole: 9 }, null],
      ['heldCopied', { part: 1, whole: 5 }, null],
    ])
  })

  it('say above sub-agents how many are joined, and what they cost', () => {
    const captions = (agents: AgentSpending[]) => spendingSheets(of({ agents }), 'agent', 5)[0]?.captions
    expect(captions([agent({ of: 'rest' })])).toEqual(['There are no sub-agents, and no calls to one.'])
    expect(
      captions([
        agent(),
        agent({ usd: null }),
        agent({ inlineUsd: null }),
        agent({ joinedBy: null }),
        agent({ of: 'call' }),
        agent({ of: 'rest' }),
      ]),
    ).toEqual([
      'The call that started it is known for 3 of 4 sub-agents',
      '1 sub-agent cost $2.00; in the windows of their callers the same steps would have cost about $3.50, an estimate (ctxwin help spend)',
      '1 call to sub-agents without a transcript',
    ])
    expect(captions([agent({ of: 'call' }), agent({ of: 'call' })])).toEqual([
      '2 calls to sub-agents without a transcript',
    ])
    expect(captions([agent(), agent({ usd: 1, inlineUsd: 1 })])?.[1]).toMatch(
      /^2 sub-agents cost \$3\.00; .* about \$4\.50,/,
    )
    expect(spendingSheets(of(), 'definition', 5)[0]?.captions).toEqual(['No tool definition is recorded.'])
    expect(spendingSheets(of({ definitions: [definition()] }), 'definition', 5)[0]?.captions).toEqual([])
  })

  it('have as data the rows of one table, or the cells; and all of it beside them', () => {
    const one = of({
      projects: rows.slice(0, 2) as never,
      cells: [{ ...project('c', 1), model: 'm', day: null }] as never,
      agents: [agent()],
    })
    const { data, items } = spendingData(one, null)
    const { moved: _, ...published } = one
    expect(data).toEqual(published)
    expect(items).toEqual(one.cells)
    expect(spendingData(one, 'agent').items).toEqual(one.agents)
    for (const column of spendingData(one, 'agent').columns)
      expect(column.value(agent() as never)).toBe(agent()[column.key as keyof AgentSpending])
  })
})

describe('mishaps', () => {
  it.each<[Partial<Mishaps>, string]>([
    [{}, 'the user corrected, stopped and rejected nothing'],
    [{ corrected: 1 }, 'the user corrected 0 and 1 times'],
    [
      { corrected: 1, interrupted: 2, rejected: 3 },
      'the user corrected 0 and 1 times, stopped 0 and 2 times, rejected 0 and 3 times',
    ],
  ])('%j', (more, words) => {
    expect(mishapWords(mishaps({ results: 92, failed: 3 }), mishaps(more))).toBe(
      `calls that failed: 3 of 92 before, 7 of 1,092 after; ${words} (55 requests on each side)`,
    )
  })

  it('are told by program where both sides have results', () => {
    const none = mishaps({ results: 0 })
    const sums = [
      compactionSum({ mishaps: mishaps(), mishapsBefore: none }),
      compactionSum({ mishaps: none, mishapsBefore: mishaps(), program: null }),
      compactionSum({ mishaps: none, mishapsBefore: none }),
      compactionSum({ mishaps: mishaps() }),
      compactionSum({ mishapsBefore: mishaps() }),
    ]
    const [note] = compactionSheet([compaction()], sums).notes
    expect(note?.title).toBe('What went wrong before compactions, and in as many requests after')
    expect(note?.items.map(({ name }) => name)).toEqual(['pi', 'other programs'])
    expect(note?.items[0]?.sentences).toEqual([mishapWords(none, mishaps())])
    expect(compactionSheet([compaction()], sums.slice(2)).notes).toEqual([])
  })
})

describe('the compactions of a transcript', () => {
  const say = (...all: CompactionSpending[]) => compactionSheet(all, []).answers?.[0]
  const reads = { over: 15, requests: 4, tokens: 7000, usd: 0.2 }
  it.each<[Partial<CompactionSpending>[], string]>([
    [[], 'never compacted'],
    [[{}], 'compacted 1 time. That cost $0.25, without the call that wrote its summary (it is not recorded).'],
    [
      [{}, {}],
      'compacted 2 times. That cost $0.50, without the calls that wrote their summaries (they are not recorded).',
    ],
    [[{ summaryUsd: 0.1 }, { usd: null }], 'compacted 2 times. That cost $0.25.'],
    [[{ usd: null }], 'compacted 1 time.'],
    [
      [{ usd: null, rereads: reads }],
      'compacted 1 time. 7.0k tokens were read again in the requests after it, and 0 in as many requests before.',
    ],
    [
      [
        { usd: null, rereads: reads, rereadsBefore: { ...reads, tokens: 5 } },
        { usd: null, rereads: reads },
        { usd: null },
      ],
      'compacted 3 times. 14k tokens were read again in the requests after them, and 5 in as many requests before.',
    ],
  ])('%#', (all, words) => {
    expect(say(...all.map(compaction))).toBe(`as-recorded: the agent ${words}`)
  })

  it('have no table where there are none', () => {
    expect(compactionSheet([], []).shown).toEqual([])
    expect(compactionSheet([compaction()], []).shown).not.toEqual([])
  })
})

describe('what is counted', () => {
  const notes = (more: Partial<SpendingTotal>, others: Partial<Spending> = {}) =>
    spendingNotes(of({ total: total(more), ...others }))[0]?.items[0]?.sentences
  it.each<[Partial<SpendingTotal>, string[] | undefined]>([
    [{}, undefined],
    [{ withoutUsage: 1 }, ['1 transcript without recorded usage: not counted']],
    [{ requestsWithoutUsage: 2 }, ['2 requests without recorded usage: not counted']],
    [
      { withoutUsage: 3, requestsWithoutUsage: 1 },
      [
        '3 transcripts without recorded usage: not counted',
        '1 request without recorded usage in the others: not counted, either',
      ],
    ],
    [{ repeatedResponses: 1 }, ['1 response in more than one file: counted once']],
    [{ estimatedOutputs: 1 }, ['1 response with too little output recorded: counted by its text']],
    [{ estimatedOutputs: 2 }, ['2 responses with too little output recorded: counted by their text']],
    [
      { withoutReads: 1 },
      [
        '1 transcript without a record of what was read from the cache: counted as if nothing was, so the bill may have been lower',
      ],
    ],
    [{ unpricedRequests: 1, usd: null }, undefined],
  ])('%j', (more, words) => {
    expect(notes(more)).toEqual(words)
  })

  it('names the models without a price', () => {
    const models = [
      { ...sum, model: 'free', unpricedRequests: 2 },
      { ...sum, model: 'paid' },
    ]
    expect(notes({ unpricedRequests: 2 }, { models })?.[0]).toMatch(
      /2 .*free.*; their tokens are counted, their cost is not$/,
    )
    expect(notes({ unpricedRequests: 2 }, { models })?.[0]).not.toContain('paid')
  })

  it('has what a program itself recorded, where that is another sum, and which price makes it', () => {
    const cost = {
      format: 'pi',
      model: 'flash',
      calls: 2,
      recordedUsd: 4.18,
      usd: 1.12,
      kind: 'cacheRead',
      rate: 0.5,
    } as const
    const one = (...recordedCosts: Spending['recordedCosts']) => notes({}, { recordedCosts })
    const said = 'pi recorded $4.18, and these prices make it $1.12'
    const why = ': its own table charges cached tokens of flash at $0.50 per million'
    expect(one(cost)).toEqual([`${said}${why}`])
    expect(one({ ...cost, model: null })).toEqual([`${said}: its own table charges cached tokens at $0.50 per million`])
    for (const nothing of [{ kind: null }, { rate: null }]) expect(one({ ...cost, ...nothing })).toEqual([said])
    const little = { ...cost, model: 'other', recordedUsd: 1, usd: 0.67 }
    expect(one(little, cost)).toEqual([`pi recorded $5.18, and these prices make it $1.79${why}`])
    expect(one({ ...little, usd: 0.65 }, cost)).toEqual(['pi recorded $5.18, and these prices make it $1.77'])
    expect(one({ ...cost, format: 'amp', usd: 9 }, cost)?.map((words) => words.split(',')[0])).toEqual([
      'The program recorded $4.18',
      said.split(',')[0],
    ])
    expect(one({ ...cost, recordedUsd: 101, usd: 100 })).toBeUndefined()
    expect(one({ ...cost, recordedUsd: 101.01, usd: 100 })).toHaveLength(1)
  })
})

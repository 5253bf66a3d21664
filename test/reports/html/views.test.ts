/** The views of the page: each is well made, and each row of a table is of its figures. */
import { describe, expect, it } from 'vitest'
import { noCacheFit } from '../../../src/measures/cache-fit.ts'
import type { Page, PagePicture } from '../../../src/model/page.ts'
import type { PartSpending, ResultSpending, SpendingTotal } from '../../../src/model/spending.ts'
import { missCauses } from '../../../src/model/spending.ts'
import { stopsOf } from '../../../src/reports/html/choice.ts'
import type { Child, Element } from '../../../src/reports/html/element.ts'
import { layout } from '../../../src/reports/html/layout.ts'
import { chartTable, chartView } from '../../../src/reports/html/views/chart.ts'
import { firstView } from '../../../src/reports/html/views/first.ts'
import { headView, listColumns, listed, rowView } from '../../../src/reports/html/views/list.ts'
import { outcomeView } from '../../../src/reports/html/views/outcome.ts'
import { messagesView, pictureMarkup, pictureWords, seriesMarkup } from '../../../src/reports/html/views/session.ts'
import { rankedParts } from '../../../src/reports/html/views/spending.ts'
import { tilesOf } from '../../../src/reports/html/views/tiles.ts'
import { tradeTable, tradeView } from '../../../src/reports/html/views/trade.ts'
import { candidate, program, samplePage, session } from './sample-page.ts'
import { pictureOf } from './sample-picture.ts'

const part = (more: Partial<PartSpending>): PartSpending => ({
  ...{ part: 'tool', tool: 'Read', server: null, count: 4, tokens: 1500, carriedTokens: 90_000, amplification: 60.5 },
  ...{ tokensPercent: 12.34, usd: 2, percent: 20 },
  ...more,
})
const parts = [
  part({ tool: 'Bash', server: 'shell', usd: 3 }),
  part({ part: 'output', tool: null, usd: 90 }),
  part({ part: 'head', tool: null, usd: 5 }),
  part({ part: 'definition', tool: 'Grep', usd: null }),
  part({}),
]
const result: ResultSpending = {
  ...{
    transcript: '/home/me/a.jsonl',
    conversation: null,
    line: 340,
    tool: null,
    server: null,
    requests: 1080,
    tokens: 38_000,
  },
  ...{ carriedTokens: 900_000, usd: 1.234, percent: 3 },
}
const causes = missCauses.map((cause, at) => ({
  ...{ cause, requests: 1200 + at, tokens: 4000, usd: at ? 0.5 : null, percent: 1, tokensPercent: 40 - 5 * at },
}))
const misses = [null, 89, 90, 5399, 5400].map((pause, at) => ({
  ...{
    transcript: `/home/me/m${at}.jsonl`,
    conversation: null,
    request: at,
    line: at + 1,
    cause: 'idle' as const,
    pause,
  },
  ...{ tokens: 5000 + at, usd: at, percent: 1 },
}))
const total = {
  requests: 2400,
  usd: 12,
  missed: { requests: 7, tokens: 9, usd: 3 },
  missedPercent: 53.44,
} as SpendingTotal
const bill = {
  usd: 12,
  input: 10,
  output: 2,
  beside: 0,
  requests: 24,
  sideCalls: 0,
  estimatedOutputs: 0,
  transcripts: 12,
  ...noCacheFit,
}
const line = (words: string, command: string | null = null) => ({ words, command })
const full: Page = {
  ...samplePage,
  spending: { total, parts, results: [result], causes, misses },
  ...{ bill, programs: [program()], text: 'full', noticed: ['a.jsonl: damaged'], damagedLines: 2 },
  answer: [
    line('You spent $12.'),
    line('Dearest session  $3.25  "Mend the login"', 'ctxwin history one'),
    line('All options, and how sure this is:', 'ctxwin recommend'),
    line('1 session of unknown cost.'),
  ],
}
const choice = { policy: 0, budget: 1, session: null }

const textOf = (child: Child): string => (typeof child === 'string' ? child : child.children.map(textOf).join(''))
/** All elements of a tree, itself first. */
const within = (child: Child): Element[] =>
  typeof child === 'string' ? [] : [child, ...child.children.flatMap(within)]
const all = (root: Child | readonly Child[], tag: string): Element[] =>
  [root]
    .flat()
    .flatMap((one) => within(one as Child))
    .filter((one) => one.tag === tag)
const cells = (root: Child | readonly Child[]): string[][] =>
  all(root, 'tr').map(({ children }) => children.map(textOf))
const barOf = (row: Element | undefined): number => Number(all(row as Element, 'rect')[0]?.attributes.width)

const picture: PagePicture = {
  session: 0,
  picture: pictureOf(40),
  runs: pictureOf(40).runs,
  of: [[0, 0], [0]],
  messages: [
    { role: 'user', line: 1234, text: 'Mend\nit', more: 0 },
    { role: 'assistant', line: 2, text: 'x', more: 1 },
  ] as never,
}

describe('every view', () => {
  const views: readonly (readonly [string, readonly Child[]])[] = [
    ['the page', layout(full, choice)],
    ['a page without a bill', layout(samplePage, choice)],
    [
      'of many programs',
      [firstView({ ...full, programs: ['a', 'b', 'c', 'd', 'e'].map((name) => program({ name })) })],
    ],
    ['the outcome', [outcomeView(full, choice), outcomeView(full, { ...choice, session: 0 })]],
    ['the trade', [tradeView(full, choice, 400), tradeTable(full, choice)]],
    ['the chart', [chartView(program(), 400), chartTable(program())]],
    [
      'the list',
      [
        headView({ key: 'spent', direction: 'descending', filter: '' }),
        rowView(full, choice, 0),
        rowView(full, choice, 1),
      ],
    ],
    ['the messages', [messagesView(picture)]],
  ]
  const tags = new Set(
    'a article b button caption circle code dd details div dl dt fieldset figcaption figure footer form g h1 h2 h3 header i input label legend li line main nav ol optgroup option output p path polyline pre rect section select small span strong summary svg table tbody td text tfoot th thead title tr ul'.split(
      ' ',
    ),
  )

  it.each(views)('%s has elements that there are, each with attributes of one value', (_, roots) => {
    for (const { tag, attributes, children } of roots.flatMap(within)) {
      expect(tags).toContain(tag)
      for (const [name, value] of Object.entries(attributes)) {
        expect(name).toMatch(/^[a-z][a-zA-Z\d-]*$/)
        expect(['string', 'number', 'boolean']).toContain(value === null ? 'string' : typeof value)
        if (name === 'class' && value !== null) expect(value).toMatch(/^[a-z][a-z\d-]*( [a-z][a-z\d-]*)*$/)
        if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
      }
      for (const child of children) if (typeof child !== 'string') expect(child).toHaveProperty('tag')
    }
  })

  it.each(views)('%s has as many cells in each row as its head', (_, roots) => {
    for (const table of all(roots, 'table')) {
      const [first, ...rows] = cells(table).map(({ length }) => length)
      for (const count of rows) expect(count).toBe(first)
      for (const th of all(table, 'th')) expect(['row', 'col']).toContain(th.attributes.scope)
      for (const [row] of all(all(table, 'tbody'), 'tr').map(({ children }) => children))
        expect((row as Element).attributes.scope).toBe('row')
    }
  })
})

describe('the tables', () => {
  it('of the trade have each point once, the cheapest first, and say which nothing beats', () => {
    const spots = full.policies.flatMap(({ points, heedsBudget, setting }) =>
      points
        .slice(0, heedsBudget ? 2 : 1)
        .map((point, at) => ({ point, name: heedsBudget ? `${setting} at ${['50k', '100k'][at]}` : setting })),
    )
    const { today } = full
    const expected = spots
      .sort((a, b) => a.point.costInput - b.point.costInput)
      .map(({ point, name }) => {
        const isBeaten = today.costInput <= point.costInput && today.lost <= point.lost
        return [
          name,
          `$${point.costInput.toFixed(2)}`,
          `${point.lost}/80`,
          point.front && !isBeaten ? 'nothing is better in both' : '',
        ]
      })
    const table = tradeTable(full, choice)
    expect(cells(table)).toEqual([['policy', 'cost', 'lost', ''], ...expected])
    const marked = all(table, 'tr').filter((row) => row.attributes.class === 'chosen')
    expect(marked.map((row) => textOf(row.children[0] as Child))).toEqual(['ikigai at 100k'])
    const numbers = all(table, 'button').map((button) => button.attributes['data-spot'])
    expect(numbers).toEqual([0, 1, 2])
    expect(
      all(table, 'td')
        .map((cell) => cell.attributes.class)
        .slice(0, 3),
    ).toEqual(['number', 'number', 'quiet'])
  })

  it('of the chart have each setting with its interval', () => {
    const points = [
      candidate({ net: 7.5, lost: 2.4 }),
      candidate({ fits: false, low: null }),
      candidate({ budget: null, low: -3, high: 1 }),
    ]
    const table = chartTable(program({ points, best: 0 }))
    expect(cells(table)).toEqual([
      ['setting', 'cost, net', 'saved, to come', 'lost'],
      ['claude-code-auto at 160k', '$7.50', '+4.0 to +20 %', '2/80'],
      ['claude-code-auto at 160k (makes requests fail)', '$8.00', '–', '2/80'],
      ['claude-code-auto', '$8.00', '-3.0 to +1.0 %', '2/80'],
    ])
    expect(all(table, 'tr').map((row) => row.attributes.class ?? null)).toEqual([null, 'chosen', null, null])
    expect(cells(chartTable(program({ uses: 0 })))[1]?.[3]).toBe('–')
  })

  it('of what the input was have its parts by money, or by tokens where there is none', () => {
    expect(rankedParts({ parts }).map(({ name, share }) => [name, share])).toEqual([
      ['system prompt, and tools whose definition is not recorded', 50],
      ['Bash (shell)', 30],
      ['Read', 20],
      ['Grep: definition', 0],
    ])
    const free = parts.map((one, at) => ({ ...one, usd: null, tokensPercent: at }))
    expect(rankedParts({ parts: free }).map(({ share }) => share)).toEqual([4, 3, 2, 0])
    const section = layout(full, choice).find(({ attributes }) => attributes.id === 'where') as Element
    const [table, results] = all(section, 'table')
    expect(cells(table as Element)[2]).toEqual([
      'Bash (shell)',
      '',
      '30.0 %',
      '3.00',
      '12.3 %',
      '1.5k',
      '× 60.5',
      '90k',
    ])
    const rows = all(table as Element, 'tr')
    expect(rows.slice(1).map(barOf)).toEqual([100, 60, 40, 0])
    expect(cells(results as Element)[1]).toEqual(['unknown tool', 'a.jsonl:340', '38k', '1,080', '900k', '1.23'])
    const many = { ...full, spending: { ...full.spending, parts: Array.from({ length: 10 }, () => part({})) } } as Page
    const rest = layout(many, choice).find(({ attributes }) => attributes.id === 'where') as Element
    expect(all(rest, 'summary').map(textOf)).toContain('2 more parts')
    expect(
      all(rest, 'table')
        .map((one) => cells(one).length - 1)
        .slice(0, 2),
    ).toEqual([8, 2])
    const shares = layout({ ...full, unit: 'percent' }, choice).find(
      ({ attributes }) => attributes.id === 'where',
    ) as Element
    expect(cells(shares)[0]).toEqual(['what', '', 'weighted', 'of the tokens', 'tokens', 'times sent', 'carried'])
  })

  it('of misses have each cause and each miss, with the pause before it', () => {
    const section = layout(full, choice).find(({ attributes }) => attributes.id === 'misses') as Element
    expect(textOf(section)).toContain(
      '7 of 2,400 requests paid again for what stood in the cache: 53.4 % of the tokens that were not read from it, $3.00 more than reading it.',
    )
    const [why, where] = all(section, 'table')
    const rows = cells(why as Element)
    expect(rows[0]).toEqual(['because', '', 'of missed', 'misses', 'tokens', 'USD'])
    for (const [at, { requests, usd, tokensPercent }] of causes.entries()) {
      expect(rows[at + 1]?.slice(1)).toEqual([
        '',
        `${tokensPercent.toFixed(1)} %`,
        `1,20${requests - 1200}`,
        '4.0k',
        usd === null ? '–' : usd.toFixed(2),
      ])
      expect(barOf(all(why as Element, 'tr')[at + 1])).toBeCloseTo((100 * tokensPercent) / 40, 1)
    }
    expect(
      cells(where as Element)
        .slice(1)
        .map(([, place, pause, , usd]) => [place, pause, usd]),
    ).toEqual([
      ['m0.jsonl:1', '', '0.00'],
      ['m1.jsonl:2', '89 s', '1.00'],
      ['m2.jsonl:3', '2 min', '2.00'],
      ['m3.jsonl:4', '90 min', '3.00'],
      ['m4.jsonl:5', '1.5 h', '4.00'],
    ])
  })

  it('of an outcome have the figures of the data by their names', () => {
    const point = full.policies[0]?.points[1] as NonNullable<Page['policies'][number]['points'][number]>
    const { today } = full
    const exact = (one: object) =>
      Object.fromEntries(
        cells(all(one as Element, 'table').filter(({ attributes }) => attributes.class === 'exact')).map(
          ([key, value]) => [key, Number(value?.replaceAll(',', ''))],
        ),
      )
    expect(exact(outcomeView(full, choice))).toEqual({
      ...{
        'cost.input': point.costInput,
        'cost.summaries': point.summaries,
        'today.costInput': today.costInput,
        'today.summaries': 0,
      },
      ...{
        'today.costSaved': point.costSaved,
        'today.costSavedPercent': point.costSavedPercent,
        sentTokens: point.sentTokens,
      },
      ...{
        overBudgetRequests: point.overBudgetRequests,
        invalidRequests: 0,
        lostLatestUser: 0,
        'today.headlineLost': today.lost,
      },
      ...{ 'today.headlineLostOver': point.lost - today.lost, 'today.headlineTotal': today.uses },
    })
    expect(exact(outcomeView(full, { ...choice, session: 0 }))).toEqual({
      ...{
        'cost.input + cost.summaries': 1.5,
        'today.costInput + today.summaries': 2,
        sentTokens: 400,
        'references.headline.sourceLost': 2,
      },
    })
    const [bars] = all(outcomeView(full, choice), 'table')
    expect(cells(bars as Element)).toEqual([
      ['today', '', '$10.00'],
      ['ikigai at 100k', '', '$8.00'],
      ['unpruned', '', '$14.00'],
    ])
    expect(all(bars as Element, 'tr').map((row) => Math.round(barOf(row)))).toEqual([71, 57, 100])
  })

  it('of sessions have a button for each column, and say by which they are sorted', () => {
    const head = headView({ key: 'spent', direction: 'descending', filter: '' })
    expect(all(head, 'button').map((button) => [textOf(button), button.attributes['data-key']])).toEqual(
      listColumns.map(({ key, header }) => [header, key]),
    )
    expect(head.children.map((th) => (th as Element).attributes['aria-sort'])).toEqual(
      listColumns.map(({ key }) => (key === 'spent' ? 'descending' : 'none')),
    )
    const sessions = [3, null, 9, 5].map((spent, at) =>
      session({ spent, requests: at, last: `2026-03-0${at + 1}T00:00:00.000Z`, title: 'dbca'[at] as string }),
    )
    const page = { ...full, sessions }
    const sorted = (key: string, direction: 'ascending' | 'descending') =>
      listed(page, choice, { key, direction, filter: '' } as never)
    expect([
      sorted('spent', 'descending'),
      sorted('requests', 'ascending'),
      sorted('last', 'descending'),
      sorted('name', 'ascending'),
    ]).toEqual([
      [2, 3, 0, 1],
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [3, 1, 2, 0],
    ])
  })
})

describe('the first screen', () => {
  const page = (more: Partial<Page> = {}) => textOf(firstView({ ...full, ...more }))
  it('has the dearest session, with what to type', () => {
    const [card] = all(firstView(full), 'article').filter(({ attributes }) => attributes.class === 'card dearest')
    expect(textOf(card as Element)).toMatch(
      /^Dearest session\$3\.25“Mend the login” see what filled it.*ctxwin history one/,
    )
    expect(page({ sessions: [session()] })).not.toContain('Dearest session')
    expect(page({ sessions: [session({ title: 'cheap' }), session({ title: 'dear', spent: 9 })] })).toContain(
      '“dear” see',
    )
    const unpriced = [
      session({ title: 'small', spent: null }),
      session({ title: 'large', spent: null, today: { ...session().today, sent: 900 } }),
    ]
    expect(page({ sessions: unpriced })).toContain('“large” see')
  })

  it('has the four dearest parts, of one program', () => {
    const [card] = all(firstView(full), 'article').filter((one) => textOf(one).startsWith('What the input was'))
    expect(cells(card as Element)).toEqual([
      ['system prompt and tools', '', '50 %'],
      ['Bash (shell)', '', '30 %'],
      ['Read', '', '20 %'],
      ['Grep: definition', '', '0 %'],
    ])
    expect(all(card as Element, 'tr').map(barOf)).toEqual([100, 60, 40, 0])
    expect(all(card as Element, 'a').map(({ attributes }) => attributes.href)).toEqual(['#where'])
    expect(page({ programs: [program(), program()] })).not.toContain('What the input was')
    expect(
      page({ spending: { ...(full.spending as NonNullable<Page['spending']>), total: { ...total, usd: null } } }),
    ).not.toContain('What the input was')
  })

  it('has what the numbers rest on behind a fold', () => {
    const fold = (more: Partial<Page>) =>
      textOf(
        all(firstView({ ...full, ...more }), 'details').find(
          ({ attributes }) => attributes.class === 'sure',
        ) as Element,
      )
    const all12 = fold({})
    expect(all12).toContain('claude-code: 12 of 12 transcripts have a price.')
    expect(all12).toContain('off by about 20 % a session.')
    expect(all12).toContain('had been in the window: 80 of them. A summary is taken to keep 3 % of them')
    expect(all12).toContain('1 session of unknown cost.')
    expect(all12).toContain('All options, and how sure this is: ')
    expect(fold({ programs: [program({ uses: 0 })] })).not.toContain('A later use')
  })

  it('draws what is saved as a bar between what is sure and what is possible', () => {
    const bar = (low: number | null, high: number | null, outcome: 'set' | 'keep' = 'set') => {
      const [svg] = all(
        firstView({ ...full, programs: [program({ outcome, points: [candidate({ low, high })] })] }),
        'svg',
      ).filter(({ attributes }) => attributes.class === 'range')
      return (
        svg && [
          svg.attributes['aria-label'],
          ...all(svg, 'rect')
            .slice(1)
            .map(({ attributes }) => [attributes.x, attributes.width]),
        ]
      )
    }
    // To 30 %: a fifth more than the most, in tens.
    expect(bar(6, 24)).toEqual(['saves $0.60 to $2.40', [20, 60]])
    expect(bar(0, 5)).toEqual(['saves $0.00 to $0.50', [0, 50]])
    expect(bar(-5, 100)).toEqual(
      ['saves $-0.50 to $10', [0, 100]].map((one) =>
        typeof one === 'string' ? expect.stringMatching(/to \$10$/) : one,
      ),
    )
    expect(bar(10, 10)?.[1]).toEqual([50, 0.8])
    expect([bar(null, 5), bar(5, null), bar(1, 2, 'keep')]).toEqual([undefined, undefined, undefined])
  })

  it('says what was paid twice where nothing is to be set', () => {
    const nothing = program({ outcome: 'nothing-to-set', best: null, points: [] })
    const tile = (spending: Partial<NonNullable<Page['spending']>>) => {
      const { figure, words } =
        tilesOf({
          ...full,
          programs: [nothing],
          spending: { ...(full.spending as NonNullable<Page['spending']>), ...spending },
        })[2] ?? {}
      return `${figure} ${words}`
    }
    const idle = [{ ...(causes[0] as (typeof causes)[number]), cause: 'idle' as const }]
    expect(tile({ causes: idle })).toBe(
      '$3.00 was paid a second time, in 7 requests, for what the cache no longer had; mostly because the pause was longer than the cache lives',
    )
    expect(tile({ causes: [{ ...idle[0], cause: 'unexplained' }] as never })).toMatch(
      /no longer had; why is mostly not recorded$/,
    )
    for (const missed of [
      { requests: 0, tokens: 0, usd: 1 },
      { requests: 1, tokens: 0, usd: 0 },
      { requests: 1, tokens: 0, usd: null },
    ])
      expect(tile({ total: { ...total, missed } })).toMatch(/^None/)
    expect(tile({ causes: [] })).toMatch(/^None/)
  })

  it('has shares in the place of dollars for who has a plan', () => {
    const shares = {
      ...full,
      unit: 'percent' as const,
      bill: { ...bill, input: 83.4 },
      programs: [program({ unit: 'percent' })],
      today: { ...full.today, sentTokens: 3_000_000 },
    }
    const of = (last: string) =>
      tilesOf({ ...shares, sessions: [session({ first: '2026-01-01T00:00:00.000Z', last })] }).map(
        ({ figure, words }) => `${figure} ${words}`,
      )
    expect(of('2026-01-31T00:00:00.000Z')[0]).toBe(
      '3.0M tokens sent, about 3.0M a month; input weighs 83 % of all, and output the rest',
    )
    expect(of('2026-03-02T00:00:00.000Z')[0]).toContain('about 1.5M a month')
    expect(of('2026-01-30T23:59:59.000Z').slice(0, 2)).toEqual([
      '3.0M tokens sent; input weighs 83 % of all, and output the rest',
      '4 – 20 % of the input could be saved after re-reading',
    ])
  })
})

describe('the picture of a session', () => {
  const rows = {
    tokens: [
      [10_000, 20_000, 30_000, 5000],
      [1000, 0, 0, 500],
    ],
    cost: [
      [0.1, 0.2, 0.3, 0.4],
      [0, 0, 0, 0],
      [0, 0.1, 0, 0],
    ],
    runs: [
      [11_000, 20_000, 30_000, 5500],
      [7000, 8000],
    ],
  }
  const series = {
    ...session().series,
    requests: 12,
    requestsPerColumn: 3,
    parts: [
      { kind: 'user', tool: null },
      { kind: 'tool', tool: 'Read' },
    ],
    of: [[1], [0]],
    recorded: [{ request: 6, kind: 'compaction' }],
  } as never
  const page = (more: object = {}) => ({ ...full, sessions: [session({ series, ...more })] })
  const facts = (svg: string) =>
    [...svg.matchAll(/<text class="soft"[^>]*>([^<]*)</g)].map(([, words]) => words).join(' · ')

  it('of figures alone says what was recorded, or what the setting makes of it', () => {
    const was = seriesMarkup(page() as never, choice, rows, true, 960)
    expect(facts(was)).toBe(
      'as recorded · 12 requests · claude-sonnet-4-5 · 1 recorded compaction · $2.00 for input · 1 later use of content that had left',
    )
    const then = seriesMarkup(page({ transcripts: 2, model: null }) as never, choice, rows, false, 960)
    expect(facts(then)).toBe(
      'ikigai at 100k · 12 requests · 1 recorded compaction · $1.50 for input, sub-agents and all · 2 later uses of content that had left',
    )
    expect(
      facts(
        seriesMarkup(page({ costed: false, today: { ...session().today, lost: 0 } }) as never, choice, rows, true, 960),
      ),
    ).toMatch(/1 recorded compaction · no content used later had left$/)
    expect(then).toContain('under ikigai at 100k; the stack is as recorded')
    expect(was).not.toContain('class="other"')
    // Of four columns the policy has two: each is drawn twice.
    const [, outline = ''] = /class="other" d="([^"]*)"/.exec(then) ?? []
    const levels = [...outline.matchAll(/[ V](\d+)h1/g)].map(([, level]) => Number(level))
    expect(levels[0]).toBe(levels[1])
    expect(levels[2]).toBe(levels[3])
    const scale = 260 / (30_000 * 1.04)
    expect(levels.map((level) => Math.round((260 - level) / scale / 100))).toEqual(
      [70, 70, 80, 80].map((one) => expect.closeTo(one, -0.5)),
    )
    expect(was).toContain('The largest request has 30k tokens. What the requests carried: You, Read.')
    const shares = { ...page(), inPercent: 200 }
    expect(seriesMarkup(shares as never, choice, rows, true, 960)).toContain('$0.20<')
    expect(was).toContain('$0.40<')
  })

  it('of what is on the page has the run of the choice, and its budget', () => {
    const run = picture.runs[0] as PagePicture['runs'][number]
    const two = { ...picture, runs: [{ ...run, policy: 'as-recorded', budget: 0 }, run], of: [[1, 1], [0]] }
    const say = (asItWas: boolean, more: object = choice) =>
      facts(pictureMarkup(full, { ...choice, ...more }, two, asItWas, 960))
    expect(say(true)).toMatch(/^as-recorded · 40 requests/)
    expect(say(false)).toMatch(/^ikigai at 100k · /)
    expect(say(false, { budget: 0 })).toMatch(/^ikigai at 50k · /)
    expect(say(false, { policy: 1 })).toMatch(/^as-recorded · /)
    const long = { ...two, picture: { ...two.picture, title: 'x'.repeat(100) } }
    expect(pictureMarkup(full, choice, long, true, 330)).toContain(`>${'x'.repeat(29)}…<`)
    expect(pictureMarkup(full, choice, { ...two, picture: { ...two.picture, title: null } }, true, 960)).toContain(
      'A session: what filled its window',
    )
  })

  it('has messages with their lines, and how much of each is left out', () => {
    const list = messagesView(picture)
    expect(list.children.map((item) => (item as Element).children.map(textOf))).toEqual([
      ['line 1,234 · user', 'Mend\nit'],
      ['line 2 · assistant', 'x', '… 1 more character'],
    ])
    expect(messagesView({ ...picture, messages: undefined } as never).children).toEqual([])
  })

  it('says what the pictures of most sessions do not have', () => {
    const words = (count: number) =>
      pictureWords({
        ...full,
        pictures: Array.from({ length: count }, () => picture),
        sessions: [session(), session(), session()],
      })
    expect(words(0)).toMatch(/above\. Exchanges and what was used .* --output svg\.$/)
    expect(words(1)).toContain('The dearest has exchanges and lost uses besides')
    expect(words(2)).toContain('The 2 dearest sessions have exchanges')
    expect(words(3)).toMatch(/table above\.$/)
  })
})

it('a policy can be tried at the budgets that its program accepts, and that make a difference', () => {
  const page = (more: object) => ({ ...full, policies: [{ ...full.policies[0], ...more }] }) as Page
  expect(stopsOf(page({}), 0)).toEqual([0, 1])
  expect(stopsOf(page({ accepted: [false, true] }), 0)).toEqual([1])
  expect(stopsOf(page({ accepted: [false, false] }), 0)).toEqual([0])
  expect(stopsOf(page({ heedsBudget: false }), 0)).toEqual([0])
  expect(stopsOf(page({ points: full.policies[0]?.points.slice(1) }), 0)).toEqual([0])
})

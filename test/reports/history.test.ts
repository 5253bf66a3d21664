/** The picture of a window, drawn from figures that are made up: every word of it follows from one of them. */
import { describe, expect, it } from 'vitest'
import type { HistoryView, InsideExchange, LostUse, OutsideExchange } from '../../src/model/history.ts'
import { type HistoryOptions, renderHistory } from '../../src/reports/history.ts'

const minute = 60_000
const [hour, day] = [60 * minute, 24 * 60 * minute]

const out = (exchange: number, title: string | null, more: Partial<OutsideExchange> = {}): OutsideExchange => ({
  ...{ exchange, title, left: 'evicted', age: null, tokens: 20, interrupted: false },
  ...more,
})
const inside = (exchange: number, title: string | null, more: Partial<InsideExchange> = {}): InsideExchange => ({
  ...{ exchange, title, age: null, interrupted: false, tokens: 100, current: false, missing: 0, lines: [] },
  ...more,
})
const use = (exchange: number, more: Partial<LostUse> = {}): LostUse => ({
  ...{ term: 'src/a.c', termClass: 'path', exchange, line: 40, mentionLost: true, sourceLost: true },
  ...{ seenExchange: 1, seenLine: 9, seenTokensAgo: 41_000 },
  ...more,
})

const sample: HistoryView = {
  ...{ transcript: 'a.jsonl', conversation: null, policy: 'ikigai', params: { keepLast: 2 }, budget: 90_000 },
  ...{ estimator: 'bytes', request: 83, time: Date.UTC(2026, 2, 14, 10, 42, 59), tokens: 82_000 },
  ...{ preambleTokens: 1200, preambleSource: 'recorded', withoutUsage: null, unknownHistoryTokens: 0 },
  outside: [
    out(-1, null, { age: 2 * day, tokens: 700 }),
    out(0, 'Mend the login', { age: 49 * minute, tokens: 4100 }),
    out(1, '', { left: 'cleared', interrupted: true }),
  ],
  inserted: [
    { before: 2, tokens: 55, lines: [{ kind: 'inserted', text: 'A summary' }] },
    { before: 9, tokens: 7, lines: [] },
  ],
  inside: [
    inside(2, 'Tests', {
      ...{ age: minute - 1, tokens: 5200, missing: 3, interrupted: true },
      lines: [
        { kind: 'user', text: 'Add tests' },
        { kind: 'aside', text: 'Let me see' },
        { kind: 'tool', name: 'Read', target: 'src/a.c', shortened: true },
        { kind: 'tool', name: 'Bash', target: null, shortened: false },
        { kind: 'assistant', text: 'Done' },
      ],
    }),
    inside(3, 'Now lint', { age: hour, current: true, lines: [{ kind: 'user', text: 'Now lint' }] }),
  ],
  cutAfter: 2,
  lost: [
    use(2),
    use(2),
    use(2, { term: 'src/b.c', termClass: 'content', seenExchange: -1, seenTokensAgo: 900 }),
    use(3, { term: null, termClass: 'content' }),
  ],
}

const print = (change: Partial<HistoryView> = {}, options: Partial<HistoryOptions> = {}): string =>
  [...renderHistory({ ...sample, ...change }, { width: 80, color: false, all: false, ...options })].join('')

describe('the picture', () => {
  it('has what left, with its age; the cutoff; what was put in, what is inside and what it uses; the rule', () => {
    expect(print()).toMatchInlineSnapshot(`
      "ikigai:keepLast=2 at 90k, before request 84, 2026-03-14 10:42 UTC

      Sliding Window (82k/90k tokens):

      [Outside window - in archival]
        Before exchange 1 (evicted 2d ago, 700)
        Exchange 1: "Mend the login" (evicted 49min ago, 4.1k)
        Exchange 2: (no text) (cleared, 20, interrupted)

      ──────────────────────────── the window begins here ────────────────────────────

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 1.2k)

        Inserted by the policy (55)
          └─ Inserted: "A summary"

        Exchange 3: "Tests" (just now, 5.2k, interrupted, 3 of its messages gone)
          ├─ User: "Add tests"
          ├─ Tool: Read src/a.c (shortened)
          ├─ Tool: Bash
          ├─ Assistant: "Done"
          ├─ uses src/a.c, last seen 41k tokens ago in exchange 2
          └─ uses text of src/b.c, last seen 900 tokens ago before exchange 1

      ───────────────────────────────── pruned here ──────────────────────────────────

        Exchange 4: "Now lint" (current, 100)
          ├─ User: "Now lint"
          └─ uses text, last seen 41k tokens ago in exchange 2

        Inserted by the policy (7)
      "
    `)
  })

  it('tells of the agent what it did itself, and of a preamble where its size is from', () => {
    const text = print({
      ...{ policy: 'as-recorded', params: {}, budget: 0, request: null, time: null, cutAfter: 3 },
      outside: [out(0, 'x', { age: 3 * hour, tokens: 5 }), out(1, 'y', { left: 'cleared', age: 0, tokens: 5 })],
      ...{ unknownHistoryTokens: 300, preambleSource: 'usual' },
      withoutUsage: {
        ...{ transcripts: 1, lowPercent: -16, highPercent: 20 },
        basis: [{ of: 'own', transcripts: 1, fewest: 14, most: 14 }],
      },
    })
    expect(text).toMatchInlineSnapshot(`
      "as-recorded, at the end

      Sliding Window (82k tokens; no usage recorded: -16.0 to +20.0 %):

      [Outside window - in archival]
        Exchange 1: "x" (compacted 3h ago, 5)
        Exchange 2: "y" (cleared just now, 5)

      ──────────────────────────── the window begins here ────────────────────────────

      [Inside window - currently visible]
        Preamble: system prompt and tools (not recorded, as in 14 other sessions of y…
        Before this file: not recorded (300)

        Inserted by the agent (55)
          └─ Inserted: "A summary"

        Exchange 3: "Tests" (just now, 5.2k, interrupted, 3 of its messages gone)
          ├─ User: "Add tests"
          ├─ Tool: Read src/a.c (shortened)
          ├─ Tool: Bash
          ├─ Assistant: "Done"
          ├─ uses src/a.c, last seen 41k tokens ago in exchange 2
          └─ uses text of src/b.c, last seen 900 tokens ago before exchange 1

        Exchange 4: "Now lint" (current, 100)
          ├─ User: "Now lint"
          └─ uses text, last seen 41k tokens ago in exchange 2

        Inserted by the agent (7)

      ──────────────────────────────── compacted here ────────────────────────────────

      "
    `)
  })

  const long = {
    cutAfter: null,
    outside: Array.from({ length: 10 }, (_, at) => out(at, `t${at}`, { tokens: 10 ** at })),
    inside: [
      inside(10, 'many', {
        lines: Array.from({ length: 11 }, (_, at) => ({ kind: 'assistant' as const, text: `line ${at}` })),
      }),
    ],
    lost: [0, 1, 2, 3, 4].map((at) => use(10, { term: `f${at}` })),
    inserted: [],
  }

  it('shortens long lists in their middle, with how many and how much is hidden', () => {
    expect(print(long)).toMatchInlineSnapshot(`
      "ikigai:keepLast=2 at 90k, before request 84, 2026-03-14 10:42 UTC

      Sliding Window (82k/90k tokens):

      [Outside window - in archival]
        Exchange 1: "t0" (evicted, 1)
        Exchange 2: "t1" (evicted, 10)
        Exchange 3: "t2" (evicted, 100)
        … 2 more (11k)
        Exchange 6: "t5" (evicted, 100k)
        Exchange 7: "t6" (evicted, 1.0M)
        Exchange 8: "t7" (evicted, 10M)
        Exchange 9: "t8" (evicted, 100M)
        Exchange 10: "t9" (evicted, 1.0B)

      ──────────────────────────── the window begins here ────────────────────────────

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 1.2k)

        Exchange 11: "many" (100)
          ├─ Assistant: "line 0"
          ├─ Assistant: "line 1"
          ├─ Assistant: "line 2"
          ├─ Assistant: "line 3"
          ├─ Assistant: "line 4"
          ├─ Assistant: "line 5"
          ├─ … 2 more
          ├─ Assistant: "line 8"
          ├─ Assistant: "line 9"
          ├─ Assistant: "line 10"
          ├─ uses f0, last seen 41k tokens ago in exchange 2
          ├─ uses f1, last seen 41k tokens ago in exchange 2
          ├─ uses 2 more from outside
          └─ uses f4, last seen 41k tokens ago in exchange 2
      "
    `)
  })

  it('has each of them where all is asked for, and where only one would be hidden', () => {
    const all = print(long, { all: true })
    const expected = [
      ...long.outside.map(({ title }) => `"${title}"`),
      ...Array.from({ length: 11 }, (_, at) => `"line ${at}"`),
      ...long.lost.map(({ term }) => `uses ${term},`),
    ]
    expect(expected.filter((words) => !all.includes(words))).toEqual([])
    expect(all).not.toContain('more')
    const { lines } = long.inside[0] as InsideExchange
    const justAll = { outside: long.outside.slice(1), lost: long.lost.slice(1) }
    expect(print({ ...long, ...justAll, inside: [inside(10, 'many', { lines: lines.slice(1) })] })).not.toContain(
      'more',
    )
  })

  it('cuts words, never figures, to the width', () => {
    const lines = [
      { kind: 'tool' as const, name: 'Read', target: '/home/me/projects/shop/src/login/form.ts', shortened: true },
      { kind: 'tool' as const, name: 'Bash', target: 'npm run test -- --watch and so on', shortened: false },
      { kind: 'user' as const, text: 'Mend the login page and then the logout page' },
    ]
    const title = 'Mend the login page and then the logout page'
    const text = print(
      { inside: [inside(3, title, { lines, age: hour })], lost: [use(3, { term: 'x'.repeat(70) })] },
      { width: 48 },
    )
    expect(text.slice(text.indexOf('  Exchange 4'))).toMatchInlineSnapshot(`
      "  Exchange 4: "Mend the login pa…" (1h ago, 100)
          ├─ Tool: Read /home/me…n/form.ts (shortened)
          ├─ Tool: Bash npm run test -- --watch and s…
          ├─ User: "Mend the login page and then the…"
          └─ uses xxxxx…xxxxxx, last seen 41k tokens …

        Inserted by the policy (7)
      "
    `)
  })

  it('has the cost of each exchange only of what the agent did', () => {
    const spent = {
      billed: [],
      exchanges: [
        { exchange: 0, usd: 1.5 },
        { exchange: 3, usd: null },
        { exchange: 2, usd: 0.25 },
      ],
    }
    const rest = {
      usd: null,
      beside: { calls: 0, usd: null },
      tokens: {},
      cost: {},
      recordedCosts: [],
      cuts: [],
      parts: [],
      results: [],
    }
    const more = { file: {}, family: {}, causes: [], missed: { requests: 0 }, misses: [] }
    const whole = {
      ...rest,
      ...more,
      ...spent,
      exchanges: spent.exchanges.map((one) => ({ ...one, tokens: 1, requests: 1, percent: 1, title: null })),
    } as never
    const recorded = print({ policy: 'as-recorded' }, { spent: whole, width: 100 })
    expect(recorded).toContain('(compacted 49min ago, 4.1k, $1.50)')
    expect(recorded).toContain('5.2k, $0.25, interrupted, 3 of its messages gone)')
    expect(recorded).toContain('"Now lint" (current, 100)')
    expect(print({}, { spent: whole, width: 100 })).toBe(print({}, { width: 100 }))
    expect(print({ policy: 'as-recorded' }, { spent: null })).toContain('\n\nCost unknown: no usage is recorded.\n\n')
    expect(print({ policy: 'as-recorded' })).not.toContain('Cost')
  })

  it.each([
    [0, 'just now'],
    [minute - 1, 'just now'],
    [minute, '1min ago'],
    [hour - 1, '59min ago'],
    [hour, '1h ago'],
    [day - 1, '23h ago'],
    [day, '1d ago'],
    [1234 * day, '1,234d ago'],
  ])('says of an age of %d ms: %s', (age, words) => {
    expect(print({ outside: [out(0, 'x', { age })] })).toContain(`"x" (evicted ${words}, 20)`)
    expect(print({ inside: [inside(3, 'y', { age })] })).toContain(`"y" (${words}, 100)`)
  })
})

describe('what was used after it had left', () => {
  it('is listed by exchange, on two lines where one is too short', () => {
    const lost = [
      use(-1),
      use(3, { line: 41, seenLine: 8 }),
      use(3, { term: 'x'.repeat(80), mentionLost: false }),
      use(3, { termClass: 'content', term: 'src/c.c' }),
      use(4, { termClass: 'content', term: null }),
    ]
    expect(print({ lost }, { lost: true, width: 73 })).toMatchInlineSnapshot(`
      "ikigai:keepLast=2 at 90k: 2 uses of content that had left the window, and
        3 of names

        Before exchange 1
          line 40: src/a.c, last seen 41k tokens ago in exchange 2 (line 9)

        Exchange 4
          line 41: src/a.c, last seen 41k tokens ago in exchange 2 (line 8)
          line 40: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
            last seen 41k tokens ago in exchange 2 (line 9), still mentioned
          line 40: text of src/c.c
            last seen 41k tokens ago in exchange 2 (line 9)

        Exchange 5
          line 40: text, last seen 41k tokens ago in exchange 2 (line 9)
      "
    `)
    expect(print({ lost: lost.slice(3) }, { lost: true })).toMatch(
      /^.*at 90k: 2 uses of content that had left the window\n/,
    )
    expect(print({ lost: [] }, { lost: true })).toBe(
      'ikigai:keepLast=2 at 90k: nothing was used that had left the window.\n',
    )
  })
})

/** The views of the page, as what they are: functions of its data. */
import { describe, expect, it } from 'vitest'
import type { Page } from '../../../src/model/page.ts'
import type { CompactionSum, MissSpending, Spending } from '../../../src/model/spending.ts'
import { cellAt, chosen, firstChoice, sentencesOf } from '../../../src/reports/html/choice.ts'
import { pageDocument } from '../../../src/reports/html/document.ts'
import type { Child } from '../../../src/reports/html/element.ts'
import { layout } from '../../../src/reports/html/layout.ts'
import { sessionPacker, unpackedSession } from '../../../src/reports/html/sessions.ts'
import { listed, rowView } from '../../../src/reports/html/views/list.ts'
import { outcomeView } from '../../../src/reports/html/views/outcome.ts'
import { missesView } from '../../../src/reports/html/views/spending.ts'
import { spotsOf, tradeView } from '../../../src/reports/html/views/trade.ts'
import { samplePage, session } from './sample-page.ts'

const textOf = (child: Child): string => (typeof child === 'string' ? child : child.children.map(textOf).join(' '))
const first = { policy: 0, budget: 0, session: null }

describe('a choice', () => {
  it('is first what the answer names, else of what is cheaper than today what loses least, or no more', () => {
    expect(firstChoice(samplePage)).toEqual({ policy: 0, budget: 1, session: null })
    expect(firstChoice({ ...samplePage, opensAt: { policy: 1, budget: 0 } })).toEqual({
      policy: 1,
      budget: 0,
      session: null,
    })
    const forgiving = { ...samplePage, today: { ...samplePage.today, lost: 9 } }
    expect(firstChoice(forgiving)).toEqual({ policy: 0, budget: 0, session: null })
    const cheap = { ...samplePage, today: { ...samplePage.today, costInput: 1 } }
    expect(firstChoice(cheap)).toEqual({ policy: 0, budget: 0, session: null })
  })

  it('is told as simulate tells it', () => {
    expect(sentencesOf(chosen(samplePage, first))).toEqual([
      'ikigai at 50k: $6.00 for input, 40.0 % less than today ($10.00)',
      'loses 9 of 80 later uses (today 1)',
      '3 requests still over 50k',
    ])
  })

  it('is of one session where one is chosen', () => {
    const { paid, today, savedPercent, lost } = chosen(samplePage, { ...first, session: 0 })
    expect({ paid, today, savedPercent, lost }).toEqual({ paid: 1, today: 2, savedPercent: 50, lost: 4 })
  })

  it('holds nothing against a budget that the program does not accept, and draws no point there', () => {
    const [policy, ...others] = samplePage.policies
    const page: Page = { ...samplePage, policies: [{ ...policy!, accepted: [false, true] }, ...others] }
    const at = (budget: number) => textOf(outcomeView(page, { policy: 0, budget, session: null }))
    expect(at(0)).toContain('The program does not accept 50k: everything stays as it is.')
    expect(at(0)).not.toContain('over 50k')
    expect(at(1)).toContain('no request over 100k')
    expect(spotsOf(page)).toHaveLength(2)
  })

  it('finds at larger budgets what stays the same and is not repeated', () => {
    expect(cellAt(session().cells[1]!, 1)).toEqual({ paid: 3_000_000, lost: 0, sent: 500, over: 0 })
    expect(cellAt(session().cells[0]!, 1)).toEqual({ paid: 1_500_000, lost: 2, sent: 400, over: 0 })
  })
})

describe('money against memory', () => {
  it('has a point for each policy and budget, and one where the budget does not matter', () => {
    expect(spotsOf(samplePage)).toHaveLength(3)
  })

  it('can be drawn of one point, of nothing lost and of nothing paid', () => {
    const nothing = { ...samplePage.today, costInput: 0, lost: 0, uses: 0 }
    const [policy] = samplePage.policies
    const still = { ...policy!.points[0]!, costInput: 0, lost: 0 }
    const page: Page = {
      ...samplePage,
      budgets: [50_000],
      policies: [{ ...policy!, points: [still] }],
      today: nothing,
      unpruned: { ...samplePage.unpruned, costInput: 0 },
    }
    expect(JSON.stringify(tradeView(page, first, 320))).not.toMatch(/NaN|Infinity|null,null/)
  })

  it('names each amount of the axis once, and several of them at any width', () => {
    const costing = (amounts: readonly [number, number]): Page => {
      const [least, most] = amounts
      const world = { costInput: least, summaries: 0 }
      const policies = samplePage.policies.map((policy) => ({
        ...policy,
        points: policy.points.map((point) => ({ ...point, ...world, costInput: most })),
      }))
      return {
        ...samplePage,
        policies,
        today: { ...samplePage.today, ...world },
        unpruned: { ...samplePage.unpruned, ...world },
      }
    }
    for (const amounts of [
      [0.12, 0.12],
      [100, 100.0001],
      [0.53, 6.9],
      [0, 0],
    ] as const) {
      for (const width of [300, 1100]) {
        const words = textOf(tradeView(costing(amounts), first, width)).match(/\$[\d.,]+/g) ?? []
        expect(new Set(words).size).toBe(words.length)
        if (amounts[1] === 0.12 || amounts[1] === 6.9) expect(words.length).toBeGreaterThan(1)
      }
    }
  })
})

describe('the sessions', () => {
  const order = { key: 'requests', direction: 'descending', filter: '' } as const

  it('are sorted by any column and found by words of name, project and model', () => {
    expect(listed(samplePage, first, order)).toEqual([1, 0])
    expect(listed(samplePage, first, { ...order, direction: 'ascending' })).toEqual([0, 1])
    expect(listed(samplePage, first, { ...order, filter: 'LOGIN sonnet' })).toEqual([0])
    expect(listed(samplePage, first, { ...order, filter: 'nowhere' })).toEqual([])
  })

  it('have a short name where nothing was said in them, and the whole one where it is pointed at', () => {
    const file = '/home/me/53ea19c1-0b1a-4c3e-9d2f-aa5f6b7c8d9e.jsonl'
    const row = rowView({ ...samplePage, sessions: [session({ title: null, file })] }, first, 0)
    expect(textOf(row)).toContain('53ea19c1…9e.jsonl')
    expect(JSON.stringify(row)).toContain(`"title":"${file}"`)
  })

  it('show what is invisible or would turn text around as escapes', () => {
    const page = { ...samplePage, sessions: [session({ title: 'a\u202eb\u001b[31mc' })] }
    expect(textOf(rowView(page, first, 0))).toContain('a\\u202eb\\x1b[31mc')
  })
})

describe('where the cache missed', () => {
  it('is a file in short with its line, and the whole path where it is pointed at', () => {
    const transcript = '/home/me/53ea19c1-0b1a-4c3e-9d2f-aa5f6b7c8d9e.jsonl'
    const miss = { transcript, line: 147, cause: 'idle', pause: 400, tokens: 10, usd: 1 } as MissSpending
    const cause = { cause: 'idle', tokensPercent: 100, requests: 1, tokens: 10, usd: 1 }
    const total = { missed: { requests: 1, usd: 1 }, requests: 2, missedPercent: 50 }
    const views = missesView({ causes: [cause], misses: [miss], total } as unknown as Spending, 'usd')
    expect(views.map(textOf).join(' ')).toContain('53ea19c1-0…8d9e.jsonl:147')
    expect(JSON.stringify(views)).toContain(`"title":"${transcript}:147"`)
  })
})

describe('a page', () => {
  it('of no session, of nothing with a price and of no usage says so', () => {
    const none: Page = { ...samplePage, sessions: [], answer: [] }
    expect(layout(none, first).map(textOf).join(' ')).toContain('No transcripts')
    const unpriced: Page = { ...samplePage, unit: 'input-token-equivalents' }
    const text = layout(unpriced, first).map(textOf).join(' ')
    expect(text).toContain('No usage is recorded')
    expect(text).toContain('no model here has a known price')
  })

  it('has its data where it belongs, and nothing in it ends the script element', () => {
    const built = '<script type="application/json" id="data">{}</script><script>run()</script>'
    const hostile = session({ title: '</script><script>alert(1)</script><!-- \u2028 $& $1' })
    const html = [...pageDocument(built, { ...samplePage, sessions: [hostile, session()] })].join('')
    expect(html.match(/</g)).toHaveLength(4)
    const [, data] = /id="data">(.*?)<\/script><script>run\(\)<\/script>$/s.exec(html)!
    const { parts, ...rest } = JSON.parse(data!)
    expect(parts).toEqual([])
    expect(rest).toEqual({ ...samplePage, sessions: [hostile, session()] })
  })

  it('has what fills windows once, and finds it again by session', () => {
    const [user, read, bash] = [
      { kind: 'user', tool: null },
      { kind: 'tool', tool: 'Read' },
      { kind: 'tool', tool: 'Bash' },
    ] as const
    const { series } = session()
    const sessions = [[user, read], [], [bash, user]].map((parts) => session({ series: { ...series, parts } }))
    const packer = sessionPacker(sessions)
    expect(packer.parts).toEqual([user, read, bash])
    const packed = sessions.map(packer.pack)
    expect(packed.map((one) => one.series.parts)).toEqual([[0, 1], [], [2, 0]])
    expect(packed.map((one) => unpackedSession(one, packer.parts))).toEqual(sessions)
  })
})

describe('what compactions did', () => {
  const none = { usd: null, rereads: null, rereadsBefore: null, heldContent: null, heldNamed: null, heldCopied: null }
  const bare: CompactionSum = {
    ...{ program: 'codex', compactions: 1, transcripts: 1, tokensBefore: null, tokensAfter: null, rewrittenTokens: 0 },
    ...{ ...none, mishaps: null, mishapsBefore: null },
  }
  const mishaps = { over: 30, results: 40, failed: 3, rejected: 0, interrupted: 1, prompts: 5, corrected: 0 }
  const full: CompactionSum = {
    ...{ ...bare, program: null, compactions: 3, transcripts: 2, tokensBefore: 150_000, tokensAfter: 20_000, usd: 0.5 },
    rereads: { over: 30, requests: 9, tokens: 36_000, usd: null },
    rereadsBefore: { over: 40, requests: 4, tokens: 8000, usd: null },
    heldContent: { used: 9, kept: 4 },
    heldNamed: { used: 7, kept: 1 },
    heldCopied: { used: 0, kept: 0 },
    mishaps,
    mishapsBefore: { ...mishaps, failed: 1, interrupted: 0 },
  }
  const wordsOf = (...compactions: readonly CompactionSum[]): string =>
    layout({ ...samplePage, compactions }, first)
      .map(textOf)
      .join(' ')

  it('is not on the page of agents that compacted nothing', () => {
    expect(wordsOf()).not.toContain('What compactions did')
  })

  it('says what is known of each program, and no more', () => {
    const words = wordsOf(full, bare)
    expect(words).toContain(
      '3 compactions in 2 transcripts cost $0.50: writing the cache anew, and summaries where the call is recorded. Of what was used later, summaries held 4 of 9 texts.',
    )
    expect(words).toContain('the window, in tokens (median) 150k 20k')
    expect(words).toContain('read again, in tokens a request 200 1.2k')
    expect(words).toContain('calls that failed 1/40 2.5 % 3/40 7.5 % you stopped it 0 1')
    expect(words).not.toContain('you corrected it')
    expect(words).toContain(
      'codex 1 compaction in 1 transcript. What summaries held of what was used later is not known.',
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import type { SessionPicture } from '../../../src/model/session-picture.ts'
import { columnAt } from '../../../src/reports/html/session/frame.ts'
import { sessionSvg, sessionView } from '../../../src/reports/html/session/view.ts'
import { anyText } from '../../any-text.ts'

/** A session of so many requests, each with 100 tokens more than the one before; half of it leaves in the middle. */
function pictureOf(requests: number, words = 'Mend the login page'): SessionPicture {
  const list = (of: (request: number) => number) => Array.from({ length: requests }, (_, request) => of(request))
  const half = Math.ceil(requests / 2)
  return {
    transcript: 'session.jsonl',
    conversation: null,
    title: words,
    model: words,
    estimator: 'bytes',
    preambleSource: 'none',
    unit: 'usd',
    modelWindow: 200_000,
    requests,
    requestsPerColumn: 1,
    columns: requests,
    recorded: [{ request: half - 1, kind: 'compaction' }],
    exchanges: [
      { exchange: 0, from: 0, to: half, title: words, firstLine: 1, lastLine: 9, tokens: 5000, tools: [[words, 3]] },
      { exchange: 1, from: half, to: requests, title: words, firstLine: 10, lastLine: 20, tokens: 5000, tools: [] },
    ],
    runs: [
      {
        policy: 'ikigai',
        params: {},
        budget: 100_000,
        largest: list((request) => request),
        sent: list((request) => 50_000 + 100 * request),
        parts: [
          { kind: 'preamble', tool: null, tokens: list(() => 20_000), share: 40 },
          { kind: 'user', tool: null, tokens: list(() => 10_000), share: 20 },
          { kind: 'tool', tool: words, tokens: list((request) => 20_000 + 100 * request), share: 40 },
        ],
        cuts: [{ request: half, cuts: 1, tokensBefore: 90_000, tokensAfter: 40_000, rule: half - 1 }],
        cache: {
          read: list(() => 40_000),
          added: list(() => 1000),
          missed: list((request) => (request === half ? 9000 : 0)),
          readCost: list(() => 0.02),
          addedCost: list(() => 0.01),
          missedCost: list((request) => (request === half ? 0.1 : 0)),
        },
        absences: [{ exchange: 0, from: half, to: null }],
        arcs: [
          {
            from: 1,
            to: requests - 1,
            uses: 3,
            examples: [{ term: words, line: 90, seenLine: 4 }],
          },
        ],
        costInput: 3,
        costSummaries: 0,
      },
    ],
  }
}

const width = 960

/** Anything, in the namespace of SVG: what remains to be said is whether it is XML at all. */
const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/2000/svg">
  <xs:element name="svg" type="xs:anyType"/>
</xs:schema>`

async function faultsOf(pictures: readonly string[]): Promise<string[]> {
  const xml = pictures.map((contents, number) => ({ fileName: `${number}.svg`, contents }))
  const { errors } = await validateXML({ xml, schema: [schema] })
  return errors.map(({ message }) => message)
}

const hostile = [
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  ']]>&<![CDATA[',
  '\u001b[31mred\u0007\u0000',
  '\u202eשלום עולם مرحبا',
  '\ufffe\uffff\ud800',
  'a'.repeat(5_000_000),
  '👩‍👩‍👧‍👦'.repeat(200),
]

interface Placed {
  readonly y: number
  readonly from: number
  readonly to: number
  readonly words: string
}

/** The texts of each piece, from where to where they reach by the picture's own measure. */
function textsOf(svg: string): Map<string, Placed[]> {
  const lines = new Map<string, Placed[]>()
  let piece = ''
  for (const [, place, attributes, content] of svg.matchAll(
    /<g transform="translate\(([^)]*)\)">|<text([^>]*)>(.*?)<\/text>/g,
  )) {
    if (place !== undefined) piece = place
    if (attributes === undefined) continue
    const [, x = '0'] = / x="([^"]*)"/.exec(attributes) ?? []
    const [, y = '0'] = / y="([^"]*)"/.exec(attributes) ?? []
    const [, classes = ''] = /class="([^"]*)"/.exec(attributes) ?? []
    const words = (content as string).replace(/<[^>]*>/g, '').replace(/&\w+;|&#\d+;/g, '·')
    const size = classes.includes('small') || classes.includes('lane') ? 11 : classes.includes('title') ? 15 : 12
    const wide = words.length * size * 0.56
    const [left] = piece.split(' ')
    const start =
      Number(left) + Number(x) - (classes.includes('end') ? wide : classes.includes('middle') ? wide / 2 : 0)
    lines.set(piece, [...(lines.get(piece) ?? []), { y: Number(y), from: start, to: start + wide, words }])
  }
  return lines
}

describe('the picture of a session as SVG', () => {
  it('has a title, a description, its style, and nothing from elsewhere', () => {
    const svg = sessionSvg(pictureOf(50), { width })
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="session-picture" role="img" aria-labelledby=/,
    )
    expect(svg).toContain('<title id="session-title">“Mend the login page”: what filled its window</title>')
    expect(svg).toMatch(
      /<desc id="session-desc">.* at 100k, 50 requests, .*, 1 cut, 1 recorded compaction, \$3\.00 for input/,
    )
    expect(svg).toContain('prefers-color-scheme:dark')
    expect(svg).not.toMatch(/<script|href|@import|url\(|<foreignObject/)
  })

  it('is XML whatever the words are, and no word is markup', async () => {
    const words = [...hostile, ...fc.sample(anyText({ maxLength: 200 }), { numRuns: 100, seed: 1 })]
    const pictures = words.map((one) => sessionSvg(pictureOf(12, one), { width }))
    expect(await faultsOf(pictures)).toEqual([])
    for (const svg of pictures) {
      expect(svg).not.toMatch(/<script|<img/)
      expect(svg).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/)
      expect(svg.length).toBeLessThan(30_000)
    }
  })

  it('says no two things at the same place', () => {
    const shape = fc.record({
      requests: fc.integer({ min: 1, max: 300 }),
      wide: fc.integer({ min: 320, max: 1600 }),
      breaks: fc.array(fc.nat(300), { maxLength: 30 }),
      window: fc.integer({ min: 60_000, max: 200_000 }),
    })
    fc.assert(
      fc.property(shape, ({ requests, wide, breaks, window }) => {
        const picture = pictureOf(requests)
        const [run] = picture.runs
        const cuts = [...new Set(breaks.map((one) => one % (requests + 1)))]
          .sort((a, b) => a - b)
          .map((request) => ({ request, cuts: 1, tokensBefore: 90_000, tokensAfter: 12_345, rule: request }))
        const svg = sessionSvg(
          { ...picture, modelWindow: window, runs: [{ ...run, cuts } as (typeof picture.runs)[number]] },
          { width: wide },
        )
        const over: string[] = []
        for (const texts of textsOf(svg).values()) {
          for (const [at, one] of texts.entries()) {
            for (const other of texts.slice(0, at)) {
              const apart = one.from >= other.to || other.from >= one.to || Math.abs(one.y - other.y) >= 10
              if (!apart) over.push(`${other.words} | ${one.words}`)
            }
          }
        }
        expect(over).toEqual([])
      }),
    )
  })

  it('says in full what each colour is, at the width of a telephone, too', () => {
    const svg = sessionView(pictureOf(40), { width: 358 })
    const notes = [...svg.matchAll(/<tspan class="soft"[^>]*>([^<]*)</g)].map(([, note]) => note as string)
    expect(notes).toContain('tools, and what came before this file')
    expect(notes.filter((note) => note.includes('…'))).toEqual([])
  })

  it('stacks to the height of each request, by the scale of the budget', () => {
    const picture = pictureOf(40)
    const svg = sessionView(picture, { width })
    const [, outline = ''] = /class="tool1" d="([^"]*)"/.exec(svg) ?? []
    const [, bottom] = /^M0 (\d+)/.exec(outline) ?? []
    const [, top] = /translate\(48 (\d+)\) scale/.exec(svg) ?? []
    const [, budget] = /class="budget" d="M48 ([\d.]+)H/.exec(svg) ?? []
    const perToken = (Number(top) + Number(bottom) - Number(budget)) / 100_000
    const levels: number[] = []
    for (const [, level, length] of outline.matchAll(/V(\d+)h(\d+)/g)) {
      for (let at = 0; at < Number(length); at++) levels.push(Number(bottom) - Number(level))
    }
    expect(levels).toHaveLength(40)
    for (const [request, level] of levels.entries()) {
      expect(Math.abs(level - perToken * (picture.runs[0]?.sent[request] as number))).toBeLessThanOrEqual(1.1)
    }
  })

  it('pales the exchanges that are outside at the end, or before the request that is asked for', () => {
    const pale = (at: number | null) =>
      [
        ...sessionView(pictureOf(40), { width, at }).matchAll(
          /data-exchange="(\d)"><title>[^<]*(outside|in) the window/g,
        ),
      ].map(([, exchange, where]) => `${exchange} ${where}`)
    expect(pale(null)).toEqual(['0 outside', '1 in'])
    expect(pale(19)).toEqual(['0 in'])
    expect(pale(20)).toEqual(['0 outside'])
    expect(pale(30)).toEqual(['0 outside', '1 in'])
  })

  it('stays small and finds its columns again however many requests there are', () => {
    for (const requests of [1, 7, 480, 5000]) {
      const picture = pictureOf(requests)
      for (const wide of [360, 960]) {
        const svg = sessionSvg(picture, { width: wide })
        expect(svg.length).toBeLessThan(30_000)
        const columns = Array.from({ length: wide }, (_, x) => columnAt(picture, wide, x)).filter((one) => one !== null)
        expect(columns[0]).toBe(0)
        expect(Math.max(...columns)).toBeGreaterThan(0.98 * (requests - 1) - 1)
        expect(columns).toEqual(columns.toSorted((a, b) => a - b))
      }
    }
  })

  it('stays small however many exchanges and later uses there are', () => {
    const picture = pictureOf(5000)
    const [run] = picture.runs as [SessionPicture['runs'][number]]
    const exchanges = Array.from({ length: 2500 }, (_, exchange) => ({
      ...(picture.exchanges[0] as SessionPicture['exchanges'][number]),
      exchange,
      from: 2 * exchange,
      to: 2 * exchange + 2,
    }))
    const arcs = Array.from({ length: 5000 }, (_, at) => ({
      ...(run.arcs[0] as (typeof run.arcs)[number]),
      from: (at * 7) % 4000,
      to: ((at * 7) % 4000) + ((at * 13) % 1000),
      uses: 1,
    }))
    const svg = sessionSvg({ ...picture, exchanges, runs: [{ ...run, arcs }] }, { width })
    expect(svg.length).toBeLessThan(150_000)
    const told = [...svg.matchAll(/(?:, and ([\d,]+) more)?: nothing of it is left/g)]
    expect(told.length).toBeGreaterThan(60)
    const uses = told.map(([, more = '0']) => 1 + Number(more.replace(',', '')))
    expect(uses.reduce((sum, one) => sum + one, 0)).toBe(5000)
  })

  it('draws a session without a request', async () => {
    const { runs, ...picture } = pictureOf(0)
    const [run] = runs
    const nothing = { ...picture, recorded: [], exchanges: [], runs: [{ ...run, cuts: [], arcs: [], absences: [] }] }
    expect(await faultsOf([sessionSvg(nothing as never, { width })])).toEqual([])
  })
})

/** The picture of a session: where each thing stands, and how high, computed again from its figures. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PictureRun, SessionPicture } from '../../../src/model/session-picture.ts'
import { columnAt, frameOf, largestOf, stepsTo, summed } from '../../../src/reports/html/session/frame.ts'
import { sessionSvg, sessionView } from '../../../src/reports/html/session/view.ts'
import { pictureOf, width } from './sample-picture.ts'

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
})

/** The size of a plot at a width: its margins are a telephone's, or a desk's. */
const sizes = {
  960: { left: 48, right: 944, plot: 260, arcs: 84, strip: 60 },
  400: { left: 40, right: 390, plot: 190, arcs: 56, strip: 44 },
} as const
const some = pictureOf(40)
const [first] = some.runs as [PictureRun]
const draw = (
  run: Partial<PictureRun> = {},
  picture: Partial<SessionPicture> = {},
  options: Partial<Parameters<typeof sessionView>[1]> = {},
): string => sessionView({ ...some, ...picture, runs: [{ ...first, ...run }] }, { width, ...options })

/** What each attribute of the elements of a class is. */
function all(svg: string, name: string): Record<string, string>[] {
  return [...svg.matchAll(/<(path|rect|text|circle)((?: [\w-]+="[^"]*")*)\/?>(<title>([^<]*))?/g)].flatMap(
    ([, , list = '', , title = '']) => {
      const attributes = Object.fromEntries(
        [...list.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      )
      return attributes.class === name ? [{ ...attributes, title }] : []
    },
  )
}
/** The height of each column, counted from the bottom. */
function levels(d: string): number[] {
  const bottom = Number(/^M0 (\d+)/.exec(d)?.[1])
  let level = bottom
  return [...d.matchAll(/V([\d.]+)|h(\d+)/g)].flatMap(([, to, length]) => {
    if (to !== undefined) level = Number(to)
    return Array.from({ length: Number(length ?? 0) }, () => bottom - level)
  })
}
const words = (svg: string, name: string): string[] =>
  [...svg.matchAll(new RegExp(`<text class="${name}"[^>]*>([^<]*)<`, 'g'))].map(([, one]) => one as string)
const near = (value: string | number | undefined, expected: number, off = 0.051): void =>
  expect(Math.abs(Number(value) - expected), `${value} should be ${expected}`).toBeLessThanOrEqual(off)

describe('a frame', () => {
  const shape = fc.record({
    columns: fc.integer({ min: 0, max: 3000 }),
    perColumn: fc.integer({ min: 1, max: 9 }),
    wide: fc.constantFrom(320, 639, 640, 960),
    last: fc.nat(8),
  })

  it('has a place for each request, and a column of at least a pixel and a half', () => {
    fc.assert(
      fc.property(shape, ({ columns, perColumn, wide, last }) => {
        const requests = Math.max(0, columns * perColumn - (last % perColumn))
        const frame = frameOf({ ...some, columns, requests, requestsPerColumn: perColumn }, wide)
        const narrow = wide < 640
        expect(frame).toMatchObject({ width: wide, narrow, left: narrow ? 40 : 48, right: wide - (narrow ? 10 : 16) })
        const room = frame.right - frame.left
        let folded = 1
        while (room / (columns / folded) < 1.5) folded++
        expect([frame.folded, frame.columns]).toEqual([folded, Math.max(1, Math.ceil(columns / folded))])
        near(frame.columnWidth * frame.columns, room)
        for (const request of [0, 1, Math.floor(requests / 2), requests]) {
          const column = request / (perColumn * folded)
          near(
            frame.x(request),
            frame.left + (Math.min(requests, request) / (perColumn * folded)) * frame.columnWidth,
            0.001,
          )
          if (column < frame.columns) expect(frame.x(request)).toBeLessThanOrEqual(frame.right)
        }
      }),
    )
  })

  it('draws the largest of neighbours, or their sum', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(99), { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (values, folded) => {
        const frame = { ...frameOf(some, width), folded, columns: Math.ceil(values.length / folded) }
        const groups = Array.from({ length: frame.columns }, (_, at) => values.slice(folded * at, folded * at + folded))
        expect(summed(values, frame)).toEqual(groups.map((group) => group.reduce((sum, one) => sum + one, 0)))
        expect(largestOf(values, frame)).toEqual(
          groups.map((group, at) => folded * at + group.indexOf(Math.max(...group))),
        )
      }),
    )
  })

  it('has the finest scale of 1, 2 or 5 times a power of ten that has no more steps than it may', () => {
    const scales = [1, 10, 100, 1000, 10_000].flatMap((power) => [power, 2 * power, 5 * power])
    for (const most of [1, 2, 3.9, 4, 5, 7, 8, 9, 40, 41, 99, 104, 1000, 72_800]) {
      for (const count of [4, 5, 8]) {
        const finest = Math.max(1, most) < count ? null : scales.find((step) => most / step <= count)
        const steps = stepsTo(most, count)
        const [, step = most + 1] = steps
        if (finest !== null) expect(step).toBe(finest)
        expect(steps).toEqual(steps.map((_, at) => at * step))
        expect(most - (steps.at(-1) as number)).toBeGreaterThanOrEqual(0)
        expect(most - (steps.at(-1) as number)).toBeLessThan(step)
      }
    }
    expect(stepsTo(0, 4)).toEqual([0])
  })
})

describe.each([960, 400] as const)('the picture %d pixels wide', (wide) => {
  const { left, right, plot, arcs, strip } = sizes[wide]
  const x = (request: number, requests = 40): number => left + ((right - left) * request) / requests
  const at = { width: wide }
  // Above the plot are the arcs and a line of labels.
  const above = arcs + 16
  const height = (tokens: number, most: number): number => plot * (tokens / (1.04 * most))
  const y = (tokens: number, most: number): number => above + plot - height(tokens, most)
  const levelOf = (d = ''): number => Number(/^M[\d.]+ ([\d.]+)H/.exec(d)?.[1])
  const atX = (d = ''): number => Number(/^M([\d.]+) /.exec(d)?.[1])

  it('stacks the parts from the bottom, each with its share of all', () => {
    const svg = draw({}, {}, at)
    const { sent, parts } = first
    const sums = sent.map(() => 0)
    for (const [name, part, told] of [
      ['head', parts[0], 'System prompt: tools, and what came before this file, 40 % of all that was sent'],
      ['user', parts[1], 'You: what was asked, 20 % of all that was sent'],
      ['tool1', parts[2], 'Mend the login page: results, 40 % of all that was sent'],
    ] as const) {
      for (const [column, tokens] of (part?.tokens ?? []).entries()) sums[column] = (sums[column] ?? 0) + tokens
      const [area] = all(svg, name)
      expect(area?.title).toBe(told)
      for (const [column, level] of levels(area?.d ?? '').entries())
        near(level, height(sums[column] ?? 0, 100_000), 0.51)
      expect(levels(area?.d ?? '')).toHaveLength(40)
    }
  })

  it('is as high as the largest of what was sent, the budget, and a window that is not much larger', () => {
    const limit = (svg: string, name: string) => all(svg, name).map(({ d }) => levelOf(d))
    for (const [run, modelWindow, most] of [
      [{}, 200_000, 100_000],
      [{}, 160_000, 160_000],
      [{}, 160_001, 100_000],
      [{}, 20_000, 100_000],
      [{ budget: 0 }, null, 53_900],
      [{ budget: 40_000 }, null, 53_900],
      [{ budget: 54_000 }, 86_400, 86_400],
    ] as const) {
      const svg = draw(run, { modelWindow }, { ...at, legend: false })
      const budget = 'budget' in run ? run.budget : 100_000
      expect(limit(svg, 'budget')).toHaveLength(budget > 0 ? 1 : 0)
      if (budget > 0) near(limit(svg, 'budget')[0], y(budget, most) + 0.5, 0.51)
      const shown = modelWindow !== null && modelWindow <= 1.6 * Math.max(53_900, budget)
      expect(limit(svg, 'model-window')).toHaveLength(shown ? 1 : 0)
      if (shown) near(limit(svg, 'model-window')[0], y(modelWindow, most) + 0.5, 0.51)
      const top = all(svg, 'grid')
        .map(({ d }) => levelOf(d))
        .filter((one) => one >= above)
      const steps = stepsTo(1.04 * most, wide < 640 ? 4 : 5)
      for (const [index, tokens] of steps.entries()) near(top[index], y(tokens, most) + 0.5, 0.51)
    }
    const said = (svg: string) => [...words(svg, 'small halo end'), ...words(svg, 'small halo')]
    expect(said(draw({}, { modelWindow: 160_000 }, at))).toEqual(['budget 100k', 'model&#39;s window 160k'])
    expect(words(draw({ budget: 0 }, { modelWindow: 60_000 }, at), 'small halo end')).toEqual([
      'model&#39;s window 60k',
    ])
  })

  it('has a line at each cut and at what was recorded, with what left', () => {
    const cuts = [
      { request: 10, cuts: 1, tokensBefore: 90_000, tokensAfter: 40_000, rule: 7 },
      { request: 30, cuts: 3, tokensBefore: 40_000, tokensAfter: 40_500, rule: 21 },
    ]
    const recorded = [
      { request: 10, kind: 'compaction' },
      { request: 15, kind: 'clearing' },
      { request: 20, kind: 'compaction' },
      { request: 25, kind: 'reset' },
    ] as const
    const svg = draw({ cuts }, { recorded }, at)
    const lines = all(svg, 'cut').slice(0, 2)
    expect(lines.map(({ title }) => title)).toEqual([
      'before request 11: a cut, 90,000 to 40,000 tokens',
      'before request 31: 3 cuts, 40,000 to 40,500 tokens',
    ])
    for (const [index, { d }] of lines.entries()) {
      near(atX(d), x([10, 30][index] as number))
      expect(d).toMatch(new RegExp(` ${above - 4}V${above + plot}$`))
    }
    const others = all(svg, 'recorded').slice(0, 3)
    expect(others.map(({ title }) => title)).toEqual([
      'before request 16: the agent cleared old results',
      'before request 21: the agent compacted its history',
      'before request 26: the user cleared the history',
    ])
    for (const [index, { d }] of others.entries()) {
      near(atX(d), x(15 + 5 * index))
      expect(d).toMatch(new RegExp(` ${above}V${above + plot}$`))
    }
    const labels = words(svg, 'small soft middle')
    expect(wide === 960 ? labels : labels.slice(0, 1)).toEqual(
      wide === 960 ? ['−50k', 'compacted', 'cleared', '−0'] : ['−50k'],
    )
    near(atX(all(svg, 'rule')[0]?.d), x(21))
    expect(all(svg, 'rule')[0]?.d).toMatch(new RegExp(` ${above}V${above + plot + 23}$`))
    const ruleBefore = (request: number | null, more = recorded as SessionPicture['recorded']) =>
      all(draw({ cuts }, { recorded: more }, { ...at, at: request, legend: false }), 'rule').map(({ d }) => atX(d))
    for (const [request, rules] of [
      [9, []],
      [10, [7]],
      [24, [7]],
      [25, [25]],
      [29, [25]],
      [30, [21]],
    ] as const) {
      const found = ruleBefore(request)
      expect(found).toHaveLength(rules.length)
      for (const [index, rule] of rules.entries()) near(found[index], x(rule))
    }
    near(ruleBefore(null, [{ request: 30, kind: 'reset' }])[0], x(30))
    near(ruleBefore(null, [{ request: 29, kind: 'reset' }])[0], x(21))
    expect(ruleBefore(null, [])).toHaveLength(1)
  })

  it('has short lines and no labels where there are more than forty cuts', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, request) => ({ ...(first.cuts[0] as PictureRun['cuts'][number]), request }))
    const ends = (count: number) =>
      new Set(
        all(draw({ cuts: many(count) }, { recorded: [] }, at), 'cut')
          .slice(0, count)
          .map(({ d }) => Number(d?.split('V')[1])),
      )
    expect([...ends(40)]).toEqual([above + plot])
    expect([...ends(41)]).toEqual([above + 4])
    expect(words(draw({ cuts: many(41) }, { recorded: [] }, at), 'small soft middle')).toEqual([])
  })

  it('has a bow from where content was to where it is used, the higher the longer', () => {
    const arc = (from: number, to: number, uses: number, term: string | null) => ({
      ...{ from, to, uses },
      examples: term === null ? [] : [{ term, line: 1, seenLine: 1 }],
    })
    const run = { arcs: [arc(0, 36, 1, 'a.c'), arc(2, 11, 8, null), arc(2, 11, 2, 'b.c'), arc(1, 39, 1, 'c.c')] }
    const svg = draw(run, {}, { ...at, at: 39, legend: false })
    const bows = all(svg, 'arc')
    expect(bows.map(({ title }) => title)).toEqual([
      'request 37 uses what request 1 had of a.c: nothing of it is left',
      'request 12 uses what request 3 had, and 9 more: nothing of it is left',
    ])
    for (const [index, { d = '', 'stroke-width': wideness }] of bows.entries()) {
      const [x1, y1, , top, x2, , x3, y3] = (d.match(/[\d.-]+/g) ?? []).map(Number)
      const [from, to, uses] = (
        [
          [0, 36, 1],
          [2, 11, 10],
        ] as const
      )[index] as readonly [number, number, number]
      near(x1, x(from))
      near(x3, x(to))
      expect([x2, y1, y3]).toEqual([x3, arcs, arcs])
      const rise = (arcs - 4) * Math.sqrt((to - from) / 36)
      near(0.25 * arcs + 0.75 * (top as number), arcs - rise, 0.1)
      near(wideness, Math.min(4, 1 + Math.log2(uses) / 3))
    }
    expect(all(svg, 'dot').map(({ cx, cy, r }) => [Number(cx), Number(cy), r])).toEqual([
      [Math.round(10 * x(36)) / 10, arcs, '2'],
      [Math.round(10 * x(11)) / 10, arcs, '2'],
    ])
    const bare = draw({ arcs: [] }, {}, at)
    expect(bare).not.toContain('class="arc"')
    near(levelOf(all(bare, 'budget')[0]?.d), y(100_000, 100_000) - arcs + 0.5, 0.51)
  })

  it('has the exchanges below, each as wide as its requests, pale where it is outside', () => {
    const exchange = (number: number, from: number, to: number) => ({
      ...{
        exchange: number,
        from,
        to,
        title: number === 0 ? 'Mend it' : null,
        firstLine: 1000,
        lastLine: 1009,
        tokens: 5000,
      },
      tools:
        number === 0
          ? ([
              ['Read', 3],
              ['Bash', 1],
            ] as const)
          : [],
    })
    const exchanges = [exchange(-1, 0, 4), exchange(0, 4, 10), exchange(1, 10, 10), exchange(2, 10, 40)]
    const absences = [
      { exchange: -1, from: 5, to: 20 },
      { exchange: 0, from: 20, to: null },
    ]
    const svg = draw({ absences }, { exchanges }, { ...at, legend: false })
    const titles = [...svg.matchAll(/<g data-exchange="(-?\d+)"><title>([^<]*)/g)].map(([, number, title]) => [
      number,
      title,
    ])
    expect(titles).toEqual([
      ['-1', 'Exchange - · 5,000 tokens · lines 1,000 to 1,009 · in the window'],
      ['0', 'Exchange 1: “Mend it” · 5,000 tokens · lines 1,000 to 1,009 · Read 3, Bash 1 · outside the window'],
      ['2', 'Exchange 3 · 5,000 tokens · lines 1,000 to 1,009 · in the window'],
    ])
    const rects = [...svg.matchAll(/<rect class="lane( gone)?" x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g)]
    for (const [index, [, gone, from, top, length]] of rects.entries()) {
      const [start, end] = (
        [
          [0, 4],
          [4, 10],
          [10, 40],
        ] as const
      )[index] as readonly [number, number]
      near(from, x(start))
      near(length, x(end) - x(start) - 1)
      expect([gone, Number(top)]).toEqual([index === 1 ? ' gone' : undefined, above + plot + 5])
    }
    expect(rects).toHaveLength(3)
    const shown = (moment: number) =>
      [
        ...draw({ absences }, { exchanges }, { ...at, at: moment, legend: false }).matchAll(
          /data-exchange="(-?\d+)"><title>[^<]*(outside|in) the/g,
        ),
      ].map(([, number, where]) => `${number} ${where}`)
    expect([shown(4), shown(5), shown(19), shown(20)]).toEqual([
      ['-1 in'],
      ['-1 outside', '0 in'],
      ['-1 outside', '0 in', '2 in'],
      ['-1 in', '0 outside', '2 in'],
    ])
  })

  it('has below that what the input costs, by what the cache had of it', () => {
    const cost = { readCost: [0.02, 0.03, 0], addedCost: [0.01, 0, 0.1], missedCost: [0, 0.27, 0.05] }
    const svg = draw(
      { cache: { ...first.cache, ...cost } },
      { columns: 3, requests: 6, requestsPerColumn: 2 },
      { ...at, legend: false },
    )
    const sums = [0, 0, 0]
    for (const [name, costs] of [
      ['read', cost.readCost],
      ['added', cost.addedCost],
      ['missed', cost.missedCost],
    ] as const) {
      const found = levels(all(svg, name)[0]?.d ?? '')
      for (const [column, one] of costs.entries()) {
        sums[column] = (sums[column] as number) + one
        near(found[column], (strip * (sums[column] as number)) / 0.3, 0.51)
      }
      expect(found).toHaveLength(3)
    }
    expect(words(svg, 'small soft')).toContain('What the input of each 2 requests costs')
    expect(words(svg, 'soft small end')).toContain('$0.30')
    expect(words(draw({}, {}, at), 'small soft')).toContain('What the input of each request costs')
    const other = { sent: first.sent.map((one) => one + 10_000), words: 'under ikigai' }
    expect(words(draw({}, {}, { ...at, other }), 'small soft')).toContain(
      'What the input of each request costs, as recorded',
    )
    const none = { ...first.cache, readCost: [0], addedCost: [0], missedCost: [0] }
    expect(all(draw({ cache: none }, { columns: 1, requests: 1 }, at), 'read').map(({ d }) => d)[0]).toBe(
      `M0 ${strip}h1V${strip}z`,
    )
  })

  it('draws another policy as a line over the stack, by the same scale', () => {
    const sent = first.sent.map((one) => one + 80_000)
    const svg = draw({}, { modelWindow: null }, { ...at, other: { sent, words: 'under ikigai' } })
    const [line] = all(svg, 'other')
    const found = [...(line?.d ?? '').matchAll(/[M V](\d+)h1/g)].map(([, level]) => plot - Number(level))
    for (const [column, level] of found.entries()) near(level, height(sent[column] as number, 133_900), 0.51)
    expect(found).toHaveLength(40)
    expect(svg).toContain('>under ikigai<')
    expect(svg).toContain('<g class="faded">')
  })

  it('veils what has not happened yet', () => {
    const svg = draw({}, {}, { ...at, at: 30, legend: false })
    const [veil] = all(svg, 'canvas veil')
    near(veil?.x, x(30))
    near(veil?.width, right - x(30), 0.11)
    expect([veil?.y, veil?.height]).toEqual([String(above - 3), String(plot + 5 + 18 - 2)])
    near(atX(all(svg, 'moment')[0]?.d), x(30))
    expect(words(svg, 'small strong middle')).toContain('request 31')
    expect(all(draw(), 'canvas veil')).toEqual([])
  })

  it('numbers requests in their middle', () => {
    const svg = draw({ cuts: [] }, { recorded: [] }, { ...at, legend: false })
    const ticks = [...svg.matchAll(/<text class="soft small middle" x="([\d.]+)" y="(\d+)">([^<]*)</g)]
    const step = wide === 960 ? 5 : 10
    expect(ticks.map(([, , , said]) => said)).toEqual([
      'request 1',
      ...Array.from({ length: 40 / step }, (_, index) => String(step * (index + 1))),
    ])
    for (const [, where, , said] of ticks.slice(1, -1)) near(where, (x(Number(said) - 1) + x(Number(said))) / 2)
    expect(new Set(ticks.map(([, , down]) => Number(down)))).toEqual(new Set([above + plot + 5 + 30]))
  })
})

describe('the words', () => {
  const facts = (run: Partial<PictureRun> = {}, picture: Partial<SessionPicture> = {}) =>
    /<desc[^>]*>([^<]*)\. The largest/.exec(draw(run, picture))?.[1]
  const cut = first.cuts[0] as PictureRun['cuts'][number]

  it.each<[Partial<PictureRun>, Partial<SessionPicture>, string]>([
    [
      {},
      {},
      'ikigai at 100k, 40 requests, Mend the login page, 1 cut, 1 recorded compaction, $3.00 for input, 3 later uses of content that had left',
    ],
    [
      { params: { keepLast: 2 }, budget: 0, cuts: [cut, { ...cut, cuts: 3 }], costSummaries: 1.5, arcs: [] },
      { model: null, recorded: [] },
      'ikigai (keepLast=2), 40 requests, 4 cuts, $4.50 for input, no content used later had left',
    ],
    [
      { budgetAsked: '50%', cuts: [] },
      {
        unit: 'input-token-equivalents',
        recorded: [0, 1].map((request) => ({ request, kind: 'compaction' as const })),
      },
      'ikigai at 50%, 40 requests, Mend the login page, 0 cuts, 2 recorded compactions, 3 token equivalents for input, 3 later uses of content that had left',
    ],
  ])('of %j and %j', (run, picture, expected) => {
    expect(facts(run, picture)).toBe(expected)
  })

  it('have the largest request, and what the requests carried', () => {
    const kinds = 'System prompt 40 %, You 20 %, Mend the login page 40 %'
    expect(draw()).toContain(`The largest request has 53,900 tokens. What the requests carried: ${kinds}.`)
    expect(draw({}, {}, { coarse: true })).toContain(
      'The largest request has 54k tokens. What the requests carried: System prompt, You, Mend the login page.',
    )
  })

  it('have seven kinds: the two tools with the largest results, and all that is of a kind added up', () => {
    const part = (kind: PictureRun['parts'][number]['kind'], tool: string | null, share: number) => ({
      kind,
      tool,
      share,
      tokens: [share],
    })
    const parts = [
      ...[part('preamble', null, 1), part('unknown', null, 2), part('inserted', null, 4), part('program', null, 8)],
      ...[part('user', null, 16), part('assistant', null, 3), part('thinking', null, 5)],
      ...[part('tool', 'Read', 7), part('tool', 'Bash', 9), part('tool', 'Grep', 11), part('tool', null, 13.25)],
    ]
    const svg = draw({ parts }, {}, { facts: [] })
    expect(svg).toContain(
      'carried: System prompt 3 %, Put in by the program 12 %, You 16 %, The model 8 %, Read 7 %, Bash 9 %, Other tools 24.3 %.',
    )
    const legend = [...svg.matchAll(/<tspan class="strong words">([^<]*)<\/tspan><tspan dx="6">([^<]*)</g)].map(
      ([, name, figure]) => `${name}: ${figure}`,
    )
    expect(legend.slice(0, 7)).toEqual([
      'Other tools: 24.3 %',
      'Bash: 9.0 %',
      'Read: 7.0 %',
      'The model: 8.0 %',
      'You: 16.0 %',
      'Put in by the program: 12.0 %',
      'System prompt: 3.0 %',
    ])
  })

  it('have a line in the legend for each sign that is drawn, with its sum', () => {
    const signs = (run: Partial<PictureRun> = {}, picture: Partial<SessionPicture> = {}, options = {}) =>
      [
        ...draw(run, picture, options).matchAll(
          /<tspan class="strong words">([^<]*)<\/tspan>(?:<tspan dx="6">([^<]*)<\/tspan>)?/g,
        ),
      ]
        .slice(3)
        .map(([, name, figure]) => (figure === undefined ? name : `${name} ${figure}`))
    const cache = ['Cache read 1.6M, $0.80', 'New 40k, $0.40', 'Cache missed 9.0k, $0.10']
    expect(signs()).toEqual(['Budget', 'Cut', 'Recorded', 'Context', 'Exchange', 'Gone 3', ...cache])
    expect(signs({ budget: 0, cuts: [], arcs: [] }, { recorded: [], exchanges: [] })).toEqual(cache)
    expect(signs({ cuts: [] }, { recorded: [{ request: 3, kind: 'reset' }] })).toContain('Context')
    expect(signs({}, {}, { coarse: true, other: { sent: [1], words: 'w' } })).toEqual([
      'Line',
      'Budget',
      'Cut',
      'Recorded',
      'Context',
      'Exchange',
      'Gone 3',
      'Cache read',
      'New',
      'Cache missed',
    ])
    expect(draw({}, {}, { legend: false })).not.toContain('strong words')
  })

  it('have a title: of the user, else the id, else the file; and facts on as many lines as they need', () => {
    const title = (picture: Partial<SessionPicture>) => /<tspan class="words">([^<]*)</.exec(draw({}, picture))?.[1]
    expect(title({})).toBe('Mend the login page')
    expect(title({ title: null, conversation: 'c1' })).toBe('c1')
    expect(title({ title: null })).toBe('session.jsonl')
    expect(draw({}, { title: null })).toContain('<title id="session-title">A session: what filled its window</title>')
    const lines = (facts: string[]) => words(draw({}, {}, { facts }), 'soft')
    const room = Math.floor((960 - 24) / (12 * 0.56))
    const half = 'x'.repeat((room - 3) / 2)
    expect(lines([half, half, 'y'])).toEqual([`${half} · ${half}`, 'y'])
    expect(lines([half, `${half}xx`])).toEqual([half, `${half}xx`])
    expect(lines(['z'.repeat(room + 1)])).toEqual([`${'z'.repeat(room - 1)}…`])
    expect(draw({}, {}, { heading: false })).not.toContain('class="title"')
  })
})

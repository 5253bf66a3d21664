/** Points of settings: what they cost to the right, what they lose upwards. Today's place is a point among them. */
import { safe } from '../../base/quoting.ts'
import type { ShownUnit } from '../../model/run.ts'
import { figureWords } from '../answer.ts'
import { grouped } from '../numbers.ts'
import { type Element, h, leaf } from './element.ts'
import { along, type Label, place, placed, type Spot, scale, ticks } from './figures.ts'
import { frontOf, type Weighed } from './front.ts'

export interface Dot extends Weighed {
  /** What it is called, in full. */
  readonly words: string
  /** Beside the point, where it is on the front or marked. */
  readonly short: string
  /** Default `setting`. `present`, `recorded`, `whole`: squares. `unfit`: a setting that makes requests fail. */
  readonly kind?: 'present' | 'recorded' | 'whole' | 'unfit'
  /** Found again by it; none for squares. */
  readonly index?: number
  readonly chosen?: boolean
  /** Joined by a line of its own. */
  readonly own?: boolean
}

interface Scatter {
  readonly dots: readonly Dot[]
  readonly width: number
  readonly height: number
  readonly label: string
  readonly across: string
  /** Of the costs. */
  readonly unit: ShownUnit
  /** Whether anything was used later, so that it can be lost. */
  readonly hasUses: boolean
}

/** What is told to the right. @param what that is paid */
export function acrossWords(what: string, unit: ShownUnit): string {
  if (unit === 'usd') return `dollars for ${what} →`
  return unit === 'percent' ? `${what}, of all that was sent →` : `${what}, in uncached tokens →`
}

const edge = { left: 46, right: 18, top: 26, bottom: 46 }

export function scatter({ dots, width, height, label, across, unit, hasUses }: Scatter): Element {
  const up = hasUses ? '↑ later uses lost, of 1,000 (square-root scale)' : ''
  // The axis says what is counted.
  const amount = (cost: number): string => figureWords(cost, unit)
  const costs = dots.map(({ cost }) => cost)
  const [least, most] = extent(costs)
  // Where all cost the same, the axis is widened, so that its amounts differ.
  const pad = (most - least) * 0.06 || Math.max(1e-6, most * 0.5)
  const worst = Math.max(1e-9, extent(dots.map(({ lost }) => lost))[1])
  const x = scale([Math.max(0, least - pad), most + pad], [edge.left, width - edge.right])
  // A few settings lose a hundred times what most lose: a scale of square roots, which the axis says.
  const root = scale([0, Math.sqrt(worst) * 1.06], [height - edge.bottom, edge.top])
  const y = (lost: number): number => root(Math.sqrt(lost))
  const at = ({ cost, lost }: Weighed): Spot => [place(x(cost)), place(y(lost))]
  const isSetting = ({ kind }: Dot): boolean => kind === undefined
  // What grew without a cut is no setting that anybody chose among.
  const front = frontOf(dots.filter(({ kind }) => kind === undefined || kind === 'present' || kind === 'recorded'))
  const own = dots.filter((dot) => dot.own === true)
  const circles = dots.filter(({ kind }) => kind === undefined || kind === 'unfit')
  const squares = dots.filter(({ kind }) => kind !== undefined && kind !== 'unfit')
  const chosen = dots.find((dot) => dot.chosen === true)
  const named = [
    ...squares.filter(({ kind }) => kind === 'present'),
    ...(chosen ? [chosen] : []),
    ...squares.filter(({ kind }) => kind !== 'present'),
    ...front.filter((dot) => isSetting(dot) && dot !== chosen),
  ]
  const labels = named.flatMap((dot): Label[] => {
    const [x, y] = at(dot)
    const isStrong = (one: Dot): boolean => one === named[0] || one === chosen
    // Settings that come to the same have one label.
    const same = named.filter((other) => !isStrong(other) && at(other)[0] === x && at(other)[1] === y)
    if (!isStrong(dot) && same[0] !== dot) return []
    const words = isStrong(dot) ? [dot] : same
    return [{ text: safe(words.map(({ short }) => short).join(', ')), x, y, strong: isStrong(dot) }]
  })
  const area = { left: edge.left, right: width, top: edge.top - 12, bottom: height - edge.bottom + 4 }
  return h('svg.scatter', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label })(
    levels(worst, y).flatMap((lost) => [
      leaf('line', {
        class: lost === 0 ? 'axis' : 'grid',
        x1: edge.left,
        x2: width - edge.right,
        y1: place(y(lost)),
        y2: place(y(lost)),
      }),
      tick(grouped(lost), edge.left - 8, place(y(lost)) + 4, 'end'),
    ]),
    ticks(Math.max(0, least - pad), most + pad, Math.max(4, Math.floor(width / 120)))
      .map((cost) => ({ cost, words: amount(cost) }))
      // Amounts that read the same after rounding are named once.
      .filter(({ words }, index, all) => words !== all[index - 1]?.words)
      .map(({ cost, words }) => tick(words, place(x(cost)), height - edge.bottom + 18, 'middle')),
    tick(across, (edge.left + width - edge.right) / 2, height - 8, 'middle'),
    tick(up, 4, 11, 'start'),
    leaf('polyline.front', { points: front.map((dot) => at(dot).join(',')).join(' ') }),
    leaf('polyline.own', { points: own.map((dot) => at(dot).join(',')).join(' ') }),
    // Under the points, so that the edge of a label hides none.
    placed(labels, area, dots.map(at), along(front.map(at))).map(({ text, anchor, strong, at: [left, top] }) =>
      h('text', { class: strong ? 'name strong' : 'name', x: left, y: top, 'text-anchor': anchor })(text),
    ),
    circles.map((dot, order) => {
      const [cx, cy] = at(dot)
      const kind = dot.kind === 'unfit' ? 'unfit' : front.includes(dot) ? 'best' : ''
      return leaf('circle', {
        class: ['spot', kind, dot.own ? 'own' : ''].filter(Boolean).join(' '),
        ...{ cx, cy, r: 4.5, role: 'img', 'aria-label': dot.words },
        // One stop of the keyboard; arrows go on from it.
        tabindex: order === 0 ? 0 : -1,
        'data-spot': dot.index ?? null,
      })
    }),
    squares.map((dot) => {
      const [cx, cy] = at(dot)
      const size = dot.kind === 'present' ? 11 : 9
      return leaf('rect', {
        class: `world ${dot.kind as string}`,
        ...{ x: cx - size / 2, y: cy - size / 2, width: size, height: size },
        ...{ role: 'img', 'aria-label': dot.words, 'data-words': dot.words },
      })
    }),
    chosen ? leaf('circle.current', { cx: at(chosen)[0], cy: at(chosen)[1], r: 7 }) : [],
  )
}

/** Round numbers that are far enough apart to be read. */
function levels(worst: number, y: (lost: number) => number): number[] {
  const shown = [0]
  for (let power = Math.floor(Math.log10(worst)); power >= -1; power--) {
    for (const step of [5, 2, 1]) {
      const lost = Number((step * 10 ** power).toPrecision(1))
      if (lost <= worst && shown.every((other) => Math.abs(y(other) - y(lost)) >= 36)) shown.push(lost)
    }
  }
  return shown
}

const tick = (words: string, x: number, y: number, anchor: string): Element =>
  h('text.tick', { x, y, 'text-anchor': anchor })(words)

/** The least and the most value. There may be more values than a call takes as arguments. */
const extent = (values: readonly number[]): [number, number] => [
  values.reduce((a, b) => Math.min(a, b), Infinity),
  values.reduce((a, b) => Math.max(a, b), -Infinity),
]

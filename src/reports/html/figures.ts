/** Drawing by numbers: scales, ticks, and labels that do not overlap. */

/** Round numbers from `least` to `most`, about so many. */
export function ticks(least: number, most: number, about: number): number[] {
  const span = most - least
  if (!(span > 0)) return [least]
  const rough = span / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 10 * power
  const first = Math.ceil(least / step - 1e-9)
  const last = Math.floor(most / step + 1e-9)
  // Multiples of the step: adding it up again and again would not come to round numbers.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => Number(((first + at) * step).toPrecision(12)))
}

/** From values to places; all values at one place where there is only one. */
export function scale(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const span = from[1] - from[0]
  return (value) => (span === 0 ? (to[0] + to[1]) / 2 : to[0] + ((value - from[0]) / span) * (to[1] - to[0]))
}

/** At most two decimals: a picture needs no more, and a page of a thousand pictures less. */
export const place = (value: number): number => Math.round(value * 100) / 100

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Label {
  readonly text: string
  /** The middle of what it names. */
  readonly x: number
  readonly y: number
  /** In bold letters. It is told even where it covers a dot. */
  readonly strong?: boolean
}

export interface Placed extends Label {
  readonly anchor: 'start' | 'end' | 'middle'
  /** The label's own place: the left or right end, or the middle, of its base line. */
  readonly at: readonly [x: number, y: number]
}

/**
 * A letter of the page's small text is no wider on average, nor higher, in pixels, in the widest of the usual fonts.
 */
export const letter = { width: 7.7, strongWidth: 8.7, height: 14 }

/** A place, in pixels. */
export type Spot = readonly [x: number, y: number]

/** Places along a line, so close to each other that no label fits between them. */
export function along(line: readonly Spot[]): Spot[] {
  return line.flatMap((to, at) => {
    const from = line[at - 1] ?? to
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6))
    return Array.from({ length: steps }, (_, step): Spot => {
      const part = (step + 1) / steps
      return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]
    })
  })
}

/**
 * Places each label beside what it names, the first ones first: right, left, above or below, wherever it is within the
 * area and covers neither another label nor anything named nor one of the dots, nor, if there is such a place, a line.
 * A label for which there is no room is left out.
 *
 * @param lines places along them
 */
export function placed(
  labels: readonly Label[],
  area: Box,
  dots: readonly Spot[],
  lines: readonly Spot[] = [],
): Placed[] {
  const around = ([x, y]: Spot, size: number): Box => ({
    ...{ left: x - size, right: x + size, top: y - size, bottom: y + size },
  })
  const taken = labels.map(({ x, y }) => around([x, y], 7))
  const covered = dots.map((dot) => around(dot, 5))
  const crossed = lines.map((spot) => around(spot, 2))
  const isClear = (box: Box, of: readonly Box[]): boolean => !of.some((other) => overlap(box, other))
  return labels.flatMap((label): Placed[] => {
    const free = sides
      .map((side) => beside(label, side))
      .filter(({ box }) => {
        const isInside =
          box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom
        return isInside && isClear(box, taken)
      })
    const off = free.filter(({ box }) => isClear(box, covered))
    const clear = off.find(({ box }) => isClear(box, crossed)) ?? off[0] ?? (label.strong ? free[0] : undefined)
    if (!clear) return []
    taken.push(clear.box)
    return [clear.label]
  })
}

/** Where a label can stand, from what it names. */
const sides: readonly (readonly [anchor: Placed['anchor'], right: number, down: number])[] = [
  ['start', 10, 4],
  ['end', -10, 4],
  ['middle', 0, -12],
  ['middle', 0, 21],
  ['start', 8, -10],
  ['end', -8, -10],
  ['start', 8, 19],
  ['end', -8, 19],
  ['middle', 0, -30],
  ['start', 10, -30],
  ['end', -10, -30],
]

function beside(label: Label, [anchor, right, down]: (typeof sides)[number]): { label: Placed; box: Box } {
  const [x, y] = [label.x + right, label.y + down]
  const width = label.text.length * (label.strong ? letter.strongWidth : letter.width)
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2
  const box = { left, right: left + width, top: y - letter.height + 3, bottom: y + 3 }
  return { label: { ...label, anchor, at: [place(x), place(y)] }, box }
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Where things stand in the picture: requests from left to right, tokens upwards. */
import type { SessionPicture } from '../../../model/session-picture.ts'

export interface Frame {
  /** Of the whole picture. */
  readonly width: number
  /** Of the plot. */
  readonly left: number
  readonly right: number
  /** Neighbouring columns of the data that are drawn as one, and how many are drawn. */
  readonly folded: number
  readonly columns: number
  /** The width of a drawn column. */
  readonly columnWidth: number
  /** Where a request begins. */
  x(request: number): number
  /** Whether the picture is so narrow that columns are put below each other. */
  readonly narrow: boolean
}

/** A piece of the picture, drawn from `y` = 0 on. */
export interface Piece {
  readonly markup: string
  readonly height: number
}

/** A thinner column could hardly be seen, and costs bytes. */
const thinnest = 1.5

export function frameOf({ columns, requests, requestsPerColumn }: SessionPicture, width: number): Frame {
  const narrow = width < 640
  const left = narrow ? 40 : 48
  const right = width - (narrow ? 10 : 16)
  const folded = Math.max(1, Math.ceil((columns * thinnest) / (right - left)))
  const drawn = Math.max(1, Math.ceil(columns / folded))
  const columnWidth = (right - left) / drawn
  const perRequest = columnWidth / (folded * requestsPerColumn)
  return {
    width,
    left,
    right,
    folded,
    columns: drawn,
    columnWidth,
    x: (request) => left + Math.min(requests * perRequest, request * perRequest, right - left),
    narrow,
  }
}

/** The column that a place belongs to, for a pointer; null outside the plot. Counted as the data are. */
export function columnAt(picture: SessionPicture, width: number, x: number): number | null {
  const { left, right, columnWidth, folded } = frameOf(picture, width)
  if (x < left || x >= right) return null
  const column = Math.floor(((x - left) / columnWidth) * folded)
  return column < picture.columns ? column : null
}

/** By drawn column: of its columns, the one with the largest value. */
export function largestOf(values: readonly number[], { columns, folded }: Frame): number[] {
  return Array.from({ length: columns }, (_, drawn) => {
    let largest = drawn * folded
    const end = Math.min(values.length, (drawn + 1) * folded)
    for (let column = largest + 1; column < end; column++) {
      if ((values[column] as number) > (values[largest] as number)) largest = column
    }
    return largest
  })
}

/** By drawn column: the sum of its columns. */
export function summed(values: readonly number[], { columns, folded }: Frame): number[] {
  return Array.from({ length: columns }, (_, drawn) =>
    values.slice(drawn * folded, (drawn + 1) * folded).reduce((sum, value) => sum + value, 0),
  )
}

/** The steps of a scale from 0 to at least `most`: multiples of 1, 2 or 5 times a power of ten. */
export function stepsTo(most: number, count: number): number[] {
  const rough = Math.max(1, most) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number) * power
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step)
}

/**
 * The width of a letter in a system's sans-serif font. It is rather too large, so that a name is cut too early rather
 * than too late.
 */
export const letter = (size: number): number => size * 0.56

export const most = (values: readonly number[]): number =>
  values.reduce((largest, value) => Math.max(largest, value), 0)
